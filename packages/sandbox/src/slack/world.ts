import { hash32, scramble32, unscramble32 } from '../seeded-random.ts';
import type { Micros } from './timestamps.ts';

/** What the seeded workspace is a function of: the same options give the same records. */
export interface WorldOptions {
  readonly seed: number;
  readonly scale: number;
  /** Milliseconds since 1970. */
  readonly dataEndsAt: number;
  readonly team?: Team;
}

/** What a workspace is called. */
export interface Team {
  readonly name: string;
  readonly domain: string;
}

/** The kinds of conversation, by the names that the `types` parameter uses. */
export const CONVERSATION_KINDS = ['public_channel', 'private_channel', 'mpim', 'im'] as const;

/** The kind of a conversation. */
export type ConversationKind = (typeof CONVERSATION_KINDS)[number];

/** A run of seeded conversations of one kind: positions from `start` up to but without `end`. */
export interface ConversationRange {
  readonly kind: ConversationKind;
  readonly start: number;
  readonly end: number;
}

/** The fixed positions among the users. */
export const OWNER_POSITION = 0;
export const SLACKBOT_POSITION = 1;
export const APP_BOT_POSITION = 2;
/** From here on users are ordinary. */
export const FIRST_MEMBER_POSITION = 3;

const ID_DIGITS = 7;
const ID_TAIL = /^[0-9A-Z]{7}$/;
const IM_SALT = 0x6d;

/** What is fixed before any record is made: counts, ids and the end of the seeded time. */
export class World {
  readonly seed: number;
  readonly userCount: number;
  readonly ranges: readonly ConversationRange[];
  readonly conversationCount: number;
  /** How many ordinary users have a direct message with the app: the first ones. */
  readonly imCount: number;
  readonly team: Team;
  readonly teamId: string;
  readonly appId: string;
  readonly botId: string;
  readonly endsAt: Micros;
  readonly #infix: string;

  constructor({ seed, scale, dataEndsAt, team }: WorldOptions) {
    this.seed = seed;
    this.team = team ?? { name: 'Sandbox Workspace', domain: 'sandbox' };
    this.userCount = scale;
    this.endsAt = dataEndsAt * 1_000;
    this.#infix = hash32(seed, 0, 1).toString(36).toUpperCase().padStart(2, '0').slice(-2);
    this.teamId = this.#id('T0', 0, 2);
    this.appId = this.#id('A0', 0, 3);
    this.botId = this.#id('B0', 0, 4);
    const ordinary = scale - FIRST_MEMBER_POSITION;
    const publicCount = Math.min(50_000, Math.max(12, Math.round(scale / 8)));
    this.imCount = Math.min(ordinary, 20_000, Math.max(5, Math.round(scale / 10)));
    const counts = {
      public_channel: publicCount,
      private_channel: Math.max(4, Math.round(publicCount / 4)),
      mpim: Math.max(3, Math.round(publicCount / 8)),
      im: this.imCount,
    } satisfies Record<ConversationKind, number>;
    let start = 0;
    this.ranges = CONVERSATION_KINDS.map((kind) => {
      const range = { kind, start, end: start + counts[kind] };
      start = range.end;
      return range;
    });
    this.conversationCount = start;
  }

  /** The id of the user at a position; {@link userPosition} undoes it. */
  userId(position: number): string {
    if (position === SLACKBOT_POSITION) return 'USLACKBOT';
    return this.#id('U0', position, 5);
  }

  /** The position of a user id, perhaps beyond the last user; undefined if it is no user id. */
  userPosition(id: string): number | undefined {
    if (id === 'USLACKBOT') return SLACKBOT_POSITION;
    const position = this.#position('U0', id, 5);
    return position === SLACKBOT_POSITION ? undefined : position;
  }

  /** The id of the conversation at a position, with the letter of its kind. */
  conversationId(position: number, kind: ConversationKind): string {
    return this.#id(conversationPrefix(position, kind), position, IM_SALT);
  }

  /** The position of a conversation id, perhaps beyond the last one; undefined if it is no id. */
  conversationPosition(id: string): number | undefined {
    return this.#position(id.slice(0, 2), id, IM_SALT);
  }

  /** The kind of the seeded conversation at a position; undefined beyond the last one. */
  seededKind(position: number): ConversationKind | undefined {
    return this.ranges.find((range) => position < range.end)?.kind;
  }

  /** The number, from 0, of a seeded conversation among those of its kind. */
  positionInKind(position: number): number {
    return position - (this.ranges.find((range) => position < range.end)?.start ?? 0);
  }

  #id(prefix: string, position: number, purpose: number): string {
    const scrambled = scramble32(position, hash32(this.seed, 0, purpose));
    const tail = scrambled.toString(36).toUpperCase().padStart(ID_DIGITS, '0');
    return `${prefix}${this.#infix}${tail}`;
  }

  #position(prefix: string, id: string, purpose: number): number | undefined {
    const head = `${prefix}${this.#infix}`;
    const tail = id.slice(head.length);
    if (!id.startsWith(head) || !ID_TAIL.test(tail)) return undefined;
    const scrambled = Number.parseInt(tail, 36);
    if (scrambled > 0xffff_ffff) return undefined;
    return unscramble32(scrambled, hash32(this.seed, 0, purpose));
  }
}

/** Old private channels and group messages have ids with G, newer ones with C, as in Slack. */
function conversationPrefix(position: number, kind: ConversationKind): 'C0' | 'D0' | 'G0' {
  switch (kind) {
    case 'im':
      return 'D0';
    case 'public_channel':
      return 'C0';
    case 'private_channel':
    case 'mpim':
      return position % 3 === 0 ? 'G0' : 'C0';
  }
}
