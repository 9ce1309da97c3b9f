/** A budget of calls, kept by a token bucket. */
export interface RateRule {
  readonly perMinute: number;
  /** Calls that may go out at once after a pause; `perMinute` by default. */
  readonly burst?: number;
  /** What shares the budget: calls of one request line, or all calls of the connector. */
  readonly shared: 'request' | 'connector';
  /** A param whose values have budgets of their own, for example one per channel. */
  readonly perParam?: string;
}

/** How reads, and writes that surely did not happen, are repeated. */
export interface RetryPolicy {
  /** Tries in all, the first included. */
  readonly maxAttempts: number;
  /** Full jitter between 0 and base × 2^n, at most the maximum. */
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
}

/** Response headers that tell what is left of a budget. */
export interface RateHeaders {
  readonly remaining: string;
  /** Seconds since 1970, or seconds from now. */
  readonly reset: { readonly header: string; readonly unit: 'epoch_seconds' | 'delta_seconds' };
}

/**
 * Policies default downward: engine, kind, entity, action. The nearest one that states a member
 * decides it.
 */
export interface Policies {
  /** Longest wait for one attempt. */
  readonly timeoutMs?: number;
  readonly retry?: RetryPolicy;
  readonly rates?: readonly RateRule[];
}

/** The policies of the engine: what holds where a definition says nothing. */
export const ENGINE_POLICIES: Required<Policies> = {
  timeoutMs: 30_000,
  retry: { maxAttempts: 5, baseDelayMs: 250, maxDelayMs: 10_000 },
  rates: [],
};
