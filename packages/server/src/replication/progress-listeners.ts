/** Tells those who watch a connector that this process got further with it. */
export class ProgressListeners {
  readonly #byConnector = new Map<string, Set<() => void>>();

  /** Calls back on every step of the connector, until the result is called. */
  add(connectorId: string, listener: () => void): () => void {
    const listeners = this.#byConnector.get(connectorId) ?? new Set();
    this.#byConnector.set(connectorId, listeners);
    // A function of its own: the same listener may be added twice.
    const own = () => listener();
    listeners.add(own);
    return () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#byConnector.get(connectorId) === listeners)
        this.#byConnector.delete(connectorId);
    };
  }

  notify(connectorId: string): void {
    for (const listener of this.#byConnector.get(connectorId) ?? []) listener();
  }
}
