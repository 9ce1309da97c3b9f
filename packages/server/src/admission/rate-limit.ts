import { ConnectorError, type Clock } from '@patchbay/connectors';
import { BoundedCache } from '../bounded-cache.ts';

const WINDOW_MS = 60_000;
const MAX_KEYS = 10_000;

interface Window {
  count: number;
  readonly endsAt: number;
}

/** What is left of a window, as the `RateLimit-*` headers say it. */
export type RateHeaders = Readonly<Record<string, string>>;

interface RateLimitParts {
  /** `undefined` for any number. */
  readonly perMinuteOf: (applicationId: string) => number | undefined;
  readonly clock: Clock;
}

/** Allows each application a number of calls a minute, per process. */
export class RateLimit {
  readonly #perMinuteOf: RateLimitParts['perMinuteOf'];
  readonly #clock: Clock;
  readonly #windows = new BoundedCache<string, Window>(MAX_KEYS);

  constructor({ perMinuteOf, clock }: RateLimitParts) {
    this.#perMinuteOf = perMinuteOf;
    this.#clock = clock;
  }

  /** Counts a call and says what is left; `undefined` where there is no limit. */
  take(
    applicationId: string,
  ):
    { readonly headers: RateHeaders; readonly error?: ConnectorError<'rate_limited'> } | undefined {
    const perMinute = this.#perMinuteOf(applicationId);
    if (perMinute === undefined) return undefined;
    const now = this.#clock.monotonic();
    const known = this.#windows.get(applicationId);
    const window =
      known === undefined || known.endsAt <= now ? { count: 0, endsAt: now + WINDOW_MS } : known;
    window.count += 1;
    this.#windows.set(applicationId, window);
    const resetSeconds = Math.ceil((window.endsAt - now) / 1000);
    const headers = {
      'ratelimit-limit': String(perMinute),
      'ratelimit-remaining': String(Math.max(0, perMinute - window.count)),
      'ratelimit-reset': String(resetSeconds),
    };
    if (window.count <= perMinute) return { headers };
    return {
      headers,
      error: new ConnectorError(
        'rate_limited',
        { retryAfterSeconds: resetSeconds },
        { message: `The application may make ${perMinute} calls a minute.` },
      ),
    };
  }
}
