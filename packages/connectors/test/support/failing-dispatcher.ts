import { Dispatcher } from 'undici';

/** What a handler may ask for of its request, of which nothing comes. */
export const IDLE_CONTROLLER: Dispatcher.DispatchController = {
  aborted: false,
  paused: false,
  reason: null,
  rawHeaders: null,
  rawTrailers: null,
  abort: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
};

/** A pool whose every request fails with one error. */
export class FailingDispatcher extends Dispatcher {
  readonly #error: Error;
  readonly #hasBegun: boolean;
  /** Method and URL of every request. */
  readonly seen: string[] = [];

  /** @param hasBegun Whether a connection takes the request before that. */
  constructor(error: Error, hasBegun = false) {
    super();
    this.#error = error;
    this.#hasBegun = hasBegun;
  }

  override dispatch(
    { method, origin, path }: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    this.seen.push(`${method} ${String(origin)}${path}`);
    if (this.#hasBegun) handler.onRequestStart?.(IDLE_CONTROLLER, {});
    handler.onResponseError?.(IDLE_CONTROLLER, this.#error);
    return true;
  }
}

/** A pool that throws instead of sending, as those of undici 6 do; it may begin all the same. */
export class ThrowingDispatcher extends Dispatcher {
  readonly #begins: 'before' | 'later' | 'never';
  /** How many requests went out. */
  sent = 0;
  /** What those were taken back with that did not. */
  readonly takenBack: unknown[] = [];

  constructor(begins: 'before' | 'later' | 'never' = 'never') {
    super();
    this.#begins = begins;
  }

  override dispatch(_: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (this.#begins === 'before') this.#begin(handler);
    if (this.#begins === 'later') queueMicrotask(() => this.#begin(handler));
    throw systemError('UND_ERR_INVALID_ARG');
  }

  /** A handler that throws takes its request back. */
  #begin(handler: Dispatcher.DispatchHandler): void {
    try {
      handler.onRequestStart?.(IDLE_CONTROLLER, {});
      this.sent += 1;
    } catch (error) {
      this.takenBack.push(error);
      handler.onResponseError?.(IDLE_CONTROLLER, error as Error);
    }
  }
}

/** An error as the operating system, or undici, gives it. */
export function systemError(code: string, syscall?: string): Error {
  return Object.assign(new Error(code), { code, ...(syscall === undefined ? {} : { syscall }) });
}
