/** How much is written, or read, in one transaction: in units of its own, such as records or characters. */
export interface Pace {
  /** At most; at least 1. */
  next(): number;
  /** What such a transaction took, from its first statement until it was committed. */
  learn(done: { readonly amount: number; readonly ms: number }): void;
}

/** Where nobody waits for the transactions of others. */
export const ALL_AT_ONCE: Pace = { next: () => Infinity, learn: () => undefined };

/** How long a transaction may take while others use the database, and while nobody does. */
const SHARED_MS = 30;
const ALONE_MS = 120;
/** Who has used it so lately is likely to come again. */
const RECENTLY_MS = 3_000;

/** For a database that serves one transaction at a time: as much as fits into a time. */
export class TimedPace implements Pace {
  readonly #quietMs: () => number;
  readonly #least: number;
  #amountPerMs: number | undefined;

  /**
   * @param quietMs Milliseconds since somebody other than replication used the database.
   * @param least Of less, the transaction itself costs more than that does.
   */
  constructor(quietMs: () => number, least: number) {
    this.#quietMs = quietMs;
    this.#least = least;
  }

  next(): number {
    if (this.#amountPerMs === undefined) return this.#least;
    const ms = this.#quietMs() < RECENTLY_MS ? SHARED_MS : ALONE_MS;
    return Math.max(this.#least, Math.floor(this.#amountPerMs * ms));
  }

  learn({ amount, ms }: { readonly amount: number; readonly ms: number }): void {
    if (amount === 0) return;
    const rate = amount / Math.max(ms, 1);
    // Quick to believe that it is slow: of some copies it is.
    const known = Math.min(this.#amountPerMs ?? rate, 2 * rate);
    this.#amountPerMs = (known + rate) / 2;
  }
}
