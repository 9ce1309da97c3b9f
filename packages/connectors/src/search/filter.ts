import type { SearchType } from './search-schema.ts';

/**
 * Where a condition looks: the searchable field (or, inside `any`, a property of the element), and
 * below it the properties of the dotted path.
 */
export interface FieldPath {
  /** At least one segment. */
  readonly segments: readonly string[];
  /** Type of the searchable field itself; `undefined` below an object field and inside `any`. */
  readonly type: SearchType | undefined;
}

/** An operand that JSON can hold; NUL and lone surrogates have become U+FFFD. */
export type Operand = unknown;

export type Ordering = 'gt' | 'gte' | 'lt' | 'lte';

/** A text condition: it is scored where it holds and is not under `not`. */
export type TextCondition =
  | { readonly operator: 'like'; readonly path: FieldPath; readonly pattern: string }
  /** Distinct words in the order of the query; none matches nothing. */
  | {
      readonly operator: 'keyword' | 'fuzzy';
      readonly path: FieldPath;
      readonly words: readonly string[];
    };

export type Condition =
  | TextCondition
  | { readonly operator: 'eq'; readonly path: FieldPath; readonly value: Operand }
  | { readonly operator: Ordering; readonly path: FieldPath; readonly value: number | string }
  | { readonly operator: 'in'; readonly path: FieldPath; readonly values: readonly Operand[] }
  | {
      readonly operator: 'contains';
      readonly path: FieldPath;
      readonly value: string | number | boolean | null;
    }
  /** Names inside are relative to the element. */
  | { readonly operator: 'any'; readonly path: FieldPath; readonly filter: Filter };

/** A checked filter. `neq` has become `not eq`; `{}` is an `and` of nothing. */
export type Filter =
  | Condition
  | { readonly operator: 'and' | 'or'; readonly filters: readonly Filter[] }
  | { readonly operator: 'not'; readonly filter: Filter };

export interface SortKey {
  /** A top-level scalar field. */
  readonly field: string;
  readonly order: 'asc' | 'desc';
}

/** The checked params of a search. */
export interface Search {
  readonly filter: Filter;
  /** Empty: by score descending, then key. */
  readonly sort: readonly SortKey[];
  /** 1 to 10,000. */
  readonly limit: number;
  readonly cursor: string | undefined;
  /** Paths to include; `undefined` for all fields. */
  readonly fields: readonly (readonly string[])[] | undefined;
  /** Whether to count all that match. */
  readonly count: boolean;
  /** Paths whose values are counted over all that match, no two of one name. */
  readonly facets: readonly FieldPath[];
  /** Milliseconds that it may work; `undefined` where nothing was said. */
  readonly timeoutMs: number | undefined;
  /** Whether hits found until it took too much are better than none. */
  readonly allowsPartial: boolean;
  /** Whether each hit tells when it was read. */
  readonly tellsFreshness: boolean;
}
