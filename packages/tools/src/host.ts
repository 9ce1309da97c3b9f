import type { Download, KindDescription } from '@patchbay/connectors/definitions';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Options of one call to a host. */
export interface HostCallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Longest time of the call in all; the host has a default of its own. */
  readonly timeoutMs?: number | undefined;
}

/** A connector that a host can reach. */
export interface HostConnector {
  readonly id: string;
  /** The canonical name of its kind. */
  readonly kind: string;
  readonly name: string;
  /** As the service has it; open source mode knows none. */
  readonly status?: string | undefined;
}

/** An operation other than a search, by name; the host checks all of it. */
export interface ExecuteCall {
  readonly entity: string;
  readonly action: string;
  readonly params: unknown;
  /** Only these fields of the record, top-level or dotted; `undefined` for all. */
  readonly selectFields?: readonly string[] | undefined;
  /** For writes: the same key makes a repetition safe. Never given to an open source host. */
  readonly idempotencyKey?: string | undefined;
}

/** What an operation brings. */
export type ExecuteOutcome =
  | { readonly type: 'page'; readonly records: readonly JsonObject[]; readonly meta: JsonObject }
  | { readonly type: 'record'; readonly record: JsonObject }
  | { readonly type: 'file'; readonly file: Download };

/** A search; the host checks all of it. */
export interface SearchCall {
  readonly entity: string;
  /** `query`, `limit`, `cursor` and `fields`. @see docs/search.md#params */
  readonly params: JsonObject;
}

export interface FoundHit {
  readonly id: string;
  readonly score: number;
  readonly data: JsonObject;
}

/** A page of hits, and how fresh the copy is that was searched. */
export interface FoundPage {
  readonly hits: readonly FoundHit[];
  readonly next_cursor: string | null;
  readonly took_ms: number;
  readonly sync: {
    readonly state: string;
    readonly as_of: string | null;
    readonly complete: boolean;
    readonly lag_seconds: number | null;
  };
}

/** A sync of a connector, over all its copied entities. */
export interface HostSyncRun {
  readonly run_id: string;
  readonly cause: string;
  readonly state: string;
  readonly requested_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
}

/** How far the copy of an entity is. */
export interface HostEntitySync {
  readonly entity: string;
  readonly state: string;
  readonly as_of: string | null;
  readonly complete: boolean;
  readonly entity_count: number;
  readonly records: number | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** The syncs of a connector. @see docs/wire.md#status-of-syncs */
export interface HostSyncStatus {
  readonly current: HostSyncRun | null;
  readonly last: HostSyncRun | null;
  readonly entities: readonly HostEntitySync[];
}

/**
 * What the tools ask of a mode of Patchbay: connectors in this process, a service over HTTP, or the
 * service itself on behalf of one token. Reach is the host's business: it shows and runs nothing
 * that its caller may not.
 *
 * Every method throws ConnectorError by the error table, or the reason of the signal when it aborts.
 */
export interface ToolHost {
  /** In open source mode there are no copies to search, and no idempotency keys. */
  readonly mode: 'open_source' | 'hosted';
  /** Every connector within reach, in a steady order. */
  connectors(options?: HostCallOptions): Promise<readonly HostConnector[]>;
  /** @throws `connector_not_found` */
  describe(connectorId: string, options?: HostCallOptions): Promise<KindDescription>;
  execute(
    connectorId: string,
    call: ExecuteCall,
    options?: HostCallOptions,
  ): Promise<ExecuteOutcome>;
  /** @throws `search_requires_hosted_mode` in open source mode. */
  search(connectorId: string, call: SearchCall, options?: HostCallOptions): Promise<FoundPage>;
  /** `undefined` in open source mode, which copies nothing. */
  syncStatus(connectorId: string, options?: HostCallOptions): Promise<HostSyncStatus | undefined>;
}
