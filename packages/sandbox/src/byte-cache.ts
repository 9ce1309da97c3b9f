/** A least-recently-used cache of serialised answers, bounded by their bytes. */
export class ByteCache {
  readonly #entries = new Map<string, Buffer>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The cached bytes of `key`; builds and remembers them if there are none. */
  getOrBuild(key: string, build: () => Buffer): Buffer {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known;
    }
    const built = build();
    this.#entries.set(key, built);
    this.#bytes += built.length;
    this.#evict();
    return built;
  }

  /** Forgets everything: called when a write may have changed what was cached. */
  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  #evict(): void {
    for (const [key, bytes] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#entries.delete(key);
      this.#bytes -= bytes.length;
    }
  }
}
