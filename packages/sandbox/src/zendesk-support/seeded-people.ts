import { FIRST_NAMES, LAST_NAMES } from '../invented-names.ts';
import { hash32, pick } from '../seeded-random.ts';
import type { SeededRecords, ZendeskRecord } from './collection.ts';
import { DAY_SECONDS, isoTime } from './times.ts';
import {
  COMPANY_ENDS,
  COMPANY_STARTS,
  GROUP_NAMES,
  SENTENCES,
  TAG_WORDS,
  TIME_ZONES,
} from './words.ts';
import { ADMIN_COUNT } from './world.ts';
import type { SupportWorld } from './world.ts';

type Role = 'admin' | 'agent' | 'end-user';

/** Names without marks, made once: normalising is slow. */
const PLAIN_FIRST = FIRST_NAMES.map(lettersOf);
const PLAIN_LAST = LAST_NAMES.map(lettersOf);

/** The role of the user at a position. */
export function roleAt(world: SupportWorld, position: number): Role {
  if (position < ADMIN_COUNT) return 'admin';
  return position < world.agentCount ? 'agent' : 'end-user';
}

/** The id of an end user's organization; two of three have one, agents have none. */
export function organizationIdOf(world: SupportWorld, userPosition: number): number | null {
  const { counts, ids, agentCount } = world;
  const nth = userPosition - agentCount;
  if (nth < 0 || nth % 3 === 2) return null;
  return ids.organizations.idAt(hash32(world.seed, userPosition, 40) % counts.organizations);
}

/** The id of the first group of the agent at a position. */
export function groupIdOf(world: SupportWorld, agentPosition: number): number {
  return world.ids.groups.idAt(agentPosition % (world.counts.groups - 1));
}

/** A number that sorts as a user's name does, without making the name. */
export function nameRank(world: SupportWorld, userPosition: number): number {
  const { first, last } = namePartsOf(world, userPosition);
  return first * LAST_NAMES.length + last;
}

/** The external id of the record at a position; every third record has one. */
export function externalIdAt(position: number): string | null {
  return position % 3 === 1 ? `ext-${String(position)}` : null;
}

/** The position that an external id was made of; undefined for any other text. */
export function positionOfExternalId(externalId: string): number | undefined {
  const position = Number(/^ext-(\d{1,7})$/.exec(externalId)?.[1] ?? Number.NaN);
  return externalIdAt(position) === externalId ? position : undefined;
}

/** @see https://developer.zendesk.com/api-reference/ticketing/users/users/ */
export function seededUsers(world: SupportWorld): SeededRecords {
  const { counts, ids } = world;
  return {
    count: counts.users,
    positionOf: (id) => ids.users.positionOf(id),
    sortKeyAt: (name, position) =>
      name === 'updated_at' ? world.updatedAt(position, counts.users) : undefined,
    recordAt: (position) => userAt(world, position),
  };
}

/** @see https://developer.zendesk.com/api-reference/ticketing/organizations/organizations/ */
export function seededOrganizations(world: SupportWorld): SeededRecords {
  const count = world.counts.organizations;
  return {
    count,
    positionOf: (id) => world.ids.organizations.positionOf(id),
    recordAt: (position) => {
      const hash = hash32(world.seed, position, 42);
      const id = world.ids.organizations.idAt(position);
      const name = `${pick(COMPANY_STARTS, hash)} ${pick(COMPANY_ENDS, hash >>> 8)}`;
      return {
        url: `${world.apiUrl}/organizations/${String(id)}.json`,
        id,
        name: `${name} ${String(position + 1)}`,
        shared_tickets: hash % 2 === 0,
        shared_comments: hash % 4 === 0,
        external_id: externalIdAt(position),
        created_at: isoTime(world.createdAt(position, count)),
        updated_at: isoTime(world.updatedAt(position, count)),
        domain_names: position % 4 === 3 ? [] : [`company${String(position)}.example.com`],
        details: hash % 3 === 0 ? pick(SENTENCES, hash >>> 4) : '',
        notes: hash % 5 === 0 ? pick(SENTENCES, hash >>> 6) : null,
        group_id: position % 2 === 0 ? groupIdOf(world, position) : null,
        tags: tagsFor(hash),
        organization_fields: {
          plan: pick(['free', 'team', 'enterprise'], hash),
          seats: hash % 500,
        },
        deleted_at: null,
      };
    },
  };
}

/** @see https://developer.zendesk.com/api-reference/ticketing/groups/groups/ */
export function seededGroups(world: SupportWorld): SeededRecords {
  const count = world.counts.groups;
  return {
    count,
    positionOf: (id) => world.ids.groups.positionOf(id),
    recordAt: (position) => {
      const id = world.ids.groups.idAt(position);
      const name = pick(GROUP_NAMES, position);
      return {
        url: `${world.apiUrl}/groups/${String(id)}.json`,
        id,
        is_public: position % 4 !== 2,
        name: position < GROUP_NAMES.length ? name : `${name} ${String(position)}`,
        description: position % 2 === 0 ? `Everything about ${name.toLowerCase()}` : '',
        default: position === 0,
        // The last group was deleted: it has no members, and lists leave it out on request.
        deleted: position === count - 1,
        created_at: isoTime(world.setUpAt(position)),
        updated_at: isoTime(world.setUpAt(position) + 3_600),
      };
    },
  };
}

