import { hash } from 'node:crypto';
import type { Clock } from '@patchbay/connectors';
import { BoundedCache } from '../bounded-cache.ts';

const ALLOWED = 60;
const WINDOW_MS = 60_000;
const MAX_ADDRESSES = 10_000;

/**
 * Counts states that were none, by source address: whoever tries many of them is not even looked up for
 * the rest of the minute. Nobody guesses a state; this is what guessing may cost us.
 */
export class FailedAttempts {
  readonly #clock: Clock;
  readonly #counts = new BoundedCache<string, { count: number; readonly endsAt: number }>(
    MAX_ADDRESSES,
  );

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  areTooMany(address: string): boolean {
    const known = this.#counts.get(keyOf(address));
    return known !== undefined && known.endsAt > this.#clock.monotonic() && known.count >= ALLOWED;
  }

  note(address: string): void {
    const key = keyOf(address);
    const now = this.#clock.monotonic();
    const known = this.#counts.get(key);
    const counted =
      known === undefined || known.endsAt <= now ? { count: 0, endsAt: now + WINDOW_MS } : known;
    counted.count += 1;
    this.#counts.set(key, counted);
  }
}

/** A digest: whatever a proxy passes on, a key stays small. */
function keyOf(address: string): string {
  return hash('sha256', address, 'base64url');
}
