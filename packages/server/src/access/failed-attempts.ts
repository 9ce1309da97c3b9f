import { hash } from 'node:crypto';
import { ConnectorError, type Clock } from '@patchbay/connectors';
import { BoundedCache } from '../bounded-cache.ts';
import { networkOf } from '../network-of.ts';

/** So many failures within the window are answered like the first, unless said otherwise. */
const ALLOWED = 10;
const WINDOW_MS = 60_000;
const MAX_KEYS = 10_000;

interface Failures {
  count: number;
  readonly windowEndsAt: number;
}

/**
 * Counts wrong secrets, keys and links by where they come from. It only decides how a wrong one is answered: a right one
 * is never held up, so nobody can keep others out who come by the same proxy.
 */
export class FailedAttempts {
  readonly #clock: Clock;
  readonly #allowed: number;
  readonly #failures = new BoundedCache<string, Failures>(MAX_KEYS);

  constructor(clock: Clock, allowed = ALLOWED) {
    this.#clock = clock;
    this.#allowed = allowed;
  }

  /**
   * Counts a failure.
   *
   * @param what There are too many of, as the error says it.
   * @param from.clientId Who it said to be: there may be too many of one client, wherever they come from.
   * @throws `rate_limited` where there were too many.
   */
  note(what: string, from: { readonly address: string; readonly clientId?: string }): void {
    const { address, clientId } = from;
    const ofClient = clientId === undefined ? 0 : this.#count(`client ${clientId}`);
    const retryAfterSeconds = Math.max(ofClient, this.secondsToWait(address));
    if (retryAfterSeconds === 0) return;
    const message = `Too many ${what}; wait ${retryAfterSeconds} s.`;
    throw new ConnectorError('rate_limited', { retryAfterSeconds }, { message });
  }

  /** Counts a failure from an address; the seconds to wait where there were too many, else 0. */
  secondsToWait(address: string): number {
    return this.#count(`network ${networkOf(address)}`);
  }

  #count(whose: string): number {
    // A digest: whatever is sent as a client id or passed on by a proxy, a key stays small.
    const key = hash('sha256', whose, 'base64url');
    const now = this.#clock.monotonic();
    const known = this.#failures.get(key);
    const failures =
      known === undefined || known.windowEndsAt <= now
        ? { count: 0, windowEndsAt: now + WINDOW_MS }
        : known;
    failures.count += 1;
    this.#failures.set(key, failures);
    if (failures.count <= this.#allowed) return 0;
    return Math.ceil((failures.windowEndsAt - now) / 1000);
  }
}
