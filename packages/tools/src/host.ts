import type { Download, EntityDescription, Warning } from '@patchbay/connectors/definitions';
import type { KindDescription, SearchResult, SyncStatus } from '@patchbay/connectors/wire';

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
  | {
      readonly type: 'page';
      readonly records: readonly JsonObject[];
      readonly meta: JsonObject;
      /** What to merge into the params for the page after it; null at the end of the list. */
      readonly nextParams: JsonObject | null;
      readonly warnings: readonly Warning[];
    }
  | {
      readonly type: 'record';
      readonly record: JsonObject;
      /** As of a write that searches do not find yet. */
      readonly warnings?: readonly Warning[] | undefined;
    }
  | { readonly type: 'file'; readonly file: Download };

/** A search; the host checks all of it, and gives it the time that its `timeout_ms` needs. */
export interface SearchCall {
  readonly entity: string;
  /** `query`, `limit`, `cursor` and `fields`. @see docs/search.md#params */
  readonly params: JsonObject;
}

/** A page of hits, and what the caller should know of the search. */
export interface SearchOutcome extends SearchResult {
  readonly warnings?: readonly Warning[] | undefined;
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
  /**
   * One entity, where the host knows it with what the copy of the connector has been seen to hold.
   *
   * @throws `connector_not_found`, `unknown_entity`
   */
  describeEntity(
    connectorId: string,
    entity: string,
    options?: HostCallOptions,
  ): Promise<EntityDescription>;
  execute(
    connectorId: string,
    call: ExecuteCall,
    options?: HostCallOptions,
  ): Promise<ExecuteOutcome>;
  /** @throws `search_requires_hosted_mode` in open source mode. */
  search(connectorId: string, call: SearchCall, options?: HostCallOptions): Promise<SearchOutcome>;
  /** `undefined` in open source mode, which copies nothing. */
  syncStatus(connectorId: string, options?: HostCallOptions): Promise<SyncStatus | undefined>;
}
