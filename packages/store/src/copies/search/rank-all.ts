import {
  compareCodePoints,
  judgeScore,
  type Effort,
  type Filter,
  type Steps,
} from '@patchbay/connectors/engine';
import { findCandidates } from './candidates.ts';
import type { PageEnd } from './cursor.ts';
import { gatherFew } from './gather.ts';
import type { Place } from './read-hits.ts';
import { hasScore, type Tier } from './tiers.ts';
import { Turns } from '../turns.ts';
import type { Candidate, Wanted } from './wanted.ts';

/** Which of the rows that match are asked for. */
interface Ranking {
  readonly filter: Filter;
  readonly after: PageEnd | undefined;
  readonly count: number;
}

interface Ranked {
  readonly score: number;
  readonly candidate: Candidate;
}

/**
 * Scores every row that matches, and returns the best after a position: the way left where scores
 * are too many to read the rows of one after another. No more than twice `count` are held at once.
 *
 * @param wanted In no order, after no position.
 */
export async function rankAll(wanted: Wanted, ranking: Ranking): Promise<readonly Place[]> {
  const { count } = ranking;
  const turns = new Turns(wanted.signal);
  let best: readonly Ranked[] = [];
  let others: Ranked[] = [];
  for await (const candidate of findCandidates(withFields(wanted), Infinity)) {
    others.push(...(await turns.finish(rank([candidate], ranking, wanted.effort))));
    if (others.length < count) continue;
    best = [...best, ...others].toSorted(compareRanked).slice(0, count);
    others = [];
  }
  return placesOf([...best, ...others], wanted.tier, ranking);
}

/**
 * The same where few rows match, found all at once; `undefined` where they are not that few.
 */
export async function rankFew(
  wanted: Wanted,
  ranking: Ranking,
): Promise<readonly Place[] | undefined> {
  const few = await gatherFew(withFields(wanted), wanted.pace.fewRows);
  if (few === undefined) return undefined;
  const ranked = await new Turns(wanted.signal).finish(rank(few, ranking, wanted.effort));
  return placesOf(ranked, wanted.tier, ranking);
}

function withFields(wanted: Wanted): Wanted {
  return { ...wanted, needed: wanted.used, shown: undefined };
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
  if (after === undefined) return ranked;
  const { score = 0, key } = after;
  const begin = { score, candidate: { key, values: [], fields: undefined } };
  return ranked.filter((each) => compareRanked(each, begin) > 0);
}

function compareRanked(a: Ranked, b: Ranked): number {
  return b.score - a.score || compareCodePoints(a.candidate.key, b.candidate.key);
}

/** Each score is a tier of its own, whose rows the evaluator tells. */
function placesOf(
  ranked: readonly Ranked[],
  whole: Tier,
  { filter, count }: Ranking,
): readonly Place[] {
  const tiers = new Map<number, Tier>();
  const best = ranked.toSorted(compareRanked).slice(0, count);
  return best.map(({ score, candidate }) => {
    const tier = tiers.get(score) ?? {
      score,
      predicate: { ...whole.predicate, isExact: false },
      accepts: hasScore(filter, score),
    };
    tiers.set(score, tier);
    return { candidate, tier };
  });
}
