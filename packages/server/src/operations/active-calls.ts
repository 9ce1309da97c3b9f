/** Why a call ended without an answer of the upstream. */
export class CallAbortedError extends Error {
  override readonly name = 'CallAbortedError';
  readonly reason: 'client' | 'shutdown';

  constructor(reason: 'client' | 'shutdown') {
    super(reason === 'client' ? 'The client has gone.' : 'The service is going down.');
    this.reason = reason;
  }
}

/** Calls back when the client goes before it has its answer; the result ends the watch. */
export type OnDisconnect = (callback: () => void) => () => void;

/** The watch of calls that go on when their client goes. */
const NOBODY_WATCHES: OnDisconnect = () => () => undefined;

/** The calls under way, so that a shutdown can end those that take too long. */
export class ActiveCalls {
  readonly #controllers = new Set<AbortController>();
  /** Of those that wait to be under way. */
  readonly #waiting = new Set<() => void>();

  get count(): number {
    return this.#controllers.size;
  }

  /**
   * Runs a call with a signal that aborts with a CallAbortedError: at a shutdown, and when the
   * client goes, where that is watched.
   */
  async run<T>(
    call: (signal: AbortSignal) => Promise<T>,
    onDisconnect: OnDisconnect = NOBODY_WATCHES,
  ): Promise<T> {
    const { signal, end } = this.start(onDisconnect);
    try {
      return await call(signal);
    } finally {
      end();
    }
  }

  /** Begins a call that outlives the function that begins it; whoever calls `end` ends it. */
  start(onDisconnect: OnDisconnect): {
    readonly signal: AbortSignal;
    readonly end: () => void;
    /** Ends it as if the client had gone, and with it the connection to the upstream. */
    readonly abort: () => void;
  } {
    const controller = new AbortController();
    this.#controllers.add(controller);
    const unwatch = onDisconnect(() => controller.abort(new CallAbortedError('client')));
    const end = () => {
      unwatch();
      this.#controllers.delete(controller);
    };
    const abort = () => {
      end();
      controller.abort(new CallAbortedError('client'));
    };
    return { signal: controller.signal, end, abort };
  }

  /** Calls back when a shutdown has waited long enough; the result ends the watch. */
  onceAborted(callback: () => void): () => void {
    this.#waiting.add(callback);
    return () => this.#waiting.delete(callback);
  }

  abortAll(): void {
    for (const callback of this.#waiting) callback();
    for (const controller of this.#controllers) controller.abort(new CallAbortedError('shutdown'));
  }
}
