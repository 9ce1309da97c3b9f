import {
  judge,
  judgeScore,
  type Effort,
  type Filter,
  type Steps,
  type TextCondition,
} from '@patchbay/connectors/engine';
import { compileFilter, negated } from './compile-filter.ts';
import type { Compiler } from './compiler.ts';
import { findPlace, inElements } from './place.ts';
import { allOf, anyOf, notOf, unknown, type Predicate } from './predicate.ts';
import type { Level } from './level.ts';
import { textLevels } from './text-levels.ts';

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
 * holds for them, and few ways of that are possible.
 *
 * @returns `undefined` where there are too many ways.
 */
export function tiersOf(compiler: Compiler, filter: Filter): readonly ScoredTier[] | undefined {
  const ways = waysOf(scoredConditions(compiler, filter, true));
  if (ways === undefined) return undefined;
  if (ways === 'alike') return [{ ...wholeTier(compiler, filter), score: 1 }];
  if (ways.length * parametersOf(filter) > MAX_PARAMETERS) return undefined;
  return [...Map.groupBy(ways, scoreOfWay)]
    .toSorted(([a], [b]) => b - a)
    .map(([score, alike]) => ({
      score,
      predicate: anyOf(alike.map((way) => compileWay(compiler, filter, way))),
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

/** A statement has at most 65,535, and a tier may consist of all ways. */
const MAX_PARAMETERS = 50_000;

/** Roughly how many parameters a filter takes in SQL, at most. */
function parametersOf(filter: Filter): number {
  switch (filter.operator) {
    case 'and':
    case 'or':
      return filter.filters.reduce((sum, each) => sum + parametersOf(each), 0);
    case 'not':
      return parametersOf(filter.filter);
    default: {
      const own = 2 * filter.path.segments.length + 8;
      return filter.operator === 'any' ? own + parametersOf(filter.filter) : own;
    }
  }
}

/** A text condition that counts for the score. */
interface Scored {
  readonly condition: TextCondition;
  readonly isInRow: boolean;
  /** Whatever matches the filter satisfies the condition. */
  readonly isCertain: boolean;
  /** How well the condition can hold; `undefined` where there are too many ways. */
  readonly levels: readonly Level[] | undefined;
}

/** The text conditions that count for the score, in the order of the filter. */
function scoredConditions(
  compiler: Compiler,
  filter: Filter,
  isCertain: boolean,
): readonly Scored[] {
  switch (filter.operator) {
    case 'and':
      return filter.filters.flatMap((each) => scoredConditions(compiler, each, isCertain));
    case 'or':
      return filter.filters.flatMap((each) => scoredConditions(compiler, each, false));
    case 'any': {
      const inside = inElements(compiler, findPlace(compiler, filter.path));
      return scoredConditions(inside, filter.filter, isCertain);
    }
    case 'like':
    case 'keyword':
    case 'fuzzy': {
      const levels = textLevels(compiler, findPlace(compiler, filter.path), filter);
      const isInRow = compiler.root.element === undefined;
      return [{ condition: filter, isInRow, isCertain, levels }];
    }
    default:
      return [];
  }
}

/** For each text condition, how well it holds; no level where it does not. */
type Way = readonly { readonly scored: Scored; readonly level: Level | undefined }[];

/** More ways than these are not told apart. */
const MAX_WAYS = 64;

/** Every way for the text conditions to hold; `alike` where all of them score 1. */
function waysOf(conditions: readonly Scored[]): readonly Way[] | 'alike' | undefined {
  if (conditions.every(({ levels }) => levels?.every(({ score }) => score === 1))) return 'alike';
  let ways: readonly Way[] = [[]];
  for (const scored of conditions) {
    if (scored.levels === undefined) return undefined;
    const levels = scored.isCertain ? scored.levels : [...scored.levels, undefined];
    if (ways.length * levels.length > MAX_WAYS) return undefined;
    ways = ways.flatMap((way) => levels.map((level) => [...way, { scored, level }]));
  }
  return ways;
}

/** Computed in the order of the evaluator, so that not even the last bit differs. */
function scoreOfWay(way: Way): number {
  const scores = way.flatMap(({ level }) => (level === undefined ? [] : [level.score]));
  if (scores.length === 0) return 1;
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

function compileWay(compiler: Compiler, filter: Filter, way: Way): Predicate {
  const known = new Map(
    way
      .filter(({ scored }) => scored.isInRow)
      .map(({ scored, level }) => [scored.condition, level !== undefined] as const),
  );
  return allOf([
    ...way.map(({ scored, level }) => level?.predicate ?? doesNotHold(compiler, scored)),
    compileFilter({ ...compiler, known }, filter),
  ]);
}

function doesNotHold(compiler: Compiler, { condition, isInRow }: Scored): Predicate {
  // It may hold for an element that does not satisfy the rest.
  if (!isInRow) return unknown(false);
  return notOf(compileFilter(negated(compiler), condition));
}
