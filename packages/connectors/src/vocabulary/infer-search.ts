import type { Entity } from './entity.ts';
import type { ItemsField, ValueOf } from './field.ts';
import type { FreeForm } from './members.ts';

/** The names of the searchable fields of an entity; none where it cannot be searched. */
export type SearchFieldName<E extends Entity> = E['search'] extends {
  readonly fields: readonly (infer N extends string)[];
}
  ? N
  : never;

/** What a search finds of a record. Objects and arrays are as the upstream sent them. */
export type SearchRecord<E extends Entity> = {
  readonly [N in Exclude<SearchFieldName<E>, 'id'>]: FoundValue<E, N> | null;
} & {
  /** Left out where the record has no id of this type. */
  readonly [N in Extract<SearchFieldName<E>, 'id'>]?: FoundValue<E, N>;
};

/** A record that a search found; `data` is part of its record where only some fields were asked for. */
export interface SearchHit<E extends Entity, D = SearchRecord<E>> {
  /** The record key as text. */
  readonly id: string;
  /** From 0 to 1. */
  readonly score: number;
  /** When what the copy has of it was read, or written by you; where `freshness` was asked for. */
  readonly synced_at?: string;
  /** When the upstream is known to have had it so: then, or at the last full read. */
  readonly confirmed_at?: string;
  readonly data: D;
}

/**
 * The params of a search.
 *
 * @see docs/search.md#params
 */
export interface SearchParams<E extends Entity> {
  /** May be empty: everything, by key. */
  readonly query: SearchQuery<E>;
  /** 1 to 10,000 hits; 1,000 by default. */
  readonly limit?: number | null | undefined;
  /** `next_cursor` of the page before. */
  readonly cursor?: string | null | undefined;
  /** What of each record to give: dotted paths, or segments where a key has a dot. */
  readonly fields?: readonly (FieldOrPath<E> | PathSegments<E>)[] | null | undefined;
  /** Whether to count all that match: `total`. */
  readonly count?: boolean | null | undefined;
  /** At most 10 paths whose values are counted over all that match; named as `fields` are. */
  readonly facets?: readonly FacetPath<E>[] | null | undefined;
  /** Milliseconds that it may work, at most the deadline of the call; 2,000 by default. */
  readonly timeout_ms?: number | null | undefined;
  /** Hits found until it took too much, with a cursor to go on, rather than an error. */
  readonly allow_partial?: boolean | null | undefined;
  /** `synced_at` and `confirmed_at` of each hit. */
  readonly freshness?: boolean | null | undefined;
}

export interface SearchQuery<E extends Entity> {
  readonly filter?: SearchFilter<E> | null | undefined;
  /** By default by score, best first. */
  readonly sort?: readonly SearchSort<E>[] | null | undefined;
}

/** A condition on records: everything in it has to hold. `{}` holds always. */
export interface SearchFilter<E extends Entity> {
  readonly and?: readonly SearchFilter<E>[] | undefined;
  readonly or?: readonly SearchFilter<E>[] | undefined;
  readonly not?: SearchFilter<E> | undefined;
  /** Deeply equal; null equals null and absent. */
  readonly eq?: EqualTo<E> | Listed<E> | undefined;
  readonly neq?: EqualTo<E> | Listed<E> | undefined;
  readonly gt?: ComparedWith<E> | Listed<E, number | string> | undefined;
  readonly gte?: ComparedWith<E> | Listed<E, number | string> | undefined;
  readonly lt?: ComparedWith<E> | Listed<E, number | string> | undefined;
  readonly lte?: ComparedWith<E> | Listed<E, number | string> | undefined;
  /** Equal to one of at most 1,000. */
  readonly in?: OneOf<E> | Listed<E, readonly unknown[]> | undefined;
  /** `%` is any run of characters; without one, a part of the text. Case is ignored. */
  readonly like?: Texts<E> | Listed<E, string> | undefined;
  /** At least one of the words. */
  readonly keyword?: Texts<E> | Listed<E, string> | undefined;
  /** Each of the words, or one that begins with it or is spelled much like it. */
  readonly fuzzy?: Texts<E> | Listed<E, string> | undefined;
  /** An element of an array. */
  readonly contains?: OfArrays<E, Scalar | null> | Listed<E, Scalar | null> | undefined;
  /** An object in an array satisfies a filter of its own properties. */
  readonly any?: OfArrays<E, ElementFilter> | Listed<E, ElementFilter> | undefined;
}

/** A filter of the properties of an element, which nothing declares: types are judged when it runs. */
export interface ElementFilter {
  readonly and?: readonly ElementFilter[] | undefined;
  readonly or?: readonly ElementFilter[] | undefined;
  readonly not?: ElementFilter | undefined;
  readonly eq?: OfElement<unknown> | undefined;
  readonly neq?: OfElement<unknown> | undefined;
  readonly gt?: OfElement<number | string> | undefined;
  readonly gte?: OfElement<number | string> | undefined;
  readonly lt?: OfElement<number | string> | undefined;
  readonly lte?: OfElement<number | string> | undefined;
  readonly in?: OfElement<readonly unknown[]> | undefined;
  readonly like?: OfElement<string> | undefined;
  readonly keyword?: OfElement<string> | undefined;
  readonly fuzzy?: OfElement<string> | undefined;
  readonly contains?: OfElement<string | number | boolean | null> | undefined;
  readonly any?: OfElement<ElementFilter> | undefined;
}

