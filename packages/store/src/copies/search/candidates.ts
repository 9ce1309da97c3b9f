import { BatchSize } from './batch-size.ts';
import { gather, withoutCommon } from './gather.ts';
import { isWalkable, segmentsOf } from './order.ts';
import { hasLong, walk } from './walk.ts';
import { needsValues, type Candidate, type Wanted } from './wanted.ts';

/**
 * Yields the rows that are wanted, in their order.
 *
 * Nobody knows beforehand how many rows match. So the search first walks a little along an index in
 * the wanted order. If every few rows one is wanted, it goes on that way; if they are rare, it gathers
 * them through other indexes and sorts them. Neither ever costs much more than the better way.
 *
 * @param count How many will be taken, at most.
 */
export async function* findCandidates(wanted: Wanted, count: number): AsyncGenerator<Candidate> {
  if (wanted.tier.predicate.constant === false) return;
  if (!isWalkable(wanted.order)) {
    yield* gather(await withoutCommon(wanted), wanted.after, count);
    return;
  }
  const hasLongTexts = await hasLong(wanted);
  const batch = new BatchSize(wanted, { isWalk: true });
  let segments = segmentsOf({ ...wanted, hasLongTexts });
  let length = firstStep(wanted, count);
  let longest = Number.isFinite(wanted.pace.stepMs) ? length : wanted.pace.longestStep;
  let walked = 0;
  let taken = 0;
  for (;;) {
    const [segment] = segments;
    if (segment === undefined) return;
    const limit = batch.next(count - taken);
    const begunAt = performance.now();
    const step = await walk(wanted, segment, { length, limit });
    longest = longestStep(wanted, longest, { length, ms: performance.now() - begunAt });
    for (const candidate of step.candidates) {
      taken++;
      yield candidate;
    }
    batch.learn(step);
    if (step.end === undefined) {
      segments = segments.slice(1);
      continue;
    }
    const after = step.end;
    walked += step.walked;
    if (isGatheringBetter(wanted, { walked, taken, missing: count - taken })) {
      yield* gather(wanted, after, count - taken);
      return;
    }
    segments = segmentsOf({ ...wanted, after, hasLongTexts });
    const expected = nextStep(wanted, length, { walked, taken, missing: count - taken });
    length = Math.min(expected, longest);
  }
}

function firstStep({ tier, pace }: Wanted, count: number): number {
  if (tier.predicate.constant === true && tier.predicate.isExact) {
    return Math.min(count, pace.longestStep);
  }
  return Math.min(Math.max(pace.firstStep, count), pace.longestFirstStep);
}

/** What a walk has found so far. */
interface Progress {
  readonly walked: number;
  readonly taken: number;
  readonly missing: number;
}

function nextStep({ pace }: Wanted, length: number, { walked, taken, missing }: Progress): number {
  const expected = taken === 0 ? 4 * length : (1.5 * missing * walked) / taken;
  return Math.ceil(Math.min(Math.max(expected, pace.firstStep), pace.longestStep));
}

/** How long a step may be after one that took some time; waiting for one's turn counts as well. */
function longestStep(
  { pace }: Wanted,
  longest: number,
  { length, ms }: { readonly length: number; readonly ms: number },
): number {
  if (ms > pace.stepMs) return Math.max(1, Math.ceil(Math.min(longest, length) / 2));
  return Math.min(2 * longest, pace.longestStep);
}

/**
 * Where one in `n` rows is wanted, a walk looks at `n` rows for each, and gathering at every `n`th of
 * all, say a million: with `missing` rows to go they are even at `n = 1000 / sqrt(missing)`.
 */
function isGatheringBetter(wanted: Wanted, { walked, taken, missing }: Progress): boolean {
  if (wanted.tier.predicate.breadth > wanted.pace.gatheredTerms) return false;
  if (wanted.tier.predicate.index === 'none') {
    // Looking at all rows is only worth it if one batch is enough.
    const { longestWalk } = wanted.pace;
    const expected = taken === 0 ? Infinity : (missing * walked) / taken;
    return !needsValues(wanted) && walked >= longestWalk && expected > 10 * longestWalk;
  }
  // Rows with their values come in batches, and each means to gather anew.
  const atOnce = needsValues(wanted) ? Math.min(missing, wanted.pace.longestBatch) : missing;
  return taken * 1_000 < walked * Math.sqrt(atOnce);
}
