interface Reads<V> {
  /** Only those share it who asked before it began. */
  underWay: Promise<V>;
  next?: Promise<V>;
}

/**
 * Reads of things that many ask for at once. Of each, one is under way at a time, and whoever asks meanwhile
 * shares the next: nobody is told what was before they asked.
 */
export class SharedReads<V> {
  readonly #reads = new Map<string, Reads<V>>();

  /** What `read` finds, which begins no sooner than this call; of those that share one, the first one's is called. */
  read(key: string, read: () => Promise<V>): Promise<V> {
    const reads = this.#reads.get(key);
    if (reads === undefined) return this.#begin(key, read);
    return (reads.next ??= reads.underWay.then(
      () => this.#begin(key, read),
      () => this.#begin(key, read),
    ));
  }

  #begin(key: string, read: () => Promise<V>): Promise<V> {
    const reads: Reads<V> = { underWay: read() };
    this.#reads.set(key, reads);
    const end = () => {
      if (reads.next === undefined) this.#reads.delete(key);
    };
    reads.underWay.then(end, end);
    return reads.underWay;
  }
}
