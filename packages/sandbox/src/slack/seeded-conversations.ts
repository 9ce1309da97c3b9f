import { hash32, pick } from '../seeded-random.ts';
import type { SlackChannel, SlackConversation, SlackHeadline, SlackIm } from './records.ts';
import { seededUser } from './seeded-users.ts';
import { toSeconds } from './timestamps.ts';
import type { Micros } from './timestamps.ts';
import { SUBJECT_WORDS, TOPIC_WORDS } from './words.ts';
import { FIRST_MEMBER_POSITION, OWNER_POSITION } from './world.ts';
import type { ConversationKind, World } from './world.ts';

const DAY_SECONDS = 86_400;
const MICROS_PER_SECOND = 1_000_000;
/** The longest time for which seeded channels have existed when the data ends. */
const OLDEST_DAYS = 900;
const YOUNGEST_DAYS = 300;
const MAX_GENERAL_MESSAGES = 2_000_000;

/** The names of the first public channels; all other names end in the channel's position. */
const NAMED_CHANNELS = [
  'general',
  'random',
  'announcements',
  'help-desk',
  'smørrebrød-クラブ',
  'long-threads_and-quiet-evenings',
] as const;
export const GENERAL_POSITION = 0;

const NO_HEADLINE: SlackHeadline = { value: '', creator: '', last_set: 0 };

/** A seeded conversation without its record: who is in it and how many messages it has. */
export interface SeededConversation {
  readonly position: number;
  readonly kind: ConversationKind;
  readonly createdSeconds: number;
  /** How many seeded users are members, not counting the app's bot. */
  readonly memberCount: number;
  readonly isAppMember: boolean;
  /** How many messages it has, not counting replies. */
  readonly messageCount: number;
}

/** The outline of a seeded conversation, the same one every time. */
export function seededConversation(world: World, position: number): SeededConversation {
  const kind = world.seededKind(position) ?? 'public_channel';
  const hash = hash32(world.seed, position, 40);
  const ageDays = YOUNGEST_DAYS + (hash % (OLDEST_DAYS - YOUNGEST_DAYS));
  const isGeneral = position === GENERAL_POSITION;
  return {
    position,
    kind,
    createdSeconds:
      toSeconds(world.endsAt) -
      (isGeneral ? OLDEST_DAYS : ageDays) * DAY_SECONDS -
      ((hash >>> 10) % DAY_SECONDS),
    memberCount: memberCount(world, position, kind),
    // By position, not by hash: the smallest workspace, too, has channels without the app.
    isAppMember: kind !== 'public_channel' || position % 5 !== 4,
    messageCount: messageCount(world, position, kind),
  };
}

/** The record of a seeded conversation as it is before anyone has written to it. */
export function seededRecord(world: World, seeded: SeededConversation): SlackConversation {
  return seeded.kind === 'im' ? imRecord(world, seeded) : channelRecord(world, seeded);
}

/** The user position of the nth seeded member, counted from 0; the creator is the first. */
export function memberPosition(world: World, seeded: SeededConversation, nth: number): number {
  if (seeded.position === GENERAL_POSITION) {
    return nth === 0 ? OWNER_POSITION : nth + FIRST_MEMBER_POSITION - 1;
  }
  if (seeded.kind === 'im') return FIRST_MEMBER_POSITION + world.positionInKind(seeded.position);
  const ordinary = world.userCount - FIRST_MEMBER_POSITION;
  return FIRST_MEMBER_POSITION + ((firstMember(world, seeded) + nth) % ordinary);
}

/** The index at which {@link memberPosition} gives a user; undefined for one who is no member. */
export function memberIndex(
  world: World,
  seeded: SeededConversation,
  userPosition: number,
): number | undefined {
  if (userPosition >= world.userCount) return undefined;
  if (userPosition < FIRST_MEMBER_POSITION) {
    const isOwnerOfAll = seeded.position === GENERAL_POSITION && userPosition === OWNER_POSITION;
    return isOwnerOfAll ? 0 : undefined;
  }
  const offset = userPosition - FIRST_MEMBER_POSITION;
  if (seeded.position === GENERAL_POSITION) return offset + 1;
  if (seeded.kind === 'im') {
    return offset === world.positionInKind(seeded.position) ? 0 : undefined;
  }
  const ordinary = world.userCount - FIRST_MEMBER_POSITION;
  const index = (offset - firstMember(world, seeded) + ordinary) % ordinary;
  return index < seeded.memberCount ? index : undefined;
}

/** The position of the seeded channel that had this name at first; undefined for no such name. */
export function positionOfSeededName(world: World, name: string): number | undefined {
  const named = NAMED_CHANNELS.findIndex((known) => known === name);
  if (named !== -1) return named;
  const position = Number(/-(\d{1,7})$/.exec(name)?.[1] ?? Number.NaN);
  if (!(position < world.conversationCount)) return undefined;
  const kind = world.seededKind(position);
  const isNamed = kind === 'public_channel' || kind === 'private_channel';
  return isNamed && seededName(world, position) === name ? position : undefined;
}

/** The position of the app's seeded direct message with a user; undefined if there is none. */
export function seededImPosition(world: World, userPosition: number): number | undefined {
  const offset = userPosition - FIRST_MEMBER_POSITION;
  const range = world.ranges.find(({ kind }) => kind === 'im');
  return range !== undefined && offset >= 0 && offset < world.imCount
    ? range.start + offset
    : undefined;
}

