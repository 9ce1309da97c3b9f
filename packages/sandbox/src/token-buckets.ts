/** How fast a bucket refills and how many calls it holds when full. */
export interface BucketRule {
  readonly capacity: number;
  readonly perSecond: number;
}

/** One bucket that a call has to be paid from. */
export interface BucketUse {
  readonly key: string;
  readonly rule: BucketRule;
}

interface Bucket {
  level: number;
  filledAtMs: number;
}

/** Buckets kept at once; the longest unused is forgotten, which only ever favours the caller. */
const MAX_BUCKETS = 10_000;

/** Token buckets by key, on a clock passed in by the caller. */
export class TokenBuckets {
  readonly #buckets = new Map<string, Bucket>();

  /**
   * Takes one token from every bucket named, or from none.
   *
   * @returns 0 when taken, else the whole seconds after which a retry may succeed.
   */
  take(uses: readonly BucketUse[], nowMs: number): number {
    const filled = uses.map((use) => ({ bucket: this.#fill(use, nowMs), rule: use.rule }));
    const waits = filled.map(({ bucket, rule }) =>
      bucket.level >= 1 ? 0 : (1 - bucket.level) / rule.perSecond,
    );
    const waitSeconds = Math.max(0, ...waits);
    if (waitSeconds > 0) return Math.max(1, Math.ceil(waitSeconds));
    for (const { bucket } of filled) bucket.level -= 1;
    return 0;
  }

  #fill({ key, rule }: BucketUse, nowMs: number): Bucket {
    const known = this.#buckets.get(key);
    this.#buckets.delete(key);
    const bucket = known ?? { level: rule.capacity, filledAtMs: nowMs };
    // A clock that steps back must not empty the bucket.
    const elapsedSeconds = Math.max(0, nowMs - bucket.filledAtMs) / 1_000;
    bucket.level = Math.min(rule.capacity, bucket.level + elapsedSeconds * rule.perSecond);
    bucket.filledAtMs = nowMs;
    this.#buckets.set(key, bucket);
    this.#forgetOldest();
    return bucket;
  }

  #forgetOldest(): void {
    if (this.#buckets.size <= MAX_BUCKETS) return;
    for (const key of this.#buckets.keys()) {
      this.#buckets.delete(key);
      return;
    }
  }
}
