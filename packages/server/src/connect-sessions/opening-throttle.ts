import { hash } from 'node:crypto';
import { ConnectorError, type Clock } from '@patchbay/connectors';
import { BoundedCache } from '../bounded-cache.ts';

/** An address may fail this often within the window before it is told to wait. */
const ALLOWED = 10;
const WINDOW_MS = 60_000;
const MAX_ADDRESSES = 10_000;

/**
 * Counts links that were none, by source address. It only decides how a wrong one is answered: a right one
 * is never held up, so nobody can keep others out who come by the same proxy.
 */
export class OpeningThrottle {
  readonly #clock: Clock;
  readonly #failures = new BoundedCache<string, { count: number; readonly endsAt: number }>(
    MAX_ADDRESSES,
  );

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws `rate_limited` for an address that has failed too often. */
  noteFailure(address: string): void {
    // A digest: whatever a proxy passes on, a key stays small.
    const key = hash('sha256', address, 'base64url');
    const now = this.#clock.monotonic();
    const known = this.#failures.get(key);
    const failures =
      known === undefined || known.endsAt <= now ? { count: 0, endsAt: now + WINDOW_MS } : known;
    failures.count += 1;
    this.#failures.set(key, failures);
    if (failures.count <= ALLOWED) return;
    const retryAfterSeconds = Math.ceil((failures.endsAt - now) / 1000);
    const message = `Too many links that were none; wait ${retryAfterSeconds} s.`;
    throw new ConnectorError('rate_limited', { retryAfterSeconds }, { message });
  }
}
