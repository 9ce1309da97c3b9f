import type { Clock } from '@patchbay/connectors';
import { QUICK_SEARCH_MS } from '@patchbay/store';
import { BoundedCache } from '../bounded-cache.ts';
import type { Release } from './fair-turns.ts';

/** Of such time a caller has so much at most; it is what several quick searches in a row take. */
export const QUICK_TIME_MS = 1_000;
/** So much of the time that passes comes back. */
const QUICK_TIME_BACK = 1 / 2;

const MAX_CALLERS = 10_000;

interface QuickTimeParts {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Milliseconds, of any beginning, that quick searches have had the database. */
  readonly searchedMs: () => number;
}

interface Account {
  readonly leftMs: number;
  readonly at: number;
}

/** A search that has begun. */
export interface QuickSearch {
  /** Milliseconds for which it goes before others' long searches. */
  readonly quickMs: number;
  /** To be called when it does no longer. */
  readonly onLong: () => void;
  readonly end: Release;
  /** In place of `end`, where it was given up, or failed: it is charged for all its time. */
  readonly giveUp: Release;
}

/**
 * Says how long a search goes before long ones. Whoever has searches under way more than half of the
 * time has no such time left: else many short searches, or long ones that are given up and asked for
 * again, would be as good as one long search that goes first. What a quick search waits for calls, long searches and
 * replication is none of that: else it would wait the longer, the longer it has waited.
 */
export class QuickTime {
  readonly #clock: QuickTimeParts['clock'];
  readonly #searchedMs: () => number;
  readonly #accounts = new BoundedCache<string, Account>(MAX_CALLERS);

  constructor({ clock, searchedMs }: QuickTimeParts) {
    this.#clock = clock;
    this.#searchedMs = searchedMs;
  }

  begin(caller: string): QuickSearch {
    const startedAt = this.#clock.monotonic();
    const searchedBefore = this.#searchedMs();
    let long: { readonly at: number; readonly searchedMs: number } | undefined;
    const quickMs = Math.min(QUICK_SEARCH_MS, this.#leftAt(caller, startedAt));
    const charge = (at: number, takenMs: number) =>
      this.#accounts.set(caller, { leftMs: Math.max(0, this.#leftAt(caller, at) - takenMs), at });
    return {
      quickMs,
      giveUp: () => {
        const at = this.#clock.monotonic();
        charge(at, at - startedAt);
      },
      onLong: () => {
        long ??= { at: this.#clock.monotonic(), searchedMs: this.#searchedMs() };
      },
      end: () => {
        const at = this.#clock.monotonic();
        const searchedMs = (long?.searchedMs ?? this.#searchedMs()) - searchedBefore;
        charge(at, searchedMs + (long === undefined ? 0 : at - long.at));
      },
    };
  }

  #leftAt(caller: string, now: number): number {
    const { leftMs, at } = this.#accounts.get(caller) ?? { leftMs: QUICK_TIME_MS, at: now };
    return Math.min(QUICK_TIME_MS, leftMs + (now - at) * QUICK_TIME_BACK);
  }
}
