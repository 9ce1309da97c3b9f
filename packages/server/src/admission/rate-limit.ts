import { ConnectorError, type Clock } from '@patchbay/connectors';
import type { TenantAccess } from '../access/access.ts';
import { BoundedCache } from '../bounded-cache.ts';
import { USER_SHARE } from './limits.ts';

const WINDOW_MS = 60_000;
const MAX_KEYS = 10_000;

interface Window {
  count: number;
  readonly ofUsers: Map<string, number>;
  readonly endsAt: number;
}

/** What is left of a window, as the `RateLimit-*` headers say it. */
export type RateHeaders = Readonly<Record<string, string>>;

/** What becomes of a call that was counted. */
export interface Taken {
  readonly headers: RateHeaders;
  readonly error?: ConnectorError<'rate_limited'>;
}

interface RateLimitParts {
  /** `undefined` for any number. */
  readonly perMinuteOf: (applicationId: string) => number | undefined;
  readonly clock: Clock;
}

/** Allows each application a number of calls a minute, and each of its external users a share of them, per process. */
export class RateLimit {
  readonly #perMinuteOf: RateLimitParts['perMinuteOf'];
  readonly #clock: Clock;
  readonly #windows = new BoundedCache<string, Window>(MAX_KEYS);

  constructor({ perMinuteOf, clock }: RateLimitParts) {
    this.#perMinuteOf = perMinuteOf;
    this.#clock = clock;
  }

  /** Counts a call and says what is left; `undefined` where there is no limit. */
  take(access: TenantAccess): Taken | undefined {
    const { applicationId } = access;
    const perMinute = this.#perMinuteOf(applicationId);
    if (perMinute === undefined) return undefined;
    const now = this.#clock.monotonic();
    const window = this.#windowOf(applicationId, now);
    const resetSeconds = Math.ceil((window.endsAt - now) / 1000);
    let limit = perMinute;
    let who = 'The application';
    let left = perMinute - window.count;
    if (access.type === 'scoped') {
      const { externalUserId } = access;
      const most = Math.ceil(USER_SHARE * perMinute);
      const count = window.ofUsers.get(externalUserId) ?? 0;
      // Of two limits the nearer one is told.
      if (most - count <= left) {
        limit = most;
        who = 'The external user';
        left = most - count;
      }
      if (left > 0) window.ofUsers.set(externalUserId, count + 1);
    }
    // What is refused counts for nobody: it would be taken from the others.
    if (left > 0) window.count += 1;
    const headers = {
      'ratelimit-limit': String(limit),
      'ratelimit-remaining': String(Math.max(0, left - 1)),
      'ratelimit-reset': String(resetSeconds),
    };
    if (left > 0) return { headers };
    return {
      headers,
      error: new ConnectorError(
        'rate_limited',
        { retryAfterSeconds: resetSeconds },
        { message: `${who} may make ${limit} calls a minute.` },
      ),
    };
  }

  /** The minute that an application is in; another begins with its first call after the last one's end. */
  #windowOf(applicationId: string, now: number): Window {
    const known = this.#windows.get(applicationId);
    const isOver = known === undefined || known.endsAt <= now;
    const window = isOver ? { count: 0, ofUsers: new Map(), endsAt: now + WINDOW_MS } : known;
    this.#windows.set(applicationId, window);
    return window;
  }
}
