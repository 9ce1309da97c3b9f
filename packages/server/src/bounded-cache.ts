/**
 * A map of entries that weigh at most `maxWeight` together; the one that was longest unused goes
 * first. Each weighs 1 unless told otherwise, so that the bound is their number.
 */
export class BoundedCache<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #maxWeight: number;
  readonly #weightOf: (value: V) => number;
  #weight = 0;

  constructor(maxWeight: number, weightOf: (value: V) => number = () => 1) {
    this.#maxWeight = maxWeight;
    this.#weightOf = weightOf;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    // Only a full cache evicts, so only near there the order of use is worth keeping; a single entry is in order.
    if (this.#weight >= this.#maxWeight / 2 && this.#entries.size > 1) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  set(key: K, value: V): void {
    this.delete(key);
    const weight = this.#weightOf(value);
    while (this.#entries.size > 0 && this.#weight + weight > this.#maxWeight) this.#evictOldest();
    this.#weight += weight;
    this.#entries.set(key, value);
  }

  delete(key: K): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#weight -= this.#weightOf(value);
    this.#entries.delete(key);
  }

  #evictOldest(): void {
    const oldest = this.#entries.keys().next();
    if (oldest.done !== true) this.delete(oldest.value);
  }
}
