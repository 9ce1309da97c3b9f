import { hash } from 'node:crypto';
import type { Clock } from '@patchbay/connectors';
import { BoundedCache } from '../bounded-cache.ts';

/** A client id or an address may fail this often within the window before it is told to wait. */
const FAILURES_ALLOWED = 10;
const WINDOW_MS = 60_000;
const MAX_KEYS = 10_000;

interface Failures {
  count: number;
  readonly windowEndsAt: number;
}

/**
 * Counts failed logins per client id and per source address. It only decides how a wrong secret is
 * answered; a right one is never held up, so nobody can lock a client out.
 */
export class LoginThrottle {
  readonly #clock: Clock;
  readonly #failures = new BoundedCache<string, Failures>(MAX_KEYS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a failure; returns the seconds to wait where there were too many, else 0. */
  fail(clientId: string, address: string): number {
    return Math.max(this.#count(`client ${clientId}`), this.failFrom(address));
  }

  /** The same where nobody says who they are. */
  failFrom(address: string): number {
    return this.#count(`address ${address}`);
  }

  #count(whose: string): number {
    // A digest: whatever is sent as a client id, a key stays small.
    const key = hash('sha256', whose, 'base64url');
    const now = this.#clock.monotonic();
    const known = this.#failures.get(key);
    const failures =
      known === undefined || known.windowEndsAt <= now
        ? { count: 0, windowEndsAt: now + WINDOW_MS }
        : known;
    failures.count += 1;
    this.#failures.set(key, failures);
    if (failures.count <= FAILURES_ALLOWED) return 0;
    return Math.ceil((failures.windowEndsAt - now) / 1000);
  }
}
