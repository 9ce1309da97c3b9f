import { largePagesAtOnce } from './large-pages.ts';

/** How replication works; `ServiceOptions.replication` changes some of it. */
export interface ReplicationSettings {
  /** From the end of a sync of a connector to the next one that the schedule asks for, give or take a tenth. */
  readonly intervalMs: number;
  /** Connectors at once in this process; of one application, or one kind, at most one fewer. */
  readonly concurrency: number;
  /** A connector that others wait for is worked on so long, and to the end of the page. */
  readonly turnMs: number;
  /** Large pages at once in this process, from when they prove to be until they are committed. */
  readonly largePages: number;
  /** How long a connector stays with a process that reports itself alive no more. */
  readonly leaseTtlMs: number;
  /** How often the queue is looked at for what is due, what other processes were asked for, or left undone. */
  readonly lookEveryMs: number;
  /** How long one page of an upstream in trouble is waited for. */
  readonly patienceMs: number;
  /** The first wait between two attempts at a page, and the longest, unless the upstream says more. */
  readonly waits: { readonly firstMs: number; readonly longestMs: number };
  /** After a failed sync the next one comes sooner, but not before this. */
  readonly firstRetryMs: number;
}

export const DEFAULT_REPLICATION: ReplicationSettings = {
  intervalMs: 15 * 60_000,
  concurrency: 4,
  turnMs: 3_000,
  largePages: largePagesAtOnce(),
  leaseTtlMs: 30_000,
  lookEveryMs: 1_000,
  patienceMs: 10 * 60_000,
  waits: { firstMs: 1_000, longestMs: 60_000 },
  firstRetryMs: 60_000,
};

/**
 * A time that is to be about so long: give or take a tenth, so that what began together does not come back
 * together for ever.
 */
export function aboutMs(ms: number, random: () => number): number {
  return ms * (0.9 + random() / 5);
}

/**
 * When the next sync is due after so many failed ones in a row: sooner than the schedule has it, but
 * half as often each time.
 */
export function retryInMs(
  { firstRetryMs, intervalMs }: Pick<ReplicationSettings, 'firstRetryMs' | 'intervalMs'>,
  failures: number,
): number {
  return Math.min(intervalMs, firstRetryMs * 2 ** Math.max(0, failures - 1));
}
