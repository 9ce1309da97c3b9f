/** What every record that can be listed has. */
export interface ListedRecord {
  readonly id: string;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Where the seeded records of a collection come from. */
export interface SeededSource<Item extends ListedRecord> {
  readonly count: number;
  /** The record at any position, also beyond the seeded ones. */
  at(position: number): Item;
  createdAt(position: number): number;
  updatedAt(position: number): number;
  /** The position that an id encodes, perhaps beyond the last record; undefined if it is no id. */
  positionOf(id: string): number | undefined;
  /** The record with a visible change. */
  edited(item: Item): Item;
  /** The seeded record of a position as a new one, created at a time in seconds. */
  created(item: Item, at: number): Item;
}

/** How a record changes while its list is being paged. */
export type PagingChange = 'insert' | 'delete' | 'update';

/** A page of positions. */
export interface PositionPage {
  readonly positions: readonly number[];
  /** The first record after the page; undefined on the last one. */
  readonly next: number | undefined;
}

/**
 * Records in the order they were created, by position: the seeded ones, overlaid with what was
 * written since. A position is given out once; lists show the newest first.
 */
export class Collection<Item extends ListedRecord> {
  readonly #source: SeededSource<Item>;
  readonly #nowSeconds: () => number;
  readonly #onChange: () => void;
  readonly #changed = new Map<number, Item>();
  readonly #removed = new Set<number>();
  #end: number;

  constructor(source: SeededSource<Item>, nowSeconds: () => number, onChange: () => void) {
    this.#source = source;
    this.#nowSeconds = nowSeconds;
    this.#onChange = onChange;
    this.#end = source.count;
  }

  /** How many records there are now. */
  get total(): number {
    return this.#end - this.#removed.size;
  }

  /** The position after the last one. */
  get end(): number {
    return this.#end;
  }

  /** Says whether there is a record at a position. */
  has(position: number): boolean {
    return position < this.#end && !this.#removed.has(position);
  }

  /** The record at a position; only for positions that {@link has} one. */
  at(position: number): Item {
    return this.#changed.get(position) ?? this.#source.at(position);
  }

  createdAt(position: number): number {
    return this.#changed.get(position)?.created_at ?? this.#source.createdAt(position);
  }

  updatedAt(position: number): number {
    const changed = this.#changed.size === 0 ? undefined : this.#changed.get(position);
    return changed?.updated_at ?? this.#source.updatedAt(position);
  }

  /** The record with this id, if there is one. */
  find(id: string): Item | undefined {
    const position = this.positionOf(id);
    return position !== undefined && this.has(position) ? this.at(position) : undefined;
  }

  /** The position of an id, also when its record was removed; undefined for an unknown id. */
  positionOf(id: string): number | undefined {
    const position = this.#source.positionOf(id);
    if (position === undefined || position >= this.#end) return undefined;
    return this.#source.at(position).id === id ? position : undefined;
  }

  /** Up to `limit` positions of existing records from `start` on, towards older or newer ones. */
  page(start: number, limit: number, towards: 'older' | 'newer'): PositionPage {
    const step = towards === 'older' ? -1 : 1;
    const positions: number[] = [];
    for (let position = start; position >= 0 && position < this.#end; position += step) {
      if (this.#removed.has(position)) continue;
      if (positions.length === limit) return { positions, next: position };
      positions.push(position);
    }
    return { positions, next: undefined };
  }

  /** Adds a newest record, or deletes or edits the one at a position; done between two pages. */
  disturb(position: number, change: PagingChange): void {
    switch (change) {
      case 'insert':
        this.#insert();
        break;
      case 'delete':
        this.#removed.add(position);
        this.#changed.delete(position);
        break;
      case 'update':
        this.#edit(position);
        break;
    }
    this.#onChange();
  }

  #insert(): void {
    const position = this.#end;
    // The clock may be earlier than the seeded data's end; a new record must still be the newest.
    const newestAt = this.createdAt(position - 1);
    const at = Math.max(this.#nowSeconds(), newestAt);
    this.#changed.set(position, this.#source.created(this.#source.at(position), at));
    this.#end += 1;
  }

  #edit(position: number): void {
    const item = this.at(position);
    const updatedAt = Math.max(this.#nowSeconds(), item.updated_at);
    this.#changed.set(position, { ...this.#source.edited(item), updated_at: updatedAt });
  }
}
