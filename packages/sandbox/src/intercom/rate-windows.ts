/** What remains of the limit of a token in the current window. */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds since 1970. */
  readonly resetsAt: number;
  readonly isRefused: boolean;
}

interface Window {
  readonly index: number;
  used: number;
}

const WINDOW_SECONDS = 10;
/** Intercom grants an app 10,000 calls a minute and spreads them over windows of ten seconds. */
const CALLS_PER_WINDOW = 1_666;
/** Tokens remembered at once; forgetting one only ever favours the caller. */
const MAX_TOKENS = 10_000;

/**
 * Counts calls in fixed windows, one count for each token.
 *
 * @see https://developers.intercom.com/docs/references/rest-api/errors/rate-limiting
 */
export class RateWindows {
  readonly #windows = new Map<string, Window>();
  readonly #isEnforced: boolean;

  constructor(isEnforced: boolean) {
    this.#isEnforced = isEnforced;
  }

  /** Counts a call, if limits are enforced and it is not refused, and returns what remains. */
  take(token: string, nowMs: number): RateState {
    const index = Math.floor(nowMs / (WINDOW_SECONDS * 1_000));
    const resetsAt = (index + 1) * WINDOW_SECONDS;
    const limit = CALLS_PER_WINDOW;
    if (!this.#isEnforced) return { limit, remaining: limit - 1, resetsAt, isRefused: false };
    const window = this.#window(token, index);
    const isRefused = window.used >= limit;
    if (!isRefused) window.used += 1;
    return { limit, remaining: limit - window.used, resetsAt, isRefused };
  }

  #window(token: string, index: number): Window {
    const known = this.#windows.get(token);
    // When the clock steps back, the window that was begun goes on.
    if (known !== undefined && known.index >= index) return known;
    const fresh = { index, used: 0 };
    this.#windows.delete(token);
    this.#windows.set(token, fresh);
    const oldest = this.#windows.keys().next();
    if (this.#windows.size > MAX_TOKENS && oldest.done !== true) this.#windows.delete(oldest.value);
    return fresh;
  }
}