/** @see https://developer.zendesk.com/api-reference/ticketing/groups/group_memberships/ */
export function seededGroupMemberships(world: SupportWorld): SeededRecords {
  const { agentCount, counts, ids } = world;
  return {
    count: counts.group_memberships,
    positionOf: (id) => ids.group_memberships.positionOf(id),
    recordAt: (position) => {
      // Every agent has a first group, and every other one a second.
      const isSecond = position >= agentCount;
      const agent = isSecond ? ((position - agentCount) * 2) % agentCount : position;
      const id = ids.group_memberships.idAt(position);
      return {
        url: `${world.apiUrl}/group_memberships/${String(id)}.json`,
        id,
        user_id: ids.users.idAt(agent),
        group_id: groupIdOf(world, isSecond ? agent + 1 : agent),
        default: !isSecond,
        created_at: isoTime(world.setUpAt(position)),
        updated_at: isoTime(world.setUpAt(position)),
      };
    },
  };
}

/** @see https://developer.zendesk.com/api-reference/ticketing/organizations/organization_memberships/ */
export function seededOrganizationMemberships(world: SupportWorld): SeededRecords {
  const { agentCount, counts, ids } = world;
  const organizations = seededOrganizations(world);
  return {
    count: counts.organization_memberships,
    positionOf: (id) => ids.organization_memberships.positionOf(id),
    recordAt: (position) => {
      const user = agentCount + Math.floor(position / 2) * 3 + (position % 2);
      const organizationId = organizationIdOf(world, user) ?? 0;
      const organization = ids.organizations.positionOf(organizationId) ?? 0;
      const id = ids.organization_memberships.idAt(position);
      const at = isoTime(world.createdAt(user, counts.users));
      return {
        url: `${world.apiUrl}/organization_memberships/${String(id)}.json`,
        id,
        user_id: ids.users.idAt(user),
        organization_id: organizationId,
        default: true,
        created_at: at,
        organization_name: organizations.recordAt(organization)['name'],
        updated_at: at,
        view_tickets: position % 2 === 0,
      };
    },
  };
}

/** None to three tags, selected by a hash. */
export function tagsFor(hash: number): readonly string[] {
  const count = hash % 4;
  const tags = Array.from({ length: count }, (_, nth) => pick(TAG_WORDS, (hash >>> 3) + nth * 5));
  return [...new Set(tags)];
}

function userAt(world: SupportWorld, position: number): ZendeskRecord {
  const { counts, ids } = world;
  const hash = hash32(world.seed, position, 43);
  const id = ids.users.idAt(position);
  const role = roleAt(world, position);
  const isAgent = role !== 'end-user';
  const { first, last } = namePartsOf(world, position);
  const handle = `${PLAIN_FIRST[first] ?? ''}.${PLAIN_LAST[last] ?? ''}${String(position)}`;
  const zone = pick(TIME_ZONES, hash >>> 2);
  const createdAt = world.createdAt(position, counts.users);
  // Users who first contacted the account by telephone have no email address.
  const hasEmail = isAgent || position % 11 !== 5;
  return {
    id,
    url: `${world.apiUrl}/users/${String(id)}.json`,
    name: `${FIRST_NAMES[first] ?? ''} ${LAST_NAMES[last] ?? ''}`,
    email: hasEmail ? `${handle}@example.com` : null,
    created_at: isoTime(createdAt),
    updated_at: isoTime(world.updatedAt(position, counts.users)),
    time_zone: zone,
    iana_time_zone: zone,
    phone: hasEmail && hash % 4 !== 0 ? null : `+31205550${String(100 + (position % 900))}`,
    shared_phone_number: hash % 4 === 0 ? false : null,
    photo: hash % 6 === 0 ? photoOf(world, id) : null,
    locale_id: 1,
    locale: hash % 9 === 0 ? 'de' : 'en-US',
    organization_id: organizationIdOf(world, position),
    role,
    verified: isAgent || hash % 3 !== 0,
    external_id: externalIdAt(position),
    tags: tagsFor(hash >>> 6),
    alias: isAgent ? (PLAIN_FIRST[first] ?? '') : '',
    active: position % 37 !== 20,
    shared: false,
    shared_agent: false,
    last_login_at: hash % 5 === 0 ? null : isoTime(createdAt + (hash % DAY_SECONDS)),
    two_factor_auth_enabled: isAgent ? hash % 2 === 0 : null,
    signature: isAgent ? `Kind regards,\n${FIRST_NAMES[first] ?? ''}` : null,
    details: hash % 7 === 0 ? pick(SENTENCES, hash >>> 5) : '',
    notes: hash % 8 === 0 ? pick(SENTENCES, hash >>> 7) : '',
    role_type: role === 'agent' ? 0 : role === 'admin' ? 4 : null,
    custom_role_id: isAgent ? ids.users.idAt(0) - 1 : null,
    moderator: isAgent,
    ticket_restriction: role === 'admin' ? null : role === 'agent' ? 'groups' : 'requested',
    only_private_comments: false,
    restricted_agent: role === 'agent',
    suspended: !isAgent && position % 53 === 30,
    default_group_id: isAgent ? groupIdOf(world, position) : null,
    report_csv: role === 'admin',
    chat_only: false,
    user_fields: { favourite_lantern: pick(['red', 'green', 'blue'], hash), points: hash % 1_000 },
    permanently_deleted: false,
  };
}

function photoOf(world: SupportWorld, userId: number): ZendeskRecord {
  const id = userId + 1_000_000;
  const contentUrl = `${world.siteUrl}/system/photos/${String(userId)}/portrait.png`;
  return {
    url: `${world.apiUrl}/attachments/${String(id)}.json`,
    id,
    file_name: 'portrait.png',
    content_url: contentUrl,
    mapped_content_url: contentUrl,
    content_type: 'image/png',
    size: 4_321,
    width: 80,
    height: 80,
    inline: false,
    deleted: false,
    thumbnails: [],
  };
}

function namePartsOf(world: SupportWorld, position: number) {
  const hash = hash32(world.seed, position, 41);
  return { first: hash % FIRST_NAMES.length, last: (hash >>> 8) % LAST_NAMES.length };
}

function lettersOf(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
}
