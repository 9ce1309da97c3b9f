import type { RequestedRun, SyncRunPage, SyncStatus } from '@patchbay/connectors/wire';
import type { RequestOptions } from './call-options.ts';

/** Options of watching a sync; `timeoutMs` is for connecting, at first and after each break, not for the watch. */
export interface WatchOptions extends RequestOptions {
  /** Until this run has ended, instead of the current one. */
  readonly runId?: string | undefined;
}

/** Which page of syncs; all that are kept, unless said. */
export interface RunListOptions extends RequestOptions {
  readonly limit?: number | undefined;
  /** `next` of the page before. */
  readonly cursor?: string | null | undefined;
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
  /** What the last syncs did, newest first: those of a day or so, at a sync every 15 minutes. */
  runs(options?: RunListOptions): Promise<SyncRunPage>;
  /**
   * Every change of the status until the current run has ended; where there is none, the status
   * once. Connects anew when the connection breaks. The last status says how the run ended.
   */
  watch(options?: WatchOptions): AsyncGenerator<SyncStatus, void, undefined>;
}

/** The same for any connector of the external user. */
export interface SyncConnectors {
  (id: string, options?: RequestOptions): Promise<RequestedRun>;
  status(id: string, options?: RequestOptions): Promise<SyncStatus>;
  runs(id: string, options?: RunListOptions): Promise<SyncRunPage>;
  watch(id: string, options?: WatchOptions): AsyncGenerator<SyncStatus, void, undefined>;
}
