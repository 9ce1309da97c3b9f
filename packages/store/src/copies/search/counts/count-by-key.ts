import type { PlannerHint } from '../../planned.ts';
import type { Position } from '../order/order.ts';
import { segmentsOf } from '../order/segments.ts';
import { isGatheringBetter, nextStep, type Progress } from '../rows/ways.ts';
import { longestStep } from '../rows/step-length.ts';
import { gatheredSql, hintOf } from '../rows/gather.ts';
import type { FirstLook, RowQuery } from '../rows/row-query.ts';
import { nextRowsSql, walkedSql } from '../rows/walk.ts';
import { findKey, windowSql } from '../rows/window.ts';
import { tallyRows, type TallyQuery, type TallyStep } from './tally-rows.ts';

/**
 * Counts what the database can tell, along the keys. As nobody knows beforehand how many rows match, it
 * first walks a little, unless that has been done; how it goes on follows from how many of the rows so far did.
 *
 * @param look What is known already of the first rows.
 * @returns How many match, at most one more than are counted.
 */
export async function countByKey(query: TallyQuery, look: FirstLook | undefined): Promise<number> {
  const { pace, tier } = query;
  if (tier.predicate.constant === false) return 0;
  const most = pace.counted + 1;
  let length = firstLength(query, most);
  let longest = Number.isFinite(pace.stepMs) ? length : pace.longestStep;
  let after: Position | undefined;
  let walked = 0;
  let taken = 0;
  let way: CountWay = 'walk';
  const goOn = (progress: Progress) => {
    // Few rows that match do not become many by being read.
    way = way === 'gather' ? way : bestCountWay(query, progress);
    length =
      way === 'window'
        ? countWindowLength(query, progress)
        : Math.min(nextStep(query, length, progress), longest);
  };
  if (look !== undefined && tier.predicate.constant !== true)
    goOn({ ...look, toFetch: look.taken, missing: most });
  for (;;) {
    const begunAt = performance.now();
    const step = await COUNT_WAYS[way](query, { after, taken }, length);
    longest = longestStep(query.pace, longest, { length, ms: performance.now() - begunAt });
    walked += step.walked;
    taken += step.matched;
    if (taken >= most || step.end === null) return taken;
    after = { values: [], key: step.end };
    goOn({ walked, taken, toFetch: taken, missing: most - taken });
  }
}

function firstLength({ pace, tier }: RowQuery, most: number): number {
  const isEverything = tier.predicate.constant === true && !Number.isFinite(pace.stepMs);
  return isEverything ? Math.min(most, pace.longestStep) : pace.firstStep;
}

/** How far a count has come. */
interface Count {
  readonly after: Position | undefined;
  readonly taken: number;
}

/** What the next statement looks at: the next rows one by one, those of them that indexes find, or all that these find. */
type CountWay = 'walk' | 'window' | 'gather';

/** Looks at the rows after a position; `end` is where to go on, `null` where there are no more. */
const COUNT_WAYS: Readonly<
  Record<CountWay, (query: TallyQuery, count: Count, length: number) => Promise<TallyStep>>
> = { walk: walkSome, window: gatherWindow, gather: gatherMatches };

/** Of as many rows as match at least, a walk finds enough soon. */
const WALKED_SHARE = 1 / 2;
/** Where fewer match, all of them are few. */
const GATHERED_SHARE = 1 / 20;

function bestCountWay(query: TallyQuery, progress: Progress): CountWay {
  const { index, lookup, breadth } = query.tier.predicate;
  if (lookup === undefined && breadth > query.pace.gatheredTerms) return 'walk';
  if (index === 'none') return isGatheringBetter(query, progress) ? 'gather' : 'walk';
  const share = progress.taken / progress.walked;
  if (share >= WALKED_SHARE) return 'walk';
  return share < GATHERED_SHARE ? 'gather' : 'window';
}

/** More rows than should be needed: where they do not have enough, the next window has. */
const COUNT_RESERVE = 1.2;

function countWindowLength({ pace }: RowQuery, { walked, taken, missing }: Progress): number {
  return Math.min(Math.ceil((COUNT_RESERVE * missing * walked) / taken), pace.longestWindow);
}

async function walkSome(
  query: TallyQuery,
  { after, taken }: Count,
  length: number,
): Promise<TallyStep> {
  const { pace } = query;
  if (query.tier.predicate.constant === true) {
    const { matched, end } = await takeNext(query, { after, taken }, { length, hint: 'walk' });
    return { matched, end, walked: matched };
  }
  const [segment] = segmentsOf({ ...query, after, hasLongTexts: false });
  if (segment === undefined) throw new Error('keys are one segment');
  const walked = { ...query, used: [...query.used, ...query.facetColumns] };
  const step = await tallyRows(query, {
    hint: length > pace.firstStep ? 'walk' : undefined,
    from: walkedSql(query, nextRowsSql(walked, segment, length), length),
    isWalk: true,
    limit: pace.counted + 1 - taken,
    facetRows: pace.counted - taken,
  });
  return { ...step, end: step.walked < length ? null : step.end };
}

/**
 * Finds the rows of a range of keys through an index of keys and those of the predicate together: few
 * of the rows that only one of them finds are read.
 */
async function gatherWindow(
  query: TallyQuery,
  { after, taken }: Count,
  length: number,
): Promise<TallyStep> {
  const { pace } = query;
  const last = await findKey(query, after, length);
  const limit = pace.counted + 1 - taken;
  const { matched } = await tallyRows(query, {
    hint: 'intersect',
    from: windowSql({ ...query, needed: query.facetColumns }, { after, last, limit }),
    isWalk: false,
    limit,
    facetRows: pace.counted - taken,
  });
  return { matched, end: last ?? null, walked: length };
}

function gatherMatches(query: TallyQuery, count: Count): Promise<TallyStep> {
  return takeNext(query, count, { length: query.pace.longestBatch, hint: hintOf(query) });
}

/** The next rows that match. */
async function takeNext(
  query: TallyQuery,
  { after, taken }: Count,
  { length, hint }: { readonly length: number; readonly hint: PlannerHint | undefined },
): Promise<TallyStep> {
  const { pace } = query;
  const limit = Math.min(pace.counted + 1 - taken, length);
  const step = await tallyRows(query, {
    hint,
    from: gatheredSql({ ...query, needed: query.facetColumns }, after, limit),
    isWalk: false,
    limit,
    facetRows: pace.counted - taken,
  });
  return { ...step, end: step.matched < limit ? null : step.end };
}
