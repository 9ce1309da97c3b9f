import type { RequestOptions } from './service-client.ts';

/** One sync of a connector, over all its copied entities. */
export interface SyncRun {
  readonly run_id: string;
  /** What asked for it: `creation`, `schedule`, `demand`, `credentials` or `definition`. */
  readonly cause: string;
  /** `queued`, `running`, `succeeded`, `failed` or `cancelled`. */
  readonly state: string;
  readonly requested_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
}

/** How far the copy of one entity is. */
export interface EntitySyncStatus {
  readonly entity: string;
  /** `never`, `syncing`, `idle`, `failed` or `paused`. */
  readonly state: string;
  /** Start of the last complete read. */
  readonly as_of: string | null;
  /** The first full read is done. */
  readonly complete: boolean;
  /** Records in the copy. */
  readonly entity_count: number;
  /** Of the read that is under way: `full` or `increment`, and what it has brought so far. */
  readonly mode: string | null;
  readonly records: number | null;
  readonly pages: number | null;
  /** For the service alone. */
  readonly checkpoint: unknown;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly updated_at: string | null;
}

/** The syncs of a connector. */
export interface SyncStatus {
  /** The run that is queued or under way. */
  readonly current: SyncRun | null;
  /** The last one that ended. */
  readonly last: SyncRun | null;
  /** In the order of the kind's definition. */
  readonly entities: readonly EntitySyncStatus[];
}

/** A run that was asked for. */
export interface RequestedRun {
  readonly run_id: string;
}

/** Options of watching a sync; `timeoutMs` is for connecting, not for the watch. */
export interface WatchOptions extends RequestOptions {
  /** Until this run has ended, instead of the current one. */
  readonly runId?: string | undefined;
}

/** The syncs of one connector. */
export interface ConnectorSync {
  /**
   * Asks for a sync now; one that is queued already serves both.
   *
   * @throws `connector_paused`, `reauth_required`, `config_required`: it could do nothing.
   */
  (options?: RequestOptions): Promise<RequestedRun>;
  status(options?: RequestOptions): Promise<SyncStatus>;
  /**
   * Every change of the status until the current run has ended; where there is none, the status
   * once. Connects anew when the connection breaks. How the run ended, the last status says.
   */
  watch(options?: WatchOptions): AsyncGenerator<SyncStatus, void, undefined>;
}

/** The same for any connector of the external user. */
export interface SyncConnectors {
  (id: string, options?: RequestOptions): Promise<RequestedRun>;
  status(id: string, options?: RequestOptions): Promise<SyncStatus>;
  watch(id: string, options?: WatchOptions): AsyncGenerator<SyncStatus, void, undefined>;
}
