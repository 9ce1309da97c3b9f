/**
 * What has to be closed together, last opened first.
 *
 * The language's own `AsyncDisposableStack` would do, but Node.js 22 does not have it.
 */
export class ResourceStack {
  #closers: (() => void | Promise<void>)[] = [];
  #closing: Promise<void> | undefined;

  add(close: () => void | Promise<void>): void {
    this.#closers.push(close);
  }

  /**
   * Closes everything, once, even where some of it fails.
   *
   * @throws The failures, together.
   */
  async close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    await this.#closing;
  }

  async #closeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.toReversed()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'The store did not close cleanly.');
  }
}
