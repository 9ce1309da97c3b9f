/** How many searches are remembered while they are paged; each takes eight bytes a match. */
const MAX_SEARCHES = 4;
/** More than the records that any collection can have. */
const POSITION_RANGE = 2_097_152;

/** A match as one number, so that a million of them sort fast: its sort key, then its position. */
export type Match = number;

/** Packs a sort key and a position into a match. */
export function matchOf(sortKey: number, position: number): Match {
  return sortKey * POSITION_RANGE + position;
}

/** The position in a match. */
export function positionIn(match: Match): number {
  return match % POSITION_RANGE;
}

/** The sort key in a match. */
export function sortKeyIn(match: Match): number {
  return Math.floor(match / POSITION_RANGE);
}

/** How many of the sorted matches are smaller than a given one. */
export function countBelow(matches: Float64Array, match: Match): number {
  let low = 0;
  let high = matches.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((matches[middle] ?? 0) < match) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The sorted matches of the latest searches, until a record changes. */
export class SearchResults {
  readonly #results = new Map<string, Float64Array>();

  getOrFind(key: string, find: () => Float64Array): Float64Array {
    const found = this.#results.get(key) ?? find();
    this.#results.delete(key);
    this.#results.set(key, found);
    const oldest = this.#results.keys().next();
    if (this.#results.size > MAX_SEARCHES && oldest.done !== true) {
      this.#results.delete(oldest.value);
    }
    return found;
  }

  clear(): void {
    this.#results.clear();
  }
}
