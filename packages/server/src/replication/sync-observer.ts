import type { RunState } from '@patchbay/store';
import type { ObservedConnector } from '../observed-connector.ts';

/** Told of what replication does in this process, for figures; it must not throw. */
export interface SyncObserver {
  /** A sync has ended, or was left to whoever goes on with it. */
  readonly onRun: (
    connector: ObservedConnector,
    outcome: RunState | 'interrupted',
    durationMs: number,
  ) => void;
  /** Records have been committed. */
  readonly onRecords: (connector: ObservedConnector, entity: string, records: number) => void;
  /** A read of an entity is over; `code` is `ok`, `stopped`, or why it failed. */
  readonly onRead: (connector: ObservedConnector, entity: string, code: string) => void;
}
