import { hash32, scramble32, unscramble32 } from '../seeded-random.ts';

/** What the seeded workspace is a function of: the same options give the same records. */
export interface WorldOptions {
  readonly seed: number;
  readonly scale: number;
  /** Milliseconds since 1970. */
  readonly dataEndsAt: number;
  readonly name?: string;
}

/** What keeps the ids and times of one kind of record apart from those of another. */
export type Salt = number;

export const CONTACT_SALT: Salt = 0x100;
export const COMPANY_SALT: Salt = 0x200;
export const CONVERSATION_SALT: Salt = 0x300;
export const SEGMENT_SALT: Salt = 0x400;
export const NOTE_SALT: Salt = 0x500;

const DAY_SECONDS = 86_400;
const HISTORY_SECONDS = 5 * 365 * DAY_SECONDS;
/** Records that were imported together have one creation time. */
const IMPORT_SIZE = 16;
const OBJECT_ID = /^[0-9a-f]{24}$/;

/** What is fixed before any record is made: counts, ids, and when records came and changed. */
export class World {
  readonly seed: number;
  readonly contactCount: number;
  readonly conversationCount: number;
  readonly companyCount: number;
  readonly adminCount: number;
  readonly name: string;
  readonly workspaceId: string;
  /** Seconds since 1970; every seeded time is earlier. */
  readonly endsAt: number;
  /** When a bulk update gave one record in twelve the same `updated_at`. */
  readonly bulkUpdateAt: number;
  /** Ids of conversations are numbers from here on. */
  readonly firstConversationId: number;

  constructor({ seed, scale, dataEndsAt, name = 'Sandbox workspace' }: WorldOptions) {
    this.seed = seed;
    this.name = name;
    this.contactCount = scale;
    this.conversationCount = Math.max(12, Math.round(scale / 2));
    this.companyCount = Math.min(50_000, Math.max(8, Math.round(scale / 5)));
    this.adminCount = Math.min(60, Math.max(6, Math.round(scale / 40)));
    this.workspaceId = hash32(seed, 0, 1).toString(36).padStart(8, 'w').slice(-8);
    this.endsAt = Math.floor(dataEndsAt / 1_000);
    this.bulkUpdateAt = this.endsAt - 10 * DAY_SECONDS;
    this.firstConversationId = 215_000_000_000_000 + (hash32(seed, 0, 2) % 1_000_000_000) * 1_000;
  }

  /** When a record was created, in seconds; never earlier than the one at the position before. */
  createdAt(position: number, count: number): number {
    const isImported = Math.floor(position / IMPORT_SIZE) % 5 === 1;
    const anchor = isImported ? position - (position % IMPORT_SIZE) : position;
    const startsAt = this.endsAt - HISTORY_SECONDS;
    return startsAt + Math.floor((anchor / count) * (HISTORY_SECONDS - DAY_SECONDS));
  }

  /** When a record was last changed, in seconds; many share the time of a bulk update. */
  updatedAt(position: number, createdAt: number, salt: Salt): number {
    const hash = hash32(this.seed, position, salt + 1);
    if (hash % 12 === 0 && createdAt < this.bulkUpdateAt) return this.bulkUpdateAt;
    return createdAt + ((hash >>> 4) % Math.max(1, this.endsAt - createdAt));
  }

  /** The id of a record, as Intercom's databases make them: time, machine, counter. */
  objectId(position: number, createdAt: number, salt: Salt): string {
    const counter = scramble32(position, hash32(this.seed, 0, salt + 3));
    return `${hex8(createdAt)}${hex8(hash32(this.seed, 0, salt + 2))}${hex8(counter)}`;
  }

  /** The position in an id of {@link objectId}, perhaps beyond the last record. */
  objectPosition(id: string, salt: Salt): number | undefined {
    if (!OBJECT_ID.test(id)) return undefined;
    if (id.slice(8, 16) !== hex8(hash32(this.seed, 0, salt + 2))) return undefined;
    return unscramble32(Number.parseInt(id.slice(16), 16), hash32(this.seed, 0, salt + 3));
  }

  contactId(position: number): string {
    const createdAt = this.createdAt(position, this.contactCount);
    return this.objectId(position, createdAt, CONTACT_SALT);
  }

  companyId(position: number): string {
    const createdAt = this.createdAt(position, this.companyCount);
    return this.objectId(position, createdAt, COMPANY_SALT);
  }

  /** The id of an admin as a number; Intercom gives the same id as text in other places. */
  adminNumber(position: number): number {
    return 5_000_000 + (hash32(this.seed, 0, 4) % 1_000_000) + position;
  }

  teamNumber(position: number): number {
    return 7_000_000 + (hash32(this.seed, 0, 5) % 1_000_000) + position;
  }

  tagId(position: number): string {
    return String(9_000_000 + (hash32(this.seed, 0, 6) % 1_000_000) + position);
  }
}

function hex8(value: number): string {
  return value.toString(16).padStart(8, '0');
}
