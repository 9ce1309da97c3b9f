import { FIRST_NAMES, LAST_NAMES } from '../invented-names.ts';
import { hash32, pick } from '../seeded-random.ts';
import { SEGMENT_NAMES, TAG_NAMES, TEAM_NAMES } from './words.ts';
import { SEGMENT_SALT } from './world.ts';
import type { World } from './world.ts';

const YEAR_SECONDS = 31_536_000;

/**
 * The admin at a position, without the picture that only some endpoints show.
 *
 * @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/admins/admin
 */
export function seededAdmin(world: World, position: number) {
  const hash = hash32(world.seed, position, 0x20);
  const isAway = position % 5 === 3;
  return {
    type: 'admin',
    id: String(world.adminNumber(position)),
    name: adminName(world, position),
    email: `admin.${String(position)}@example.com`,
    job_title: position % 3 === 0 ? 'Keeper of lanterns' : null,
    away_mode_enabled: isAway,
    away_mode_reassign: isAway && hash % 2 === 0,
    has_inbox_seat: position % 6 !== 5,
    team_ids: teamsOf(world, position),
  };
}

/** The admin at a position, with a picture, which may be null. */
export function seededAdminWithAvatar(world: World, position: number) {
  const url = `https://static.example.com/admins/${String(position)}.png`;
  return {
    ...seededAdmin(world, position),
    avatar: { type: 'avatar', image_url: position % 4 === 2 ? null : url },
  };
}

/** The name of the admin at a position, without making the admin. */
export function adminName(world: World, position: number): string {
  const hash = hash32(world.seed, position, 0x21);
  return `${pick(FIRST_NAMES, hash)} ${pick(LAST_NAMES, hash >>> 8)}`;
}

/** Every team, with the ids of its admins. */
export function seededTeams(world: World) {
  return TEAM_NAMES.map((name, team) => {
    const members = adminsOf(world, team);
    return {
      type: 'team',
      id: String(world.teamNumber(team)),
      name,
      admin_ids: members,
      // Intercom gives null for a team without priorities.
      admin_priority_level:
        team === 3
          ? null
          : { primary_admin_ids: members.slice(0, 1), secondary_admin_ids: members.slice(1) },
    };
  });
}

/** Every tag, as `GET /tags` lists it. */
export function seededTags(world: World) {
  return TAG_NAMES.map((name, position) => ({ type: 'tag', id: world.tagId(position), name }));
}

/** Every segment, without its number of contacts, which Intercom gives on request only. */
export function seededSegments(world: World) {
  return SEGMENT_NAMES.map((name, position) => {
    const createdAt = world.endsAt - YEAR_SECONDS + position * 86_400;
    return {
      type: 'segment',
      id: world.objectId(position, createdAt, SEGMENT_SALT),
      name,
      created_at: createdAt,
      // Segments share this time in pairs, so that sorting by it meets ties.
      updated_at: world.endsAt - Math.floor(position / 2) * 86_400,
      person_type: position === 4 ? 'contact' : 'user',
    };
  });
}

/** How many contacts are in the segment at a position. */
export function segmentCount(world: World, position: number): number {
  return hash32(world.seed, position, SEGMENT_SALT + 4) % (world.contactCount + 1);
}

/** The last team has nobody in it. */
function isInTeam(position: number, team: number): boolean {
  return team < TEAM_NAMES.length - 1 && position % (team + 2) === 0;
}

function teamsOf(world: World, position: number): readonly number[] {
  return TEAM_NAMES.flatMap((_, team) =>
    isInTeam(position, team) ? [world.teamNumber(team)] : [],
  );
}

function adminsOf(world: World, team: number): readonly number[] {
  return Array.from({ length: world.adminCount }, (_, position) => position)
    .filter((position) => isInTeam(position, team))
    .map((position) => world.adminNumber(position));
}
