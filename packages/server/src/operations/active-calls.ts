/** Why a call ended without an answer of the upstream. */
export class CallAbortedError extends Error {
  override readonly name = 'CallAbortedError';
  readonly reason: 'client' | 'shutdown';

  constructor(reason: 'client' | 'shutdown') {
    super(reason === 'client' ? 'The client has gone.' : 'The service is going down.');
    this.reason = reason;
  }
}

/** The upstream calls under way, so that a shutdown can end those that take too long. */
export class ActiveCalls {
  readonly #controllers = new Set<AbortController>();

  get count(): number {
    return this.#controllers.size;
  }

  start(): AbortController {
    const controller = new AbortController();
    this.#controllers.add(controller);
    return controller;
  }

  end(controller: AbortController): void {
    this.#controllers.delete(controller);
  }

  abortAll(): void {
    for (const controller of this.#controllers) controller.abort(new CallAbortedError('shutdown'));
  }
}
