import { compareCodePoints } from '@patchbay/connectors/engine';
import { BatchSize } from './batch-size.ts';
import { gather, withoutCommon } from './gather.ts';
import { isWalkable, type Position } from '../order/order.ts';
import { segmentsOf } from '../order/segments.ts';
import { candidatesOf } from './found-rows.ts';
import { sortInSteps } from './sort-in-steps.ts';
import { rowsInRange, rowsOfTerms, takeFew } from './few.ts';
import { longestStep } from './step-length.ts';
import { walkRange } from './walk-range.ts';
import { hasLong, walk } from './walk.ts';
import type { Candidate, RowQuery } from './row-query.ts';
import {
  bestWay,
  fewRowsOf,
  nextStep,
  rowsToFetch,
  windowLength,
  type KnownOfRows,
  type Progress,
} from './ways.ts';
import { lookThrough } from './window.ts';

/**
 * Yields the rows that are wanted, in their order.
 *
 * Nobody knows beforehand how many rows match. So the search first walks a little along an index in
 * the wanted order, and then goes on in the way that should cost least by what it has seen (`ways.ts`).
 * What a wrong guess costs is bounded by what the better way does.
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
  if (progress.missing <= 0) return;
  const hasLongTexts = await hasLong(query);
  const batch = new BatchSize(query, { isWalk: true });
  const walking: Walking = { ...progress, query, after: begin, moreThan: 0, isWideRange: false };
  let segments = segmentsOf({ ...query, after: begin, hasLongTexts });
  let length =
    progress.walked > 0
      ? nextStep(query, progress.walked, progress)
      : firstStep(query, progress.missing);
  let longest = Number.isFinite(query.pace.stepMs) ? length : query.pace.longestStep;
  // In the middle of a segment: at its end, `after` is not where the walk has come to.
  let isWithin = progress.walked > 0;
  for (;;) {
    const way = isWithin ? bestWay(walking.query, walking, walking) : 'walk';
    if (way === 'few' || way === 'narrow') {
      if (yield* takeAllFew(walking, way)) return;
      continue;
    }
    if (way === 'range' || way === 'gather') {
      if (yield* takeRest(walking, way)) return;
    }
    const [segment] = segments;
    if (segment === undefined) return;
    const limit = batch.next(walking.missing);
    const begunAt = performance.now();
    if (way === 'window') length = windowLength(query, walking);
    const step =
      way === 'window'
        ? await lookThrough(query, { after: walking.after, length, limit })
        : await walk(walking.query, segment, { length, limit });
    longest = longestStep(query.pace, longest, { length, ms: performance.now() - begunAt });
    const isFirst = walking.after === undefined && query.order.length === 0;
    if (isFirst) query.onFirstLook?.({ walked: step.walked, taken: step.candidates.length });
    yield* candidatesOf(query, step);
    batch.learn(step);
    walking.taken += step.candidates.length;
    walking.missing -= step.candidates.length;
    isWithin = step.end !== undefined;
    if (step.end === undefined) {
      segments = segments.slice(1);
      continue;
    }
    walking.after = step.end;
    walking.toFetch += step.toFetch ?? (walking.toFetch * step.walked) / walking.walked;
    walking.walked += step.walked;
    segments = segmentsOf({ ...query, after: step.end, hasLongTexts });
    length = Math.min(nextStep(query, length, walking), longest);
  }
}

/** A walk in the middle of a segment. */
interface Walking extends Writable<Progress & KnownOfRows> {
  query: RowQuery;
  after: Position | undefined;
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Takes what is left, if that is among few rows of an index; finds out that it is not otherwise. */
async function* takeAllFew(
  walking: Walking,
  way: 'few' | 'narrow',
): AsyncGenerator<Candidate, boolean> {
  const { query, after, missing: count } = walking;
  const { range } = query.tier.predicate;
  if (way === 'narrow' && range !== undefined) {
    const most = query.pace.fewRows;
    if (yield* takeFew(query, rowsInRange(query, range), { after, count, most })) return true;
    walking.isWideRange = true;
    return false;
  }
  const most = fewRowsOf(query, rowsToFetch(query, walking, walking.moreThan));
  if (yield* takeFew(query, rowsOfTerms(query), { after, count, most })) return true;
  walking.moreThan = most;
  return false;
}

/** Takes what is left, however many rows that takes, unless that would be one statement that takes long. */
async function* takeRest(
  walking: Walking,
  way: 'range' | 'gather',
): AsyncGenerator<Candidate, boolean> {
  const { query, after, missing: count } = walking;
  const { range } = query.tier.predicate;
  if (way === 'range' && range !== undefined) {
    yield* walkRange(query, range, { after, count });
    return true;
  }
  if (query.pace.stepMs !== Infinity) {
    walking.query = await withoutCommon(query);
    if (walking.query !== query) return false;
  }
  yield* gather(query, after, count);
  return true;
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
