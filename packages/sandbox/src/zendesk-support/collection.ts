import type { Seconds } from './times.ts';
import { isoTime } from './times.ts';

/** A record as it is sent. */
export type ZendeskRecord = Readonly<Record<string, unknown>>;

/** What a list can be sorted by. */
export type SortKey = number | string;

/** Records that are not stored but made from their positions when they are asked for. */
export interface SeededRecords {
  readonly count: number;
  recordAt(position: number): ZendeskRecord;
  /** The position of an id, perhaps beyond the last record; undefined for an impossible id. */
  positionOf(id: number): number | undefined;
  /** The key to sort by, without making the record; undefined where only the record has it. */
  sortKeyAt?(name: string, position: number): SortKey | undefined;
}

/** The names under which lists sort, where the record has another name for it. */
const SORTED_FIELDS: ReadonlyMap<string, string> = new Map([['alphabetical', 'title']]);
/** A change of a record goes into the first of these fields that the record has as text. */
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

/** The current state of a list: the seeded records, overlaid with later changes. */
export class Collection {
  readonly #seeded: SeededRecords;
  readonly #changed = new Map<number, ZendeskRecord>();
  /** When each removed record was removed. */
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

  /** When the record at a position was removed; undefined where it is still there. */
  removedAt(position: number): Seconds | undefined {
    return this.#removed.get(position);
  }

  /** The position that an id stands for, whether there is a record at it or not. */
  seededPositionOf(id: number): number | undefined {
    return this.#seeded.positionOf(id);
  }

  /** The position of the record with this id, if it exists. */
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

  /** Adds a record at the end, made from the seed like the others but created now. */
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

  /** Changes a text field of a record and its time of last change. */
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

/** The fields in which a record gives the time of its last change, with a new time. */
function changeTimes(record: ZendeskRecord, now: Seconds): ZendeskRecord {
  return {
    ...('updated_at' in record ? { updated_at: isoTime(now) } : {}),
    ...('generated_timestamp' in record ? { generated_timestamp: now } : {}),
  };
}
