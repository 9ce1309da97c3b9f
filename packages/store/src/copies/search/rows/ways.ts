import { needsValues, type RowQuery } from './row-query.ts';

/** What a walk has found so far. */
export interface Progress {
  readonly walked: number;
  readonly taken: number;
  /** Rows that an index would have had to fetch. */
  readonly toFetch: number;
  readonly missing: number;
}

/** How to go on. */
export type Way =
  /** Row by row, in the wanted order. */
  | 'walk'
  /** Through the rows of some keys that the inverted indexes find. */
  | 'window'
  /** Through all rows that they find, if those are as few as expected. */
  | 'few'
  /** Through all rows of a range, if those are few. */
  | 'narrow'
  /** Through the rows of a range, however wide, by their keys. */
  | 'range'
  /** Through all rows that an index finds, however many. */
  | 'gather';

/** What was found out of a query's rows besides. */
export interface KnownOfRows {
  /** The inverted indexes find more rows than these. */
  readonly moreThan: number;
  /** The range of the predicate has more rows than those that are few. */
  readonly isWideRange: boolean;
}

/** How much of the rows a range has that is not narrow. */
const RANGE_SHARE = 0.5;
/** Of rows that none was seen of, so many. */
export const UNSEEN = { taken: 0.5, toFetch: 0.1 } as const;

/**
 * The way that should cost least. Rows are taken to be as frequent among those that follow as among
 * those walked; where that is wrong, the next step is larger and the next choice better.
 */
export function bestWay(query: RowQuery, progress: Progress, known: KnownOfRows): Way {
  const { index } = query.tier.predicate;
  if (!isInverted(query) || progress.missing === Infinity) {
    if (!isGatheringBetter(query, progress)) return 'walk';
    return index === 'range' && hasRange(query, progress) ? 'range' : 'gather';
  }
  const costs = costsOf(query, progress, known);
  const [cheapest] = costs.reduce((best, other) => (other[1] < best[1] ? other : best));
  return cheapest;
}

type Costs = readonly (readonly [Way, number])[];

/** In microseconds; `Infinity` of what cannot be done. */
function costsOf(
  query: RowQuery,
  progress: Progress,
  { moreThan, isWideRange }: KnownOfRows,
): Costs {
  const { pace, order, bounds, tier } = query;
  const { usesGrams = false, range } = tier.predicate;
  const { key, fetched } = pace.costs;
  const walked = pace.costs.walked + (usesGrams ? pace.costs.grams : 0);
  const posting = usesGrams ? pace.costs.gramPosting : pace.costs.posting;
  const all = rowsToFetch(query, progress, moreThan);
  const share = all / pace.assumedRows;
  const toWalk = rowsToWalk(progress);
  const windows = Math.ceil(toWalk / pace.longestWindow);
  const isByKey = order.length === 0;
  const hasNarrow = range !== undefined && bounds.length === 0 && !isWideRange;
  const isFew = !usesGrams && fewRowsOf(query, all) >= all;
  return [
    ['walk', walked * toWalk],
    ['few', isFew ? (posting + fetched) * all : Infinity],
    // To find out that there are more than a few would intersect the grams twice.
    ['gather', usesGrams ? (posting + fetched) * all : Infinity],
    // Only keys are an order that windows can be cut from.
    ['window', isByKey ? (key + fetched * share) * toWalk + posting * all * windows : Infinity],
    ['narrow', hasNarrow ? fetched * pace.fewRows : Infinity],
    [
      'range',
      hasRange(query, progress)
        ? key * pace.assumedRows * RANGE_SHARE + (fetched * progress.missing) / share
        : Infinity,
    ],
  ];
}

/** Whether a range can be gone through by key: in one statement, which looks at all entries of its index. */
function hasRange({ tier, order, pace }: RowQuery, { missing }: Progress): boolean {
  const isAtOnce = pace.stepMs === Infinity && missing < Infinity;
  return isAtOnce && order.length === 0 && tier.predicate.range !== undefined;
}

/** Whether the inverted indexes are how its rows are found, and soon, if they are not walked to. */
function isInverted({ tier, pace }: RowQuery): boolean {
  const { lookup, index, breadth } = tier.predicate;
  return lookup === undefined && index === 'inverted' && breadth <= pace.gatheredTerms;
}

/** All rows that the inverted indexes find. */
export function rowsToFetch(
  { pace }: RowQuery,
  { walked, toFetch }: Progress,
  moreThan: number,
): number {
  const seen = (pace.assumedRows * Math.max(toFetch, UNSEEN.toFetch)) / walked;
  return Math.max(seen, MORE_RESERVE * moreThan);
}

function rowsToWalk({ walked, taken, missing }: Progress): number {
  return (missing * walked) / Math.max(taken, UNSEEN.taken);
}

/** As there may be more than expected. */
const FEW_RESERVE = 2;
/** Of rows that proved to be more than expected, there may be so many more. */
const MORE_RESERVE = 4;

/** Rows that are looked at, at most, where so many are expected. */
export function fewRowsOf({ pace }: RowQuery, expected: number): number {
  const most = Number.isFinite(pace.stepMs) ? pace.commonRows : Infinity;
  return Math.min(Math.max(pace.fewRows, Math.ceil(FEW_RESERVE * expected)), most);
}

/** Of windows, the next one should be enough. */
const WINDOW_RESERVE = 1.3;

/** How many keys the next window should have. */
export function windowLength({ pace }: RowQuery, progress: Progress): number {
  const enough = Math.ceil(WINDOW_RESERVE * rowsToWalk(progress));
  return Math.min(Math.max(enough, pace.firstStep), pace.longestWindow);
}

/** How many rows the next step of a walk should look at. */
export function nextStep(
  { pace }: RowQuery,
  length: number,
  { walked, taken, missing }: Progress,
): number {
  const expected = taken === 0 ? 4 * length : (1.5 * missing * walked) / taken;
  return Math.ceil(Math.min(Math.max(expected, pace.firstStep), pace.longestStep));
}

/**
 * A walk goes on for `missing * walked / taken` rows; gathering fetches every row that an index finds,
 * of all, say a million: `1,000,000 * toFetch / walked`. Where none was taken, half of one is assumed.
 */
export function isGatheringBetter(
  query: RowQuery,
  { walked, taken, toFetch, missing }: Progress,
): boolean {
  const { index, lookup, breadth } = query.tier.predicate;
  if (lookup === undefined && breadth > query.pace.gatheredTerms) return false;
  if (lookup === undefined && index === 'none') {
    // Looking at all rows is only worth it if one batch is enough.
    const { longestWalk } = query.pace;
    const expected = taken === 0 ? Infinity : (missing * walked) / taken;
    return !needsValues(query) && walked >= longestWalk && expected > 10 * longestWalk;
  }
  // Rows with their values come in batches, and each means to gather anew.
  const atOnce = needsValues(query) ? Math.min(missing, query.pace.longestBatch) : missing;
  return query.pace.assumedRows * toFetch * Math.max(taken, UNSEEN.taken) < atOnce * walked ** 2;
}