/** The time from which on a conversation has seeded messages. */
export function messagesBeginAt(seeded: SeededConversation): Micros {
  return (seeded.createdSeconds + 60) * MICROS_PER_SECOND;
}

function channelRecord(world: World, seeded: SeededConversation): SlackChannel {
  const { position, kind, createdSeconds } = seeded;
  const hash = hash32(world.seed, position, 42);
  const id = world.conversationId(position, kind);
  const isMpim = kind === 'mpim';
  const name = isMpim ? groupName(world, seeded) : seededName(world, position);
  const creator = world.userId(memberPosition(world, seeded, 0));
  const isArchived = !isMpim && position % 9 === 6;
  const isOldGroup = id.startsWith('G');
  return {
    id,
    name,
    is_channel: !isOldGroup && !isMpim,
    is_group: isOldGroup && !isMpim,
    is_im: false,
    is_mpim: isMpim,
    is_private: kind !== 'public_channel',
    created: createdSeconds,
    is_archived: isArchived,
    is_general: position === GENERAL_POSITION,
    unlinked: 0,
    name_normalized: name.normalize('NFKC'),
    is_shared: false,
    is_frozen: false,
    is_org_shared: false,
    is_pending_ext_shared: false,
    pending_shared: [],
    context_team_id: world.teamId,
    updated: (createdSeconds + (hash % DAY_SECONDS)) * 1_000 + (hash % 1_000),
    parent_conversation: null,
    creator,
    is_ext_shared: false,
    shared_team_ids: [world.teamId],
    pending_connected_team_ids: [],
    // Of group messages, whose object on Slack's page has none, only some have it here.
    ...(isMpim && hash % 2 === 0 ? {} : { is_member: seeded.isAppMember }),
    topic:
      hash % 3 === 0
        ? { value: `All about ${name} 🧭`, creator, last_set: createdSeconds + 120 }
        : NO_HEADLINE,
    purpose: isMpim
      ? { value: `Group messaging with: ${name}`, creator, last_set: createdSeconds }
      : hash % 4 === 0
        ? { value: `To talk about "${name}" & friends.`, creator, last_set: createdSeconds + 60 }
        : NO_HEADLINE,
    ...(isMpim ? {} : { properties: propertiesOf(hash) }),
    previous_names: hash % 11 === 0 && !isMpim ? [`old-${name}`.slice(0, 80)] : [],
    ...(hash % 37 === 0 ? { is_thread_only: true } : {}),
  };
}

function imRecord(world: World, seeded: SeededConversation): SlackIm {
  const userPosition = memberPosition(world, seeded, 0);
  const hash = hash32(world.seed, seeded.position, 43);
  return {
    id: world.conversationId(seeded.position, 'im'),
    created: seeded.createdSeconds,
    is_archived: false,
    is_im: true,
    is_org_shared: false,
    context_team_id: world.teamId,
    updated: seeded.createdSeconds * 1_000 + (hash % 1_000),
    user: world.userId(userPosition),
    is_user_deleted: seededUser(world, userPosition).deleted,
    priority: 0,
  };
}

function propertiesOf(hash: number): Readonly<Record<string, unknown>> {
  return {
    tabs: [
      { id: 'bookmarks', label: '', type: 'bookmarks' },
      { id: 'files', label: '', type: 'files' },
    ],
    ...(hash % 5 === 0
      ? { posting_restricted_to: { type: ['ra'], user: [] }, is_dormant: false }
      : {}),
  };
}

function seededName(world: World, position: number): string {
  const own = NAMED_CHANNELS[position];
  if (own !== undefined) return own;
  const hash = hash32(world.seed, position, 44);
  const subject = pick(SUBJECT_WORDS, hash);
  const isPrivate = world.seededKind(position) === 'private_channel';
  const topic = isPrivate ? 'private' : pick(TOPIC_WORDS, hash >>> 8);
  return `${topic}-${subject}-${String(position)}`;
}

function groupName(world: World, seeded: SeededConversation): string {
  const names = Array.from(
    { length: seeded.memberCount },
    (_, nth) => seededUser(world, memberPosition(world, seeded, nth)).name,
  );
  return `mpdm-${names.join('--')}-1`;
}

function memberCount(world: World, position: number, kind: ConversationKind): number {
  if (position === GENERAL_POSITION) return world.userCount - FIRST_MEMBER_POSITION + 1;
  const hash = hash32(world.seed, position, 45);
  const ordinary = world.userCount - FIRST_MEMBER_POSITION;
  switch (kind) {
    case 'im':
      return 1;
    case 'mpim':
      return 2 + (hash % 4);
    case 'public_channel':
    case 'private_channel':
      return 2 + (hash % Math.min(ordinary - 2, 400));
  }
}

function messageCount(world: World, position: number, kind: ConversationKind): number {
  const hash = hash32(world.seed, position, 46);
  if (position === GENERAL_POSITION) {
    return Math.min(MAX_GENERAL_MESSAGES, Math.max(320, world.userCount * 2));
  }
  switch (kind) {
    case 'public_channel':
      if (position === 1) return Math.min(MAX_GENERAL_MESSAGES / 2, Math.max(160, world.userCount));
      return hash % 10 === 0 ? 0 : 1 + (hash % 90);
    case 'private_channel':
      return 1 + (hash % 60);
    case 'mpim':
    case 'im':
      return hash % 25;
  }
}

function firstMember(world: World, { position }: SeededConversation): number {
  return hash32(world.seed, position, 47) % (world.userCount - FIRST_MEMBER_POSITION);
}