/** `{ <field>: 'asc' | 'desc' }`, or the same written out. */
export type SearchSort<E extends Entity> =
  | { readonly field: NameOf<E, Scalar>; readonly order: SortOrder }
  | SingleKey<NameOf<E, Scalar>, SortOrder>;

type SortOrder = 'asc' | 'desc';
type Scalar = string | number | boolean;

/** An object of exactly one of the keys. */
type SingleKey<N extends string, V> = {
  [K in N]: { readonly [Key in K]: V } & { readonly [Other in Exclude<N, K>]?: never };
}[N];

/** A searchable field is of its own type, or of the record's. */
type SearchFieldOf<E extends Entity, N extends string> = E['search'] extends {
  readonly only: infer O;
}
  ? N extends keyof O
    ? O[N]
    : E['record'][N]
  : E['record'][N];

/** What a field is compared with: of objects and arrays, whatever is in them. */
type SearchValue<E extends Entity, N extends string> = Plain<
  NonNullable<ValueOf<SearchFieldOf<E, N>>>
>;

type Plain<V> = V extends Scalar ? V : V extends readonly unknown[] ? readonly unknown[] : FreeForm;

/** What is found of a field: inline items are verbatim, whatever the record makes of them. */
type FoundValue<E extends Entity, N extends string> =
  SearchFieldOf<E, N> extends infer F
    ? F extends ItemsField<infer _R>
      ? readonly unknown[]
      : Found<NonNullable<ValueOf<F>>>
    : never;

type Found<V> = V extends readonly (infer I)[] ? readonly I[] : V;

/** The searchable fields whose values are of type `T`. */
type NameOf<E extends Entity, T> = {
  [N in SearchFieldName<E>]: SearchValue<E, N> extends T ? N : never;
}[SearchFieldName<E>];

type ObjectName<E extends Entity> = NameOf<E, FreeForm>;

/** Only object fields have paths below them. */
type PathBelow<E extends Entity> = `${ObjectName<E>}.${string}`;

type FieldOrPath<E extends Entity> = SearchFieldName<E> | PathBelow<E>;

type PathSegments<E extends Entity> =
  readonly [SearchFieldName<E>] | readonly [ObjectName<E>, ...string[]];

/** Objects have no values to count, only what is below them. */
type FacetPath<E extends Entity> =
  | CountedName<E>
  | PathBelow<E>
  | readonly [CountedName<E>]
  | readonly [ObjectName<E>, string, ...string[]];

type CountedName<E extends Entity> = NameOf<E, Scalar | readonly unknown[]>;

type OrderedName<E extends Entity> = NameOf<E, string | number> | PathBelow<E>;

type ArrayName<E extends Entity> = NameOf<E, readonly unknown[]> | PathBelow<E>;

/** `{}` as a type takes any member; an operator that no field takes has none. */
type Operands<N extends string, T> = [N] extends [never] ? { readonly [name: string]: never } : T;

type EqualTo<E extends Entity> = Operands<
  FieldOrPath<E>,
  {
    readonly [N in FieldOrPath<E>]?: N extends SearchFieldName<E>
      ? SearchValue<E, N> | null | undefined
      : unknown;
  }
>;

type OneOf<E extends Entity> = Operands<
  FieldOrPath<E>,
  {
    readonly [N in FieldOrPath<E>]?:
      readonly (N extends SearchFieldName<E> ? SearchValue<E, N> | null : unknown)[] | undefined;
  }
>;

type ComparedWith<E extends Entity> = Operands<
  OrderedName<E>,
  {
    readonly [N in OrderedName<E>]?:
      (N extends SearchFieldName<E> ? SearchValue<E, N> : string | number) | undefined;
  }
>;

type Texts<E extends Entity> = Operands<
  FieldOrPath<E>,
  { readonly [N in FieldOrPath<E>]?: string | undefined }
>;

type OfArrays<E extends Entity, V> = Operands<
  ArrayName<E>,
  { readonly [N in ArrayName<E>]?: V | undefined }
>;

type OfElement<V> = { readonly [path: string]: V | undefined } | ListOf<string | Segments, V>;

type Segments = readonly [string, ...string[]];

/** Conditions with their paths written out: the segments of one may have dots in them. */
type ListOf<P, V> = readonly { readonly path: P; readonly value: V }[];

/** The same, with values whose types are judged when they run. */
type Listed<E extends Entity, V = unknown> = ListOf<FieldOrPath<E> | PathSegments<E>, V>;
