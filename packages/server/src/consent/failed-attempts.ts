import { hash } from 'node:crypto';
import type { Clock } from '@patchbay/connectors';
import { BoundedCache } from '../bounded-cache.ts';

const ALLOWED = 60;
const WINDOW_MS = 60_000;
const MAX_ADDRESSES = 10_000;

/**
 * Counts states that were none, by source address. It only decides how a wrong one is answered: a right one
 * is never held up, so nobody can keep others out who come by the same proxy.
 */
export class FailedAttempts {
  readonly #clock: Clock;
  readonly #counts = new BoundedCache<string, { count: number; readonly endsAt: number }>(
    MAX_ADDRESSES,
  );

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts another one; whether those are too many. */
  note(address: string): boolean {
    const key = keyOf(address);
    const now = this.#clock.monotonic();
    const known = this.#counts.get(key);
    const counted =
      known === undefined || known.endsAt <= now ? { count: 0, endsAt: now + WINDOW_MS } : known;
    counted.count += 1;
    this.#counts.set(key, counted);
    return counted.count > ALLOWED;
  }
}

/** A digest: whatever a proxy passes on, a key stays small. */
function keyOf(address: string): string {
  return hash('sha256', address, 'base64url');
}
