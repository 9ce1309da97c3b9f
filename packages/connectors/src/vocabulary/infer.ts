import type { Static } from 'typebox';
import type { Warning } from '../warning.ts';
import type { Action, ListAction, MetaFields } from './action.ts';
import type { CredentialsOf } from './auth.ts';
import type { Entity } from './entity.ts';
import type { RecordOfFields } from './field.ts';
import type { ConnectorKind } from './kind.ts';
import type { ParamsOf } from './param.ts';
import type { SettingsOf } from './setting.ts';

/** The record type of an entity. */
export type RecordOf<E extends Entity> = RecordOfFields<E['record']>;

/** The Meta type of a list action. */
export type MetaOf<M extends MetaFields> = { readonly [K in keyof M]: Static<M[K]['field']> };

/** What a list action returns: one page of records, and its Meta. */
export interface ListResult<R, M> {
  readonly data: readonly R[];
  readonly meta: M;
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
  A extends ListAction<infer _P, infer M>
    ? ListResult<RecordOf<E>, MetaOf<M>>
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
  readonly signal?: AbortSignal;
  /** Longest time for the call in all, retries and waits included; 60 s by default. */
  readonly timeoutMs?: number;
  /** Interactive calls go before background ones when a budget is short. */
  readonly priority?: 'interactive' | 'background';
  /** Who calls; where a budget is short, callers take turns. */
  readonly caller?: string;
}

/** `{}` as a type takes anything; an action without params takes none. */
type NoParams = { readonly [name: string]: never };

type Arguments<P> = keyof P extends never
  ? [params?: NoParams, options?: CallOptions]
  : Partial<P> extends P
    ? [params?: P, options?: CallOptions]
    : [params: P, options?: CallOptions];

interface PageIterators<P, R, M> {
  /** Page by page from the given params on, one page in memory. */
  pages(...args: Arguments<P>): AsyncGenerator<ListResult<R, M>, void, undefined>;
  /** Record by record over all pages, one page in memory. */
  all(...args: Arguments<P>): AsyncGenerator<R, void, undefined>;
}

/** One action as a function; lists can be walked too. */
export type ActionCall<E extends Entity, A extends Action> = ((
  ...args: Arguments<ParamsOfAction<A>>
) => Promise<ResultOf<E, A>>) &
  (A extends ListAction<infer _P, infer M>
    ? PageIterators<ParamsOfAction<A>, RecordOf<E>, MetaOf<M>>
    : unknown);

/** The actions of an entity as functions. */
export type EntityCalls<E extends Entity> = {
  readonly [A in ActionName<E>]: E['actions'][A] extends Action
    ? ActionCall<E, E['actions'][A]>
    : never;
};

/** The typed call surface of a kind: `surface.<entity>.<action>(params)`. */
export type KindCalls<K extends ConnectorKind> = {
  readonly [E in EntityName<K>]: EntityCalls<K['entities'][E]>;
};

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
