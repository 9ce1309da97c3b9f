import type { RunState } from '@patchbay/store';

/** Told of what replication does in this process, for figures; it must not throw. */
export interface SyncObserver {
  /** A sync has ended, or was left to whoever goes on with it. */
  readonly onRun: (kind: string, outcome: RunState | 'interrupted', durationMs: number) => void;
  /** Records have been committed. */
  readonly onRecords: (kind: string, entity: string, records: number) => void;
  /** A read of an entity is over; `code` is `ok`, `stopped`, or why it failed. */
  readonly onRead: (kind: string, entity: string, code: string) => void;
}
