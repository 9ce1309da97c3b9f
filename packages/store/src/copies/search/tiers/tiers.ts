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
export function wholeTier(compiler: Compiler, filter: Filter): Tier {
  return {
    score: undefined,
    predicate: compileFilter(compiler, filter),
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
export function tiersOf(
  compiler: Compiler,
  filter: Filter,
  whole: Tier,
): readonly ScoredTier[] | undefined {
  const combinations = combinationsOf(compiler, filter);
  if (combinations === undefined) return undefined;
  if (combinations === 'alike') return [{ ...whole, score: 1 }];
  if (combinations.length * parametersOf(filter) > MAX_PARAMETERS) return undefined;
  return [...Map.groupBy(combinations, scoreOfCombination)]
    .toSorted(([a], [b]) => b - a)
    .map(([score, alike]) => ({
      score,
      predicate: anyOf(alike.map((each) => compileCombination(compiler, filter, each))),
      accepts: hasScore(filter, score),
    }))
    .filter(({ predicate }) => predicate.constant !== false);
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

/** A statement has at most 65,535, and a tier may consist of all combinations. */
const MAX_PARAMETERS = 50_000;

/** Roughly how many parameters a filter takes in SQL, at most. */
function parametersOf(filter: Filter): number {
  return conditionsOf(filter).reduce(
    (sum, { condition }) => sum + 2 * condition.path.segments.length + 8,
    0,
  );
}
