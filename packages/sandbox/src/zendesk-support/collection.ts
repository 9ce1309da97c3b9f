import type { Seconds } from './times.ts';
import { isoTime } from './times.ts';

/** A record as it is sent. */
export type ZendeskRecord = Readonly<Record<string, unknown>>;

/** What a list can be sorted by. */
export type SortKey = number | string;

/** Records that are made when they are asked for, each at its position. */
export interface SeededRecords {
  readonly count: number;
  recordAt(position: number): ZendeskRecord;
  /** Promises a position, perhaps beyond the last record; undefined for what no id can be. */
  positionOf(id: number): number | undefined;
  /** Promises what to sort by without making the record; undefined to look into the record. */
  sortKeyAt?(name: string, position: number): SortKey | undefined;
}

/** The names under which lists sort, where the record has another name for it. */
const SORTED_FIELDS: ReadonlyMap<string, string> = new Map([['alphabetical', 'title']]);
/** The fields of which a change shows in the first that a record has. */
const CHANGED_FIELDS = [
  'subject',
  'title',
  'name',
  'body',
  'file_name',
  'comment',
  'score',
  'display_name',
  'reason',
] as const;

/** Records as they stand: what the seed says, under what has changed since. */
export class Collection {
  readonly #seeded: SeededRecords;
  readonly #changed = new Map<number, ZendeskRecord>();
  /** When what is gone was removed. */
  readonly #removed = new Map<number, Seconds>();
  #added = 0;
  #revision = 0;

  constructor(seeded: SeededRecords) {
    this.#seeded = seeded;
  }

  /** How many positions there are, those of removed records included. */
  get end(): number {
    return this.#seeded.count + this.#added;
  }

  /** Whether every position still has its record. */
  get isWhole(): boolean {
    return this.#removed.size === 0;
  }

  /** A number that grows with every change. */
  get revision(): number {
    return this.#revision;
  }

  has(position: number): boolean {
    return position >= 0 && position < this.end && !this.#removed.has(position);
  }

  /** Promises when the record at a position was removed; undefined where it is still there. */
  removedAt(position: number): Seconds | undefined {
    return this.#removed.get(position);
  }

  /** Promises the position that an id stands for, with a record or without. */
  seededPositionOf(id: number): number | undefined {
    return this.#seeded.positionOf(id);
  }

  /** Promises the position of an existing record. */
  positionOf(id: number): number | undefined {
    const position = this.seededPositionOf(id);
    return position !== undefined && this.has(position) ? position : undefined;
  }

  recordAt(position: number): ZendeskRecord {
    return this.#changed.get(position) ?? this.#seeded.recordAt(position);
  }

  sortKeyAt(name: string, position: number): SortKey {
    const field = SORTED_FIELDS.get(name) ?? name;
    const changed = isTime(field) ? this.#changed.get(position) : undefined;
    const quick = changed === undefined ? this.#seeded.sortKeyAt?.(name, position) : undefined;
    if (quick !== undefined) return quick;
    const value = (changed ?? this.recordAt(position))[field];
    if (typeof value === 'number') return value;
    // Times are compared as numbers everywhere, so that quick keys and these agree.
    if (field.endsWith('_at')) return Date.parse(String(value)) / 1_000;
    return typeof value === 'string' ? value : '';
  }

  /** Adds a record at the end, made of the seed like the others, but new. */
  add(now: Seconds): void {
    const record = this.#seeded.recordAt(this.end);
    const times = { created_at: isoTime(now), ...changeTimes(record, now) };
    this.#changed.set(this.end, 'created_at' in record ? { ...record, ...times } : record);
    this.#added += 1;
    this.#revision += 1;
  }

  remove(position: number, now: Seconds): void {
    this.#removed.set(position, now);
    this.#revision += 1;
  }

  /** Changes a record so that it shows: its text, and when it was last changed. */
  change(position: number, now: Seconds): void {
    const record = this.recordAt(position);
    const field = CHANGED_FIELDS.find((name) => typeof record[name] === 'string');
    this.#changed.set(position, {
      ...record,
      ...(field === undefined ? {} : { [field]: `${String(record[field])} (changed)` }),
      ...changeTimes(record, now),
    });
    this.#revision += 1;
  }
}

function isTime(field: string): boolean {
  return field.endsWith('_at') || field === 'generated_timestamp';
}

/** What a record says of its last change. */
function changeTimes(record: ZendeskRecord, now: Seconds): ZendeskRecord {
  return {
    ...('updated_at' in record ? { updated_at: isoTime(now) } : {}),
    ...('generated_timestamp' in record ? { generated_timestamp: now } : {}),
  };
}
