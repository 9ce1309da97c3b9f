import type { Actions } from './action.ts';
import type { RecordFields } from './field.ts';
import type { Policies } from './policies.ts';

/**
 * What the synchronised copy of an entity can be searched by, in the order of the service
 * reference (part 2.5).
 */
export interface SearchFields {
  readonly fields: readonly string[];
  /** Searchable fields that are in no record, or whose type differs there. */
  readonly only?: RecordFields;
  /** Scalars that get an index of their own to sort by. */
  readonly sortable?: readonly string[];
  /** Text fields that get an index for substrings. */
  readonly text?: readonly string[];
}

/** How the synchronised copy of an entity is kept up to date. */
export interface Replicate {
  /** Params of the `list` action for a full read. */
  readonly params?: { readonly [name: string]: string | number | boolean };
  /** The record field whose greatest value bounds the next increment, and the param that takes it. */
  readonly checkpoint?: { readonly field: string; readonly param: string };
  /** Lists whose every record feeds a param of this one, for example one history per channel. */
  readonly parents?: readonly {
    readonly entity: string;
    readonly field: string;
    readonly param: string;
  }[];
  /** A full read at least this often, in hours; finds deletions. */
  readonly fullEveryHours: number;
}

/** One entity of a connector kind. */
export interface Entity<
  R extends RecordFields = RecordFields,
  A extends Actions = Actions,
  S extends SearchFields | undefined = SearchFields | undefined,
> {
  readonly name: string;
  readonly doc: string;
  readonly reference: string;
  /**
   * The record fields that identify a record, joined by `:` in hit ids; `params.<name>` where a
   * part is only in the params that listed it. At least one field is always there. Empty where
   * records have no identity.
   */
  readonly key: readonly string[];
  readonly record: R;
  readonly actions: A;
  readonly search: S;
  /** How the copy is kept; a searchable entity is read in full every day unless it says else. */
  readonly replicate?: Replicate;
  readonly policies?: Policies;
}

const DAILY: Replicate = { fullEveryHours: 24 };

/** Declares an entity. Its key is `id` unless said; `key: 'ts'` is short for `key: ['ts']`. */
export function entity<
  const R extends RecordFields,
  const A extends Actions,
  const S extends SearchFields | undefined = undefined,
>(
  definition: Omit<Entity<R, A, S>, 'key' | 'search'> & {
    readonly key?: string | readonly string[];
    readonly search?: S;
  },
): Entity<R, A, S> {
  const { key = 'id', search, replicate = search === undefined ? undefined : DAILY } = definition;
  return {
    ...definition,
    ...(replicate === undefined ? {} : { replicate }),
    key: typeof key === 'string' ? [key] : key,
    // Absent means undefined, and S is then inferred as its default, undefined.
    search: search as S,
  };
}
