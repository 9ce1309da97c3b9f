import {
  judge,
  judgeScore,
  type Effort,
  type Filter,
  type Steps,
} from '@patchbay/connectors/engine';
import type { Compiler } from '../filter/compiler.ts';
import { compileFilter } from '../filter/compile-filter.ts';
import { conditionsOf } from '../filter/conditions.ts';
import { parametersOf } from '../filter/parameters.ts';
import { anyOf, type Predicate } from '../filter/predicate.ts';
import { combinationsOf, compileCombination, scoreOfCombination } from './level-combinations.ts';

/** Values of a record's searchable fields by name. */
export type Values = Readonly<Record<string, unknown>>;

/** The rows of one score, or all that match. */
export interface Tier {
  /** `undefined` where only the values of a row tell it. */
  readonly score: number | undefined;
  readonly predicate: Predicate;
  /** Whether a row that the predicate holds for belongs here; only needed where it is not exact. */
  readonly accepts: (values: Values, effort: Effort | undefined) => Steps<boolean>;
}

/** The rows of one score. */
export interface ScoredTier extends Tier {
  readonly score: number;
}

/** Every row that matches, in one tier. */
export function* wholeTier(compiler: Compiler, filter: Filter): Steps<Tier> {
  return {
    score: undefined,
    predicate: yield* compileFilter(compiler, filter),
    accepts: (values, effort) => judge(filter, values, effort),
  };
}

/**
 * The tiers of a filter's scores, the best first: within one of them the record keys alone decide,
 * and indexes can be read in their order. What rows score follows from how well each text condition
 * holds for them, and few combinations of that are possible.
 *
 * @param whole The tier of all that match.
 * @returns `undefined` where there are too many combinations.
 */
export function* tiersOf(
  compiler: Compiler,
  filter: Filter,
  whole: Tier,
): Steps<readonly ScoredTier[] | undefined> {
  const combinations = combinationsOf(compiler, filter);
  if (combinations === undefined) return undefined;
  if (combinations === 'alike') return [{ ...whole, score: 1 }];
  const parameters = conditionsOf(filter).map(({ condition }) => parametersOf(condition));
  const ofOne = parameters.reduce((sum, each) => sum + each, 0);
  if (combinations.length * ofOne > MAX_TIER_PARAMETERS) return undefined;
  const tiers: ScoredTier[] = [];
  for (const [score, alike] of Map.groupBy(combinations, scoreOfCombination)) {
    const predicates: Predicate[] = [];
    for (const each of alike) predicates.push(yield* compileCombination(compiler, filter, each));
    const predicate = anyOf(predicates);
    if (predicate.constant === false) continue;
    tiers.push({ score, predicate, accepts: hasScore(filter, score) });
  }
  return tiers.toSorted((a, b) => b.score - a.score);
}

/** Tells whether a row matches with that very score. */
export function hasScore(filter: Filter, score: number): Tier['accepts'] {
  return function* accepts(values, effort) {
    return (
      (yield* judge(filter, values, effort)) &&
      (yield* judgeScore(filter, values, effort)) === score
    );
  };
}

/** A statement has at most 65,535, and a tier may consist of all combinations. What is longer is scored row by row. */
const MAX_TIER_PARAMETERS = 50_000;
