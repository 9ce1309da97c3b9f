import type { Filter, Search } from '@patchbay/connectors/engine';

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
}

export interface SearchPage {
  readonly hits: readonly SearchHit[];
  /** `null` on the last page. */
  readonly nextCursor: string | null;
}

/** Records of a copy whose values feed the lists of another entity. */
export interface ParentQuery {
  readonly filter: Filter;
  readonly fields: readonly string[];
  /** Only records that were added or changed at or after this instant (database's clock). */
  readonly changedSince?: Date;
  /** Only records that were added or changed last before this instant. */
  readonly changedBefore?: Date;
  /** Go on after this record key. */
  readonly after?: string;
  readonly limit: number;
}

/** What searches the copies, and what changes them outside a sync. */
export interface Copies {
  /**
   * One page of hits.
   *
   * @throws ConnectorError `invalid_cursor` for a cursor of another connector, entity, filter or sort;
   * `search_too_broad` where more would have to be judged than one search may.
   */
  search(
    copy: CopyId,
    search: Search,
    options?: { readonly signal?: AbortSignal },
  ): Promise<SearchPage>;
  /** In the order of record keys. */
  parents(copy: CopyId, query: ParentQuery): Promise<readonly CopyRecord[]>;
  /**
   * Takes over what an accepted write answered: fields that `values` has replace those of the copy,
   * others stay. A page that was asked for before this call does not undo it.
   *
   * @param options.onlyKnown Nothing happens where the copy has no such record.
   */
  merge(
    copy: CopyId,
    record: CopyRecord,
    options?: { readonly onlyKnown?: boolean },
  ): Promise<void>;
}
