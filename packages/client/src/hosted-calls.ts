import type {
  Action,
  ActionName,
  ConnectorKind,
  Download,
  Entity,
  EntityName,
  ListAction,
  ListResult,
  MetaOf,
  ParamsOfAction,
  RecordOf,
  ResultOf,
  SearchFieldName,
  SearchHit,
  SearchParams,
  SearchRecord,
} from '@patchbay/connectors/definitions';
import type { DocumentedHostedCalls } from './documented-calls.ts';
import type { SearchPage } from './search-page.ts';

/** Options of one call in hosted mode. */
export interface HostedCallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Longest time for the call in all, repetitions and waits included; 60 s by default. */
  readonly timeoutMs?: number | undefined;
  /**
   * For writes: the service does a write once per key and 24 hours. By default each call has a key
   * of its own, so that its repetitions do no harm; give one where the same write may be called
   * again, for example after a restart. An error about an unknown outcome names the key.
   */
  readonly idempotencyKey?: string | undefined;
  /** Only these fields of the record, top-level or dotted; wins over `excludeFields`. */
  readonly selectFields?: readonly string[];
  readonly excludeFields?: readonly string[];
}

/** Options of a call that gives whole records. */
export type WholeRecordOptions = Omit<HostedCallOptions, 'selectFields' | 'excludeFields'> & {
  readonly selectFields?: never;
  readonly excludeFields?: never;
};

/** A record cut down to selected fields: each may be missing, at any depth. */
export type PartOf<T> = T extends readonly (infer I)[]
  ? readonly PartOf<I>[]
  : T extends object
    ? { readonly [K in keyof T]?: PartOf<T[K]> }
    : T;

/** `{}` as a type takes anything; an action without params takes none. */
type NoParams = { readonly [name: string]: never };

/** The params argument of an action; `undefined` is in it where it may be left out. */
type ParamsArgument<P> = keyof P extends never
  ? NoParams | undefined
  : Partial<P> extends P
    ? P | undefined
    : P;

type Arguments<P, O> =
  undefined extends ParamsArgument<P>
    ? [params?: ParamsArgument<P>, options?: O]
    : [params: ParamsArgument<P>, options?: O];

/** What an action returns when only some fields were asked for. */
type PartOfResult<E extends Entity, A> =
  A extends ListAction<infer _P, infer M>
    ? ListResult<PartOf<RecordOf<E>>, MetaOf<M>, ParamsOfAction<A>>
    : PartOf<RecordOf<E>>;

// Nothing is said of the call signatures: editors show what is said of the action then.
/** One action as a function; `S` is `R` cut down to selected fields. */
export interface HostedCall<P, R, S> {
  (...args: Arguments<P, WholeRecordOptions>): Promise<R>;
  (params: ParamsArgument<P>, options: HostedCallOptions): Promise<S>;
}

/** A list as a function, which can be walked too. */
export interface HostedListCall<P, R, M> extends HostedCall<
  P,
  ListResult<R, M, P>,
  ListResult<PartOf<R>, M, P>
> {
  /** Page by page from the given params on, one page in memory. */
  pages(
    ...args: Arguments<P, WholeRecordOptions>
  ): AsyncGenerator<ListResult<R, M, P>, void, undefined>;
  pages(
    params: ParamsArgument<P>,
    options: HostedCallOptions,
  ): AsyncGenerator<ListResult<PartOf<R>, M, P>, void, undefined>;
  /** Record by record over all pages, one page in memory. */
  all(...args: Arguments<P, WholeRecordOptions>): AsyncGenerator<R, void, undefined>;
  all(
    params: ParamsArgument<P>,
    options: HostedCallOptions,
  ): AsyncGenerator<PartOf<R>, void, undefined>;
}

/** A download as a function. */
export interface HostedDownloadCall<P> {
  (...args: Arguments<P, WholeRecordOptions>): Promise<Download>;
}

/** One action of an entity as a function. */
export type HostedActionCall<E extends Entity, A> =
  A extends ListAction<infer _P, infer M>
    ? HostedListCall<ParamsOfAction<A>, RecordOf<E>, MetaOf<M>>
    : A extends { readonly verb: 'download' }
      ? HostedDownloadCall<ParamsOfAction<A>>
      : A extends Action
        ? HostedCall<ParamsOfAction<A>, ResultOf<E, A>, PartOf<RecordOf<E>>>
        : never;

