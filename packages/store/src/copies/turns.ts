import { setImmediate } from 'node:timers/promises';
import type { Steps } from '@patchbay/connectors/engine';

/** Milliseconds that a search works before others have their turn. */
const TURN_MS = 5;

/**
 * Does the work of a search in turns, so that nobody else waits long for the event loop, and so that
 * a search that was given up, or is late, ends soon: its timer could not even fire meanwhile.
 */
export class Turns {
  readonly #signal: AbortSignal | undefined;
  #since = performance.now();

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** @throws The reason of the signal, once it is aborted. */
  async finish<T>(steps: Steps<T>): Promise<T> {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      if (performance.now() - this.#since < TURN_MS) continue;
      await setImmediate();
      this.#signal?.throwIfAborted();
      this.#since = performance.now();
    }
  }
}
