import type { ZendeskRecord } from '../zendesk-support/collection.ts';

/** Where an item stands in an export: by time, and among those of one time by id. */
export interface ExportPlace {
  readonly time: number;
  readonly id: string;
}

/** Seeded items, in the order of their places. */
export interface SeededItems {
  readonly count: number;
  placeAt(position: number): ExportPlace;
  recordAt(position: number): ZendeskRecord;
  /** The record after a change at a time. */
  changed(record: ZendeskRecord, time: number): ZendeskRecord;
  /** The record as one that was created at a time. */
  added(record: ZendeskRecord, time: number): ZendeskRecord;
  /** What an export gives for a record deleted at a time; exports without this just lose it. */
  deleted?(record: ZendeskRecord, time: number): ZendeskRecord;
  /** Whether a change moves an item to the end, or leaves it where it is. */
  readonly movesWhenChanged: boolean;
}

interface LateItem extends ExportPlace {
  readonly record: ZendeskRecord;
}

/** A page of items. */
export interface ExportPage {
  readonly items: readonly ExportItem[];
  /** The first item of the next page; undefined when there is none yet. */
  readonly next: ExportItem | undefined;
}

/** An item by its position among the seeded ones, or by its number among those that came later. */
export interface ExportItem {
  readonly position: number;
  readonly isLate: boolean;
}

/** Items sorted by the time of their last change, so that an item that changes moves to the end. */
export class ExportLog {
  readonly #seeded: SeededItems;
  readonly #gone = new Set<number>();
  readonly #changed = new Map<number, ZendeskRecord>();
  readonly #late: (LateItem | undefined)[] = [];
  #added = 0;

  constructor(seeded: SeededItems) {
    this.#seeded = seeded;
  }

  /** Up to `limit` items from a time on; with an id, those after the item of that time and id. */
  page(time: number, afterId: string | undefined, limit: number): ExportPage {
    const items: ExportItem[] = [];
    for (const item of this.#itemsFrom(time, afterId)) {
      if (items.length === limit) return { items, next: item };
      items.push(item);
    }
    return { items, next: undefined };
  }

  placeOf({ position, isLate }: ExportItem): ExportPlace {
    const late = isLate ? this.#late[position] : undefined;
    return late ?? this.#seeded.placeAt(position);
  }

  recordOf({ position, isLate }: ExportItem): ZendeskRecord {
    if (isLate) return this.#late[position]?.record ?? {};
    return this.#changed.get(position) ?? this.#seeded.recordAt(position);
  }

  /** Adds a new item at a time behind all others. */
  add(time: number): void {
    const position = this.#seeded.count + this.#added;
    this.#added += 1;
    const record = this.#seeded.added(this.#seeded.recordAt(position), time);
    this.#late.push({ time, id: this.#seeded.placeAt(position).id, record });
  }

  /** Deletes an item at a time behind all others. */
  remove(item: ExportItem, time: number): void {
    const { id } = this.placeOf(item);
    const record = this.#seeded.deleted?.(this.recordOf(item), time);
    this.#leave(item);
    if (record !== undefined) this.#late.push({ time, id, record });
  }

  /** Changes an item, at a time behind all others. */
  change(item: ExportItem, time: number): void {
    const record = this.#seeded.changed(this.recordOf(item), time);
    if (!this.#seeded.movesWhenChanged && !item.isLate) {
      this.#changed.set(item.position, record);
      return;
    }
    const { id } = this.placeOf(item);
    this.#leave(item);
    this.#late.push({ time, id, record });
  }

  /** The current record at a position, marked if it was deleted; undefined if there is none. */
  recordAt(position: number): ZendeskRecord | undefined {
    const { id } = this.#seeded.placeAt(position);
    const late = this.#late.findLast((item) => item?.id === id);
    if (late !== undefined) return late.record;
    const isThere = position < this.#seeded.count && !this.#gone.has(position);
    return isThere ? this.recordOf({ position, isLate: false }) : undefined;
  }

  #leave({ position, isLate }: ExportItem): void {
    if (isLate) this.#late[position] = undefined;
    else this.#gone.add(position);
  }

  *#itemsFrom(time: number, afterId: string | undefined): Generator<ExportItem> {
    const isBefore = (place: ExportPlace) =>
      place.time < time || (place.time === time && afterId !== undefined && place.id <= afterId);
    let low = 0;
    let high = this.#seeded.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(this.#seeded.placeAt(middle))) low = middle + 1;
      else high = middle;
    }
    for (let position = low; position < this.#seeded.count; position += 1) {
      if (!this.#gone.has(position)) yield { position, isLate: false };
    }
    for (const [position, late] of this.#late.entries()) {
      if (late !== undefined && !isBefore(late)) yield { position, isLate: true };
    }
  }
}
