import type { Clock } from '@patchbay/connectors';
import { BoundedCache } from './bounded-cache.ts';

/** How a cached value is loaded and how old it may get. */
interface FreshCacheOptions<V> {
  readonly clock: Clock;
  readonly maxEntries: number;
  /** From this age on a value is loaded anew, but still given out meanwhile. */
  readonly refreshAfterMs: number;
  /** From this age on it is not given out before it was loaded anew. */
  readonly maxAgeMs: number;
  /** Loads the value of a key; `undefined` where there is none. `known` is what the cache holds. */
  readonly load: (key: string, known: V | undefined) => Promise<V | undefined>;
  /** Told when a load in the background failed; the next reader after `maxAgeMs` gets the error. */
  readonly onRefreshError: (error: unknown) => void;
}

interface Entry<V> {
  readonly value: V;
  loadedAt: number;
}

/**
 * Values of a database that other processes may change: read from memory, never older than
 * `maxAgeMs`, loaded by one reader at a time. Absent values are not remembered.
 */
export class FreshCache<V> {
  readonly #options: FreshCacheOptions<V>;
  readonly #entries: BoundedCache<string, Entry<V>>;
  readonly #loading = new Map<string, Promise<V | undefined>>();

  constructor(options: FreshCacheOptions<V>) {
    this.#options = options;
    this.#entries = new BoundedCache(options.maxEntries);
  }

  /** The value, at once where memory has a fresh one. */
  get(key: string): V | Promise<V | undefined> {
    const entry = this.#entries.get(key);
    if (entry === undefined) return this.#load(key);
    const ageMs = this.#options.clock.monotonic() - entry.loadedAt;
    if (ageMs < this.#options.refreshAfterMs) return entry.value;
    if (ageMs >= this.#options.maxAgeMs) return this.#load(key);
    if (!this.#loading.has(key)) this.#load(key).catch(this.#options.onRefreshError);
    return entry.value;
  }

  /** What memory has, however old it is. */
  peek(key: string): V | undefined {
    return this.#entries.get(key)?.value;
  }

  /**
   * Loads the value now, however fresh the one in memory is.
   *
   * @param load From what has just been read, where somebody has that.
   */
  reload(
    key: string,
    load: FreshCacheOptions<V>['load'] = this.#options.load,
  ): Promise<V | undefined> {
    this.#loading.delete(key);
    return this.#load(key, load);
  }

  /** Drops a value, and the outcome of a load that is under way. */
  forget(key: string): void {
    this.#loading.delete(key);
    this.#entries.delete(key);
  }

  #load(key: string, load = this.#options.load): Promise<V | undefined> {
    const underWay = this.#loading.get(key);
    if (underWay !== undefined) return underWay;
    const startedAt = this.#options.clock.monotonic();
    const known = this.#entries.get(key)?.value;
    const loading: Promise<V | undefined> = load(key, known).then(
      (value) => {
        // Loaded anew or forgotten meanwhile: what was read before that is not to be kept.
        if (this.#loading.get(key) !== loading) return value;
        this.#loading.delete(key);
        if (value === undefined) this.#entries.delete(key);
        else this.#entries.set(key, { value, loadedAt: startedAt });
        return value;
      },
      (error: unknown) => {
        if (this.#loading.get(key) === loading) this.#loading.delete(key);
        throw error;
      },
    );
    this.#loading.set(key, loading);
    return loading;
  }
}
