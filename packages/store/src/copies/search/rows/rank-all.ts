import {
  compareCodePoints,
  judgeScore,
  type Effort,
  type Filter,
  type Steps,
} from '@patchbay/connectors/engine';
import { findCandidates } from './find-candidates.ts';
import type { PageEnd } from '../order/cursor.ts';
import { candidatesOf } from './found-rows.ts';
import { gatherFew } from './gather.ts';
import { segmentsOf } from '../order/segments.ts';
import type { Position } from '../order/order.ts';
import type { HitPlace } from './read-hits.ts';
import { walk } from './walk.ts';
import { hasScore, type Tier } from '../tiers/tiers.ts';
import { TimeSlices } from '../../../time-slices.ts';
import type { Candidate, RowQuery } from './row-query.ts';

/** Which of the rows that match are asked for. */
export interface Ranking {
  readonly filter: Filter;
  readonly after: PageEnd | undefined;
  readonly count: number;
}

export interface Ranked {
  readonly score: number;
  readonly candidate: Candidate;
}

/**
 * Scores every row that matches, and returns the best after a position: the way left where scores
 * are too many to read the rows of one after another. No more than twice `count` are held at once.
 *
 * Until then nothing of the order is known, so that a search which is over before finds nothing.
 *
 * @param query In no order, after no position.
 */
export async function rankAll(query: RowQuery, ranking: Ranking): Promise<readonly HitPlace[]> {
  const { count } = ranking;
  const slices = new TimeSlices(query.signal);
  let best: readonly Ranked[] = [];
  let others: Ranked[] = [];
  for await (const candidate of findCandidates(withFields(query), Infinity)) {
    others.push(...(await slices.finish(rank([candidate], ranking, query.effort))));
    if (others.length < count) continue;
    best = [...best, ...others].toSorted(compareRanked).slice(0, count);
    others = [];
  }
  return bestPlaces([...best, ...others], query.tier, ranking);
}

/**
 * The same where few rows match, found all at once; `undefined` where they are not that few.
 */
export async function rankFew(
  query: RowQuery,
  ranking: Ranking,
): Promise<readonly HitPlace[] | undefined> {
  const few = await gatherFew(withFields(query), query.pace.fewRows);
  if (few === undefined) return undefined;
  const ranked = await new TimeSlices(query.signal).finish(rank(few, ranking, query.effort));
  return bestPlaces(ranked, query.tier, ranking);
}

/** Scores of the first rows in the order of keys. */
export interface ScoreProbe {
  /** Those that match, in the order of keys. */
  readonly ranked: readonly Ranked[];
  readonly walked: number;
  /** The last row looked at; `undefined` where there are no more. */
  readonly end: Position | undefined;
}

/**
 * Looks at the first rows of a copy: how frequent scores are, nobody knows beforehand.
 *
 * @param query In no order, after no position.
 */
export async function probeScores(query: RowQuery, filter: Filter): Promise<ScoreProbe> {
  const { effort, signal } = query;
  const length = query.pace.firstStep;
  const [segment] = segmentsOf({ ...query, hasLongTexts: false });
  if (segment === undefined) return { ranked: [], walked: 0, end: undefined };
  const all = withFields(query);
  const step = await walk(all, segment, { length, limit: length });
  const ranking = { filter, after: undefined, count: length };
  const candidates = [...candidatesOf(all, step)];
  const ranked = await new TimeSlices(signal).finish(rank(candidates, ranking, effort));
  return { ranked, walked: step.walked, end: step.end };
}

function withFields(query: RowQuery): RowQuery {
  return { ...query, needed: query.used, shown: undefined, onJudged: undefined };
}

function* rank(
  candidates: readonly Candidate[],
  { filter, after }: Ranking,
  effort: Effort | undefined,
): Steps<readonly Ranked[]> {
  const ranked: Ranked[] = [];
  for (const { key, values, fields = {} } of candidates) {
    const score = yield* judgeScore(filter, fields, effort);
    ranked.push({ score, candidate: { key, values, fields: undefined } });
    yield;
  }
  return following(ranked, after);
}

/** Those after the end of a page. */
function following(ranked: readonly Ranked[], after: PageEnd | undefined): readonly Ranked[] {
  if (after === undefined) return ranked;
  const { score = 0, key } = after;
  const end = { score, candidate: { key, values: [], fields: undefined } };
  return ranked.filter((each) => compareRanked(each, end) > 0);
}

function compareRanked(a: Ranked, b: Ranked): number {
  return b.score - a.score || compareCodePoints(a.candidate.key, b.candidate.key);
}

/** The best of them after a position. Each score is a tier of its own, whose rows the evaluator tells. */
export function bestPlaces(
  ranked: readonly Ranked[],
  whole: Tier,
  { filter, after, count }: Ranking,
): readonly HitPlace[] {
  const tiers = new Map<number, Tier>();
  const predicate = { ...whole.predicate, isExact: false };
  const best = following(ranked, after).toSorted(compareRanked).slice(0, count);
  return best.map(({ score, candidate }) => {
    const tier = tiers.get(score) ?? { score, predicate, accepts: hasScore(filter, score) };
    tiers.set(score, tier);
    return { candidate, tier };
  });
}
