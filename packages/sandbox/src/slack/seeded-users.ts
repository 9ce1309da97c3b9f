import { FIRST_NAMES, LAST_NAMES } from '../invented-names.ts';
import { hash32, pick } from '../seeded-random.ts';
import type { SlackProfile, SlackUser } from './records.ts';
import { toSeconds } from './timestamps.ts';
import { COLORS, STATUSES, TIME_ZONES, TITLES } from './words.ts';
import {
  APP_BOT_POSITION,
  FIRST_MEMBER_POSITION,
  OWNER_POSITION,
  SLACKBOT_POSITION,
} from './world.ts';
import type { World } from './world.ts';

const DAY_SECONDS = 86_400;

/** A name with the forms that are derived from it, made once because normalising is slow. */
interface NameForms {
  readonly name: string;
  readonly plain: string;
  readonly letters: string;
}

const FIRST_FORMS = FIRST_NAMES.map(formsOf);
const LAST_FORMS = LAST_NAMES.map(formsOf);
const NO_NAME = formsOf('');

interface Person {
  readonly handle: string;
  readonly first: string;
  readonly last: string;
  readonly real: string;
  /** The real name without marks. */
  readonly plain: string;
  readonly display: string;
}

/** The user at a position, the same one every time. */
export function seededUser(world: World, position: number): SlackUser {
  if (position === SLACKBOT_POSITION) return slackbot(world);
  if (isBot(world, position)) return bot(world, position);
  const hash = hash32(world.seed, position, 20);
  // By position, not by hash: the smallest workspace, too, has a deactivated user.
  return position % 23 === 6 ? deactivated(world, position) : member(world, position, hash);
}

/** Says whether the user at a position is a bot, without making the user. */
export function isBot(world: World, position: number): boolean {
  if (position === APP_BOT_POSITION) return true;
  // The first users have a direct message with the app, so they have to be people.
  const isBeyondIms = position >= FIRST_MEMBER_POSITION + world.imCount;
  return isBeyondIms && position % 41 === 9;
}

function member(world: World, position: number, hash: number): SlackUser {
  const person = personAt(world, position);
  const zone = pick(TIME_ZONES, hash >>> 3);
  const isOwner = position === OWNER_POSITION || (hash >>> 5) % 211 === 0;
  const isGuest = !isOwner && (hash >>> 7) % 17 === 0;
  const isInvited = !isOwner && !isGuest && (hash >>> 9) % 97 === 0;
  return {
    id: world.userId(position),
    team_id: world.teamId,
    name: person.handle,
    deleted: false,
    color: pick(COLORS, hash >>> 11),
    real_name: person.real,
    tz: zone.tz,
    tz_label: zone.label,
    tz_offset: zone.offset,
    profile: profileOf(world, position, person),
    is_admin: isOwner || (!isGuest && (hash >>> 13) % 53 === 0),
    is_owner: isOwner,
    is_primary_owner: position === OWNER_POSITION,
    is_restricted: isGuest,
    is_ultra_restricted: isGuest && (hash >>> 15) % 3 === 0,
    is_bot: false,
    is_app_user: false,
    ...(isInvited ? { is_invited_user: true } : {}),
    updated: updatedAt(world, hash),
    is_email_confirmed: !isInvited,
    has_2fa: (hash >>> 17) % 3 !== 0,
    who_can_share_contact_card: 'EVERYONE',
  };
}

function deactivated(world: World, position: number): SlackUser {
  const person = personAt(world, position);
  const hash = hash32(world.seed, position, 22);
  return {
    id: world.userId(position),
    team_id: world.teamId,
    name: person.handle,
    deleted: true,
    profile: profileOf(world, position, person),
    is_bot: false,
    is_app_user: false,
    ...(hash % 5 === 0 ? { is_forgotten: true } : {}),
    updated: updatedAt(world, hash),
  };
}

function bot(world: World, position: number): SlackUser {
  const isApp = position === APP_BOT_POSITION;
  const hash = hash32(world.seed, position, 23);
  const handle = isApp ? 'sandbox_app' : `helper_bot_${String(position)}`;
  const real = isApp ? 'Sandbox App' : `Helper Bot ${String(position)}`;
  const profile = profileOf(world, position, {
    handle,
    first: real,
    last: '',
    real,
    plain: real,
    display: '',
  });
  const { email: _email, ...withoutEmail } = profile;
  return {
    ...member(world, position, hash),
    name: handle,
    real_name: real,
    tz: 'America/Los_Angeles',
    tz_label: 'Pacific Standard Time',
    tz_offset: -28_800,
    profile: {
      ...withoutEmail,
      title: '',
      phone: '',
      fields: null,
      always_active: true,
      api_app_id: isApp ? world.appId : `A0SANDBOX${String(position % 97)}`,
      bot_id: isApp ? world.botId : `B0SANDBOX${String(position)}`,
    },
    is_admin: false,
    is_owner: false,
    is_primary_owner: false,
    is_restricted: false,
    is_ultra_restricted: false,
    is_bot: true,
    is_email_confirmed: false,
    has_2fa: false,
  };
}

