import { ConnectorError, type Clock } from '@patchbay/connectors';
import { DEFAULT_TIMEOUT_MS } from '@patchbay/connectors/engine';

/** What is left to do when the outcome is known gets at least this long. */
const SETTLE_MS = 500;

/** How long a call may take, from its arrival on. Nothing is timed where nothing has to be waited for. */
export class CallDeadline {
  /** As the caller gave it, or as it is for everybody. */
  readonly timeoutMs: number;
  readonly #clock: Clock;
  readonly #endsAt: number;

  /** @param arrivedAt By the monotonic clock; now, unless said. */
  constructor(clock: Clock, timeoutMs = DEFAULT_TIMEOUT_MS, arrivedAt = clock.monotonic()) {
    this.timeoutMs = timeoutMs;
    this.#clock = clock;
    this.#endsAt = arrivedAt + timeoutMs;
  }

  /**
   * Whole milliseconds that are left, one at least.
   *
   * @throws `not_ready` when the time is up before anything was sent.
   */
  leftMs(): number {
    const leftMs = Math.ceil(this.#leftMs());
    if (leftMs <= 0) throw this.#tooLate();
    return leftMs;
  }

  /** Calls back when the time is up, unless what this returns is called before. */
  onceOver(callback: () => void): () => void {
    return this.#clock.after(Math.max(0, this.#leftMs()), callback);
  }

  /**
   * What a look-up brings that comes before anything is sent.
   *
   * @throws `not_ready` once the time is up; the look-up may go on.
   */
  async within<T>(lookUp: Promise<T>): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const cancel = this.onceOver(() => reject(this.#tooLate()));
    try {
      return await Promise.race([lookUp, late]);
    } finally {
      cancel();
    }
  }

  /** Waits until what follows a known outcome is done, but not beyond the deadline: it then goes on alone. */
  async settle(work: Promise<void>): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.after(Math.max(SETTLE_MS, this.#leftMs()), resolve);
    try {
      await Promise.race([work, late]);
    } finally {
      cancel();
    }
  }

  #leftMs(): number {
    return this.#endsAt - this.#clock.monotonic();
  }

  #tooLate(): ConnectorError<'not_ready'> {
    return new ConnectorError(
      'not_ready',
      { retryAfterSeconds: 1 },
      {
        message: `The database did not answer within the call's deadline of ${this.timeoutMs} ms; this call has sent nothing.`,
      },
    );
  }
}
