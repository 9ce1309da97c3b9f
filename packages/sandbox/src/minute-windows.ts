/** How one limit stands after a call. */
export interface WindowState {
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the next minute begins. */
  readonly resetsInSeconds: number;
  /** The limit was used up before this call. */
  readonly isExceeded: boolean;
}

interface OpenWindow {
  readonly minute: number;
  used: number;
}

const MINUTE_MS = 60_000;
/** Windows kept at once; the longest unused is forgotten, which only ever favours the caller. */
const MAX_WINDOWS = 1_000;

/** Limits that count calls by the minute of the clock, by key. */
export class MinuteWindows {
  readonly #windows = new Map<string, OpenWindow>();

  /** Counts a call against a limit, unless the limit is used up. */
  count(key: string, limit: number, nowMs: number): WindowState {
    const minute = Math.floor(nowMs / MINUTE_MS);
    const known = this.#windows.get(key);
    // A clock that steps back must not empty the window.
    const open = known !== undefined && known.minute >= minute ? known : { minute, used: 0 };
    this.#windows.delete(key);
    this.#windows.set(key, open);
    this.#forgetOldest();
    const isExceeded = open.used >= limit;
    if (!isExceeded) open.used += 1;
    return {
      limit,
      remaining: limit - open.used,
      resetsInSeconds: Math.max(1, Math.ceil(((open.minute + 1) * MINUTE_MS - nowMs) / 1_000)),
      isExceeded,
    };
  }

  #forgetOldest(): void {
    if (this.#windows.size <= MAX_WINDOWS) return;
    for (const key of this.#windows.keys()) {
      this.#windows.delete(key);
      return;
    }
  }
}
