/** How many records are written in one transaction. */
export interface CommitPace {
  /** At most; at least 1. */
  next(): number;
  /** What such a transaction took, from its first statement until it was committed. */
  learn(written: { readonly records: number; readonly ms: number }): void;
}

/** Where nobody waits for the transactions of others. */
export const ALL_AT_ONCE: CommitPace = { next: () => Infinity, learn: () => undefined };

/** How long a transaction may take while others use the database, and while nobody does. */
const SHARED_MS = 30;
const ALONE_MS = 120;
/** Who has used it so lately is likely to come again. */
const RECENTLY_MS = 3_000;

/** Of fewer, the transaction itself costs more than they do. */
const LEAST_RECORDS = 20;

/** For a database that serves one transaction at a time: as many records as fit into a time. */
export class TimedCommitPace implements CommitPace {
  readonly #quietMs: () => number;
  #recordsPerMs: number | undefined;

  /** @param quietMs Milliseconds since somebody other than replication used the database. */
  constructor(quietMs: () => number) {
    this.#quietMs = quietMs;
  }

  next(): number {
    if (this.#recordsPerMs === undefined) return LEAST_RECORDS;
    const ms = this.#quietMs() < RECENTLY_MS ? SHARED_MS : ALONE_MS;
    return Math.max(LEAST_RECORDS, Math.floor(this.#recordsPerMs * ms));
  }

  learn({ records, ms }: { readonly records: number; readonly ms: number }): void {
    if (records === 0) return;
    const rate = records / Math.max(ms, 1);
    // Quick to believe that records are large: of some copies they are.
    const known = Math.min(this.#recordsPerMs ?? rate, 2 * rate);
    this.#recordsPerMs = (known + rate) / 2;
  }
}
