import type { Clock } from '@patchbay/connectors';

/** A caller is taken to be alone once nobody else has called for so long. */
export const ALONE_AFTER_MS = 10_000;

/**
 * Whether one caller alone has made all recent calls: nobody waits for what that one has at once. A login, which comes without a
 * token, counts as somebody else's.
 */
export class LoneCaller {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #last: string | undefined;
  /** When somebody called who had not called last. */
  #changedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Somebody calls. */
  note(caller: string): void {
    if (caller === this.#last) return;
    if (this.#last !== undefined) this.#changedAt = this.#clock.monotonic();
    this.#last = caller;
  }

  isAlone(): boolean {
    return this.#clock.monotonic() - this.#changedAt > ALONE_AFTER_MS;
  }
}
