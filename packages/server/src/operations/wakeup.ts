import type { Clock } from '@patchbay/connectors';

/** Lets one waiter sleep until something happens, but not for too short or too long. */
export class Wakeup {
  readonly #clock: Clock;
  #hasHappened = false;
  #onWake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  wake(): void {
    this.#hasHappened = true;
    this.#onWake?.();
  }

  /**
   * Resolves when it was woken since the last time it resolved, after `atLeastMs` at the earliest;
   * after `atMostMs` in any case; at once when the signal aborts.
   */
  async wait(options: {
    readonly atLeastMs: number;
    readonly atMostMs: number;
    readonly signal: AbortSignal;
  }): Promise<void> {
    const { atLeastMs, atMostMs, signal } = options;
    await this.#sleep(atLeastMs, signal);
    if (!this.#hasHappened) {
      const woken = new Promise<void>((resolve) => {
        this.#onWake = resolve;
      });
      await this.#sleep(atMostMs - atLeastMs, signal, woken);
      this.#onWake = undefined;
    }
    this.#hasHappened = false;
  }

  #sleep(ms: number, signal: AbortSignal, earlier?: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.#clock.after(ms, end);
      signal.addEventListener('abort', end, { once: true });
      void earlier?.then(end);
      if (signal.aborted) end();
    });
  }
}
