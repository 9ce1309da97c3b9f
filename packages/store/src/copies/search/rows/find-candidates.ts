import { compareCodePoints } from '@patchbay/connectors/engine';
import { BatchSize } from './batch-size.ts';
import { gather, withoutCommon } from './gather.ts';
import { isWalkable, type Position } from '../order/order.ts';
import { segmentsOf } from '../order/segments.ts';
import { candidatesOf } from './found-rows.ts';
import { sortInSteps } from './sort-in-steps.ts';
import { longestStep } from './step-length.ts';
import { hasLong, walk } from './walk.ts';
import { needsValues, type Candidate, type RowQuery } from './row-query.ts';

/**
 * Yields the rows that are wanted, in their order.
 *
 * Nobody knows beforehand how many rows match. So the search first walks a little along an index in
 * the wanted order. If every few rows one is wanted, it goes on that way; if they are rare, it gathers
 * them through other indexes and sorts them. Neither ever costs much more than the better way.
 *
 * @param count How many will be taken, at most.
 * @param begun What is known already of the first rows, where there is no sort.
 */
export async function* findCandidates(
  query: RowQuery,
  count: number,
  begun?: BegunWalk,
): AsyncGenerator<Candidate> {
  if (query.tier.predicate.constant === false) return;
  if (isLookedUp(query)) {
    yield* gather(query, query.after, count);
    return;
  }
  if (!isWalkable(query.order)) {
    yield* sortedCandidates(await withoutCommon(query), count);
    return;
  }
  const { candidates, ...progress } = begun ?? { candidates: [], ...NOTHING_WALKED };
  const { after } = query;
  const taken = candidates.filter(({ key }) => after === undefined || isLater(key, after.key));
  yield* taken;
  const isBegun = begun !== undefined && (after === undefined || isLater(begun.end.key, after.key));
  if (isBegun) query.onJudged?.(begun.end);
  yield* walkOn(query, isBegun ? begun.end : after, {
    ...progress,
    missing: count - taken.length,
  });
}

/** A walk in the order of keys that others have begun. */
export interface BegunWalk extends Omit<Progress, 'missing'> {
  readonly candidates: readonly Candidate[];
  /** The last row looked at. */
  readonly end: Position;
}

const NOTHING_WALKED = { walked: 0, taken: 0, toFetch: 0 };

function isLater(key: string, other: string): boolean {
  return compareCodePoints(key, other) > 0;
}

async function* walkOn(
  query: RowQuery,
  begin: Position | undefined,
  progress: Progress,
): AsyncGenerator<Candidate> {
  let { walked, taken, toFetch, missing } = progress;
  if (missing <= 0) return;
  const hasLongTexts = await hasLong(query);
  const batch = new BatchSize(query, { isWalk: true });
  let after = begin;
  let walking = query;
  let segments = segmentsOf({ ...query, after, hasLongTexts });
  let length = walked > 0 ? nextStep(query, walked, progress) : firstStep(query, missing);
  let longest = Number.isFinite(query.pace.stepMs) ? length : query.pace.longestStep;
  // In the middle of a segment: at its end, `after` is not where the walk has come to.
  let isWithin = walked > 0;
  for (;;) {
    if (isWithin && isGatheringBetter(walking, { walked, taken, toFetch, missing })) {
      // Where one statement for all of them would take long, the walk goes on.
      if (query.pace.stepMs !== Infinity) walking = await withoutCommon(walking);
      if (walking.tier.predicate.index === query.tier.predicate.index) {
        yield* gather(walking, after, missing);
        return;
      }
    }
    const [segment] = segments;
    if (segment === undefined) return;
    const limit = batch.next(missing);
    const begunAt = performance.now();
    const step = await walk(walking, segment, { length, limit });
    longest = longestStep(query.pace, longest, { length, ms: performance.now() - begunAt });
    yield* candidatesOf(query, step);
    batch.learn(step);
    taken += step.candidates.length;
    missing -= step.candidates.length;
    isWithin = step.end !== undefined;
    if (step.end === undefined) {
      segments = segments.slice(1);
      continue;
    }
    after = step.end;
    walked += step.walked;
    toFetch += step.toFetch;
    segments = segmentsOf({ ...query, after, hasLongTexts });
    length = Math.min(nextStep(query, length, { walked, taken, toFetch, missing }), longest);
  }
}

/** In an order that no index has, which everything that matches has to be sorted for. */
function sortedCandidates(query: RowQuery, count: number): AsyncGenerator<Candidate> {
  const isAtOnce = query.tier.predicate.index === 'inverted' || query.pace.stepMs === Infinity;
  return isAtOnce ? gather(query, query.after, count) : sortInSteps(query, count);
}

/** Whether a B-tree has the rows of one value, in their order: no walk finds them sooner. */
function isLookedUp({ tier, order }: RowQuery): boolean {
  return tier.predicate.lookup !== undefined && tier.predicate.breadth === 1 && order.length === 0;
}

function firstStep({ tier, pace }: RowQuery, count: number): number {
  if (tier.predicate.constant === true && tier.predicate.isExact) {
    return Math.min(count, pace.longestStep);
  }
  return Math.min(Math.max(pace.firstStep, count), pace.longestFirstStep);
}

/** What a walk has found so far. */
export interface Progress {
  readonly walked: number;
  readonly taken: number;
  /** Rows that an index would have had to fetch. */
  readonly toFetch: number;
  readonly missing: number;
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
  return ASSUMED_ROWS * toFetch * Math.max(taken, 0.5) < atOnce * walked ** 2;
}

const ASSUMED_ROWS = 1_000_000;