/** Params of a search whose hits have every searchable field. */
type WholeSearchParams<E extends Entity> = SearchParams<E> & {
  readonly fields?: null | undefined;
};

type PartHit<E extends Entity> = SearchHit<E, PartOf<SearchRecord<E>>>;

/** Searches the service's copy of an entity; hits can be walked like lists. */
export interface SearchCall<E extends Entity> {
  (params: WholeSearchParams<E>, options?: WholeRecordOptions): Promise<SearchPage<SearchHit<E>>>;
  (params: SearchParams<E>, options?: WholeRecordOptions): Promise<SearchPage<PartHit<E>>>;
  /** Page by page from the given cursor on, one page in memory. */
  pages(
    params: WholeSearchParams<E>,
    options?: WholeRecordOptions,
  ): AsyncGenerator<SearchPage<SearchHit<E>>, void, undefined>;
  pages(
    params: SearchParams<E>,
    options?: WholeRecordOptions,
  ): AsyncGenerator<SearchPage<PartHit<E>>, void, undefined>;
  /** Hit by hit over all pages, one page in memory. */
  all(
    params: WholeSearchParams<E>,
    options?: WholeRecordOptions,
  ): AsyncGenerator<SearchHit<E>, void, undefined>;
  all(
    params: SearchParams<E>,
    options?: WholeRecordOptions,
  ): AsyncGenerator<PartHit<E>, void, undefined>;
}

/** The actions of an entity as functions. */
export type HostedEntityCalls<E extends Entity> = {
  readonly [A in keyof E['actions']]: HostedActionCall<E, E['actions'][A]>;
} & (IsSearchable<E> extends true ? { readonly search: SearchCall<E> } : unknown);

type IsSearchable<E extends Entity> = [SearchFieldName<E>] extends [never] ? false : true;

/** The entities of a kind that can be searched. */
type SearchableName<K extends ConnectorKind> = {
  [E in EntityName<K>]: IsSearchable<K['entities'][E]> extends true ? E : never;
}[EntityName<K>];

/** The typed call surface of a kind in hosted mode: `surface.<entity>.<action>(params)`. */
export type HostedCalls<K extends ConnectorKind> = K extends {
  readonly kind: infer N extends keyof DocumentedHostedCalls;
}
  ? DocumentedHostedCalls[N]
  : { readonly [E in keyof K['entities']]: HostedEntityCalls<K['entities'][E]> };

type ActionNamed<E extends Entity, A extends ActionName<E>> = E['actions'][A & keyof E['actions']];

type ResultOfName<E extends Entity, A extends ActionName<E>> =
  ActionNamed<E, A> extends infer D extends Action ? ResultOf<E, D> : never;

/** `execute(entity, action, params, options)`, typed by entity and action. */
export interface HostedExecute<K extends ConnectorKind> {
  <E extends EntityName<K>, A extends ActionName<K['entities'][E]>>(
    entity: E,
    action: A,
    ...args: Arguments<ParamsOfAction<ActionNamed<K['entities'][E], A>>, WholeRecordOptions>
  ): Promise<ResultOfName<K['entities'][E], A>>;
  <E extends EntityName<K>, A extends ActionName<K['entities'][E]>>(
    entity: E,
    action: A,
    params: ParamsArgument<ParamsOfAction<ActionNamed<K['entities'][E], A>>>,
    options: HostedCallOptions,
  ): Promise<PartOfResult<K['entities'][E], ActionNamed<K['entities'][E], A>>>;
  <E extends SearchableName<K>>(
    entity: E,
    action: 'search',
    params: WholeSearchParams<K['entities'][E]>,
    options?: WholeRecordOptions,
  ): Promise<SearchPage<SearchHit<K['entities'][E]>>>;
  <E extends SearchableName<K>>(
    entity: E,
    action: 'search',
    params: SearchParams<K['entities'][E]>,
    options?: WholeRecordOptions,
  ): Promise<SearchPage<PartHit<K['entities'][E]>>>;
}
