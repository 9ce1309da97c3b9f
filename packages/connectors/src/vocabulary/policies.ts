/** A budget of calls, kept by a token bucket. */
export interface RateRule {
  readonly perMinute: number;
  /** Calls that may go out at once after a pause; `perMinute` by default. */
  readonly burst?: number;
  /** What shares the budget: calls of one request line, or all calls of the connector. */
  readonly shared: 'request' | 'connector';
  /** What is shared by the calls of several request lines, whose rules give it the same name. */
  readonly budget?: string;
  /** A param whose values have budgets of their own, for example one per channel. */
  readonly perParam?: string;
}

/** Response headers that tell what is left of a budget. */
export interface RateHeaders {
  readonly remaining: string;
  /** Seconds since 1970, or seconds from now. */
  readonly reset: { readonly header: string; readonly unit: 'epoch_seconds' | 'delta_seconds' };
}

/** Policies default downward: kind, entity, action. The nearest one that states a member decides it. */
export interface Policies {
  readonly rates?: readonly RateRule[];
}

/** What holds for every call, whatever its definition says. */
export const ENGINE_POLICIES = {
  /** Longest wait for one attempt. */
  timeoutMs: 30_000,
  /** How reads, and writes that surely did not happen, are repeated: with full jitter. */
  retry: {
    /** Tries in all, the first included. */
    maxAttempts: 5,
    /** Between 0 and base × 2^n, at most the maximum. */
    baseDelayMs: 250,
    maxDelayMs: 10_000,
  },
} as const;
