import type { Release } from './fair-turns.ts';

/** Counts what is under way, by a key; keys of which nothing is are forgotten. */
export class Counter<K> {
  readonly #counts = new Map<K, number>();

  of(key: K): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Counts one more, until the result is called. */
  begin(key: K): Release {
    this.#counts.set(key, this.of(key) + 1);
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      const left = this.of(key) - 1;
      if (left === 0) this.#counts.delete(key);
      else this.#counts.set(key, left);
    };
  }
}
