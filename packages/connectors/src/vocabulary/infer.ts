import type { Warning } from '../warning.ts';
import type { Action, ListAction, MetaFields } from './action.ts';
import type { CredentialsOf } from './auth.ts';
import type { DocumentedCalls } from './documented-calls.ts';
import type { Entity } from './entity.ts';
import type { RecordOfFields, ValueOf } from './field.ts';
import type { ConnectorKind } from './kind.ts';
import type { ParamsOf } from './param.ts';
import type { SettingsOf } from './setting.ts';

/** The record type of an entity. */
export type RecordOf<E extends Entity> = RecordOfFields<E['record']>;

/** The Meta type of a list action. `& {}` has editors write it out. */
export type MetaOf<M extends MetaFields> = {
  readonly [K in keyof M]: ValueOf<M[K]['field']>;
} & {};

/** What a list action returns: one page of records, its Meta, and how the list goes on. */
export interface ListResult<R, M, P = Readonly<Record<string, unknown>>> {
  readonly data: readonly R[];
  readonly meta: M;
  /** What to merge into the params for the next page: `{ ...params, ...nextParams }`, of this page or the first; null at the end. */
  readonly nextParams: Partial<P> | null;
  /** What the caller should know although the call went well; mostly nothing. */
  readonly warnings: readonly Warning[];
}

/** A file as it arrives. Read `bytes` to the end, or leave the loop early; else it times out. */
export interface Download {
  /** The upstream sent the part that a Range header asked for. */
  readonly isPartial: boolean;
  readonly contentType: string | null;
  /** The `Content-Range` of a part. */
  readonly contentRange: string | null;
  /** Bytes to come, where the upstream says so. */
  readonly sizeBytes: number | null;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** What an action of an entity returns. */
export type ResultOf<E extends Entity, A extends Action> =
  A extends ListAction<infer P, infer M>
    ? ListResult<RecordOf<E>, MetaOf<M>, ParamsOf<P>>
    : A extends { readonly verb: 'download' }
      ? Download
      : RecordOf<E>;

export type EntityName<K extends ConnectorKind> = keyof K['entities'] & string;

export type ActionName<E extends Entity> = keyof E['actions'] & string;

/** The params of an action as callers give them. */
export type ParamsOfAction<A> = A extends Action ? ParamsOf<A['params']> : never;

/** The credentials of a kind: the fields of exactly one auth method. */
export type KindCredentials<K extends ConnectorKind> = CredentialsOf<K['auth']>;

/** How an app of the kind may be distributed; `never` where that makes no difference. */
export type DistributionOf<K extends ConnectorKind> =
  K extends ConnectorKind<infer _E, infer _A, infer _C, infer _R, infer _L, infer D> ? D : never;

export type KindConfig<K extends ConnectorKind> = SettingsOf<K['config']>;

/** Options of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Longest time for the call in all, retries and waits included; 60 s by default. */
  readonly timeoutMs?: number | undefined;
  /** Interactive calls go before background ones when a budget is short. */
  readonly priority?: 'interactive' | 'background' | undefined;
  /** Who calls; where a budget is short, callers take turns. */
  readonly caller?: string | undefined;
}

/** `{}` as a type takes anything; an action without params takes none. */
type NoParams = { readonly [name: string]: never };

type Arguments<P> = keyof P extends never
  ? [params?: NoParams, options?: CallOptions]
  : Partial<P> extends P
    ? [params?: P, options?: CallOptions]
    : [params: P, options?: CallOptions];

// Nothing is said of the call signatures: editors show what is said of the action then.
/** One action as a function. */
export interface Call<P, R> {
  (...args: Arguments<P>): Promise<R>;
}

/** A list as a function, which can be walked too. */
export interface ListCall<P, R, M> extends Call<P, ListResult<R, M, P>> {
  /** Page by page from the given params on, one page in memory. */
  pages(...args: Arguments<P>): AsyncGenerator<ListResult<R, M, P>, void, undefined>;
  /** Record by record over all pages, one page in memory. */
  all(...args: Arguments<P>): AsyncGenerator<R, void, undefined>;
}

/** One action of an entity as a function. */
export type ActionCall<E extends Entity, A> =
  A extends ListAction<infer P, infer M>
    ? ListCall<ParamsOf<P>, RecordOf<E>, MetaOf<M>>
    : A extends Action
      ? Call<ParamsOf<A['params']>, ResultOf<E, A>>
      : never;

/** The actions of an entity as functions. */
export type EntityCalls<E extends Entity> = {
  readonly [A in keyof E['actions']]: ActionCall<E, E['actions'][A]>;
};

/** The typed call surface of a kind: `surface.<entity>.<action>(params)`. */
export type KindCalls<K extends ConnectorKind> = K extends {
  readonly kind: infer N extends keyof DocumentedCalls;
}
  ? DocumentedCalls[N]
  : { readonly [E in keyof K['entities']]: EntityCalls<K['entities'][E]> };

/** `execute(entity, action, params)`, typed by entity and action. */
export type Execute<K extends ConnectorKind> = <
  E extends EntityName<K>,
  A extends ActionName<K['entities'][E]>,
>(
  entity: E,
  action: A,
  ...args: Arguments<
    ParamsOfAction<K['entities'][E]['actions'][A & keyof K['entities'][E]['actions']]>
  >
) => Promise<ResultOfName<K['entities'][E], A>>;

type ResultOfName<E extends Entity, A extends ActionName<E>> = E['actions'][A &
  keyof E['actions']] extends infer D extends Action
  ? ResultOf<E, D>
  : never;
