import type { Counts, Filter, Search } from '@patchbay/connectors/engine';

/** The copy of one searchable entity of one connector. */
export interface CopyId {
  readonly connectorId: string;
  readonly kind: string;
  readonly entity: string;
}

/** A record as the copy holds it. */
export interface CopyRecord {
  /** The record key as text; unique within the copy. */
  readonly key: string;
  /** Searchable fields by name, of their searchable type or null; absent ones count as null. */
  readonly values: Readonly<Record<string, unknown>>;
}

export interface SearchHit {
  readonly id: string;
  readonly score: number;
  /** JSON text of the object that goes out, its keys in the order of the reference. */
  readonly data: string;
  /**
   * When what the copy has of it was read, no later than it was, or written by a write of ours; the database's
   * clock. There where the search asks for it.
   */
  readonly syncedAt?: Date;
}

/** A path below an object or array field, as records of a copy have it. */
export interface ObservedPath {
  /** From the field on; `[]` stands for the elements of an array. */
  readonly segments: readonly string[];
  readonly types: readonly JsonType[];
  /** About how many records have it. */
  readonly records: number;
}

/** A number without a fraction is an `integer`. */
export type JsonType = 'null' | 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array';

/** Hits, and what was asked to be counted of all that match. */
export interface SearchPage extends Counts {
  readonly hits: readonly SearchHit[];
  /** `null` on the last page. */
  readonly nextCursor: string | null;
  /** The search was given up before the page was full, and goes on at the cursor. */
  readonly isPartial: boolean;
}

/** What ends a search, and who waits for it. */
export interface SearchOptions {
  /** Aborts where nobody waits for its hits any more, whatever has been found. */
  readonly signal?: AbortSignal;
  readonly time?: SearchTime;
  /** For so many milliseconds it goes before long searches. Default: 250. */
  readonly quickMs?: number;
  /** Called when it goes behind others, for having had the database for so long. */
  readonly onLong?: () => void;
  /** How many records the copy has, roughly: how they are best found depends on it. Default: a million. */
  readonly recordCount?: number;
}

/** How long a search may look for hits. */
export interface SearchTime {
  readonly timeoutMs: number;
  /** Aborts once they have passed. */
  readonly signal: AbortSignal;
}

/** Records of a copy whose values feed the lists of another entity. */
export interface ParentQuery {
  readonly filter: Filter;
  readonly fields: readonly string[];
  /** Only records that were added or changed at or after this instant (database's clock). */
  readonly changedSince?: Date;
  /** Only records that were added or changed last before this instant. */
  readonly changedBefore?: Date;
  /** Only records that a read has brought, or changed last, and no write of ours. */
  readonly isRead?: true;
  /** Go on after this record key. */
  readonly after?: string;
  readonly limit: number;
}

/** When a written record is taken over. */
export interface MergeOptions {
  readonly onlyKnown?: boolean;
  readonly ifEpoch?: number;
}

/** What searches the copies, and what changes them outside a sync. */
export interface Copies {
  /**
   * One page of hits.
   *
   * @throws ConnectorError `invalid_cursor` for a cursor of another connector, entity, filter or sort;
   * `search_too_broad` where more would have to be judged than one search may, `upstream_timeout`
   * where its time has passed: of a search that allows a part of its hits, where none of the order
   * is known by then.
   */
  search(copy: CopyId, search: Search, options?: SearchOptions): Promise<SearchPage>;
  /**
   * The paths that the records of a connector have, by entity: at most 1,000 of each, and none that have
   * more than 12 segments or are longer than 1,000 bytes. Of one entity alone, where it is given.
   */
  paths(
    connectorId: string,
    entity?: string,
  ): Promise<ReadonlyMap<string, readonly ObservedPath[]>>;
  /**
   * Those of the paths that no record of a copy has. None where that is not known for sure: before a full
   * read has observed them all, where there are too many of them, where the copy is empty.
   */
  unseenPaths(
    copy: CopyId,
    paths: readonly (readonly string[])[],
  ): Promise<readonly (readonly string[])[]>;
  /** In the order of record keys. */
  parents(copy: CopyId, query: ParentQuery): Promise<readonly CopyRecord[]>;
  /**
   * Takes over what an accepted write answered: fields that `values` has replace those of the copy,
   * others stay. A page that was asked for before this call does not undo it.
   *
   * Nothing happens where the copy is another account's by now, or such a one is still being deleted.
   *
   * @param options.onlyKnown Nothing happens where the copy has no such record.
   * @param options.ifEpoch Only if the connector's credentials still have that epoch.
   */
  merge(copy: CopyId, record: CopyRecord, options?: MergeOptions): Promise<void>;
}