function slackbot(world: World): SlackUser {
  const person = {
    handle: 'slackbot',
    first: 'slackbot',
    last: '',
    real: 'Slackbot',
    plain: 'Slackbot',
    display: 'Slackbot',
  };
  const { email: _email, ...profile } = profileOf(world, SLACKBOT_POSITION, person);
  const { has_2fa: _has2fa, ...shared } = member(world, SLACKBOT_POSITION, 1);
  return {
    ...shared,
    id: 'USLACKBOT',
    name: 'slackbot',
    color: '757575',
    real_name: 'Slackbot',
    tz: 'America/Los_Angeles',
    tz_label: 'Pacific Standard Time',
    tz_offset: -28_800,
    profile: { ...profile, title: '', phone: '', always_active: true },
    is_admin: false,
    is_owner: false,
    is_restricted: false,
    is_ultra_restricted: false,
    updated: 0,
    is_email_confirmed: false,
  };
}

function personAt(world: World, position: number): Person {
  const hash = hash32(world.seed, position, 24);
  const first = FIRST_FORMS[hash % FIRST_FORMS.length] ?? NO_NAME;
  const last = LAST_FORMS[(hash >>> 8) % LAST_FORMS.length] ?? NO_NAME;
  return {
    handle: `${first.letters}.${last.letters}${String(position)}`,
    first: first.name,
    last: last.name,
    real: `${first.name} ${last.name}`,
    plain: `${first.plain} ${last.plain}`,
    display: displayNames(first.name)[(hash >>> 16) % 9] ?? first.name,
  };
}

/** Display names other than the first name: two in nine are empty, one in nine has an emoji. */
function displayNames(first: string): readonly string[] {
  return ['', '', `${first} 🦊`];
}

function profileOf(world: World, position: number, person: Person): SlackProfile {
  const hash = hash32(world.seed, position, 25);
  const status = pick(STATUSES, hash);
  const avatar = hash32(world.seed, position, 26).toString(16).padStart(12, '0');
  const { display } = person;
  const image = (size: number) => `https://avatars.example.com/${avatar}_${String(size)}.png`;
  return {
    title: pick(TITLES, hash >>> 4),
    phone: hash % 3 === 0 ? `+31 20 555 ${String(1_000 + (position % 9_000))}` : '',
    skype: '',
    real_name: person.real,
    real_name_normalized: person.plain,
    display_name: display,
    display_name_normalized: display === person.first ? firstWord(person.plain) : display,
    fields: hash % 7 === 0 ? { Xf0SANDBOX1: { value: 'Team lantern', alt: '' } } : {},
    status_text: status.text,
    status_emoji: status.emoji,
    status_emoji_display_info:
      status.emoji === ''
        ? []
        : [
            {
              emoji_name: status.emoji.slice(1, -1),
              display_url: 'https://emoji.example.com/1.png',
              unicode: '1f4c5',
            },
          ],
    status_expiration: status.emoji === ':calendar:' ? toSeconds(world.endsAt) : 0,
    avatar_hash: avatar,
    ...(hash % 2 === 0
      ? { image_original: image(0), is_custom_image: true, image_1024: image(1_024) }
      : {}),
    huddle_state: 'default_unset',
    huddle_state_expiration_ts: 0,
    email: `${person.handle}@example.com`,
    first_name: person.first,
    last_name: person.last,
    image_24: image(24),
    image_32: image(32),
    image_48: image(48),
    image_72: image(72),
    image_192: image(192),
    image_512: image(512),
    status_text_canonical: '',
    team: world.teamId,
  };
}

function updatedAt(world: World, hash: number): number {
  return toSeconds(world.endsAt) - (hash % (700 * DAY_SECONDS));
}

function firstWord(text: string): string {
  const space = text.indexOf(' ');
  return space === -1 ? text : text.slice(0, space);
}

function formsOf(name: string): NameForms {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  return { name, plain, letters: plain.toLowerCase().replaceAll(/[^a-z]/g, '') };
}
