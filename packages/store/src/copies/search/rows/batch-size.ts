import { needsValues, type RowQuery } from './row-query.ts';

/** How many rows to ask for, so that they are neither too many bytes nor too few. */
export class BatchSize {
  readonly #isFixed: boolean;
  readonly #longest: number;
  readonly #bytes: number;
  #size: number;

  /** @param isWalk The next batch begins where the last one ended, rather than with all rows. */
  constructor(query: RowQuery, { isWalk = false } = {}) {
    const { pace, tier } = query;
    const isScan = !isWalk && tier.predicate.index === 'none';
    this.#isFixed = !needsValues(query);
    this.#size = isScan ? pace.firstScannedBatch : pace.firstBatch;
    this.#longest = isScan ? pace.longestScannedBatch : pace.longestBatch;
    this.#bytes = pace.bytesAtOnce;
  }

  next(missing: number): number {
    return this.#isFixed ? missing : this.#size;
  }

  learn({ rows, bytes }: { readonly rows: number; readonly bytes: number }): void {
    const fitting = Math.floor((this.#bytes * (rows + 1)) / (bytes + 1));
    this.#size = Math.max(1, Math.min(4 * this.#size, fitting, this.#longest));
  }
}
