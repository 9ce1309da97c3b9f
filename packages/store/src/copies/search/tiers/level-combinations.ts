import type { Filter, Steps, TextCondition } from '@patchbay/connectors/engine';
import { compileFilter, negated } from '../filter/compile-filter.ts';
import type { Compiler } from '../filter/compiler.ts';
import { conditionsOf, scopeOf, type StandingCondition } from '../filter/conditions.ts';
import { findPlace } from '../filter/field-place.ts';
import type { Level } from '../filter/level.ts';
import { allOf, notOf, unknown, type Predicate } from '../filter/predicate.ts';
import { MAX_COMBINATIONS, textLevels } from './text-levels.ts';

/** A text condition that counts for the score. */
interface ScoredCondition {
  readonly condition: TextCondition;
  readonly isInRow: boolean;
  /** Whatever matches the filter satisfies the condition. */
  readonly isCertain: boolean;
  /** How well the condition can hold; `undefined` where there are too many levels. */
  readonly levels: readonly Level[] | undefined;
}

/** For each text condition, how well it holds; no level where it does not. */
export type LevelCombination = readonly {
  readonly scored: ScoredCondition;
  readonly level: Level | undefined;
}[];

/**
 * How well the text conditions of a filter can hold together: every combination, or `alike` where
 * all of them score 1.
 *
 * @returns `undefined` where there are too many.
 */
export function combinationsOf(
  compiler: Compiler,
  filter: Filter,
): readonly LevelCombination[] | 'alike' | undefined {
  const conditions = conditionsOf(filter).flatMap((each) => scoredCondition(compiler, each));
  if (conditions.every(({ levels }) => levels?.every(({ score }) => score === 1))) return 'alike';
  let combinations: readonly LevelCombination[] = [[]];
  for (const scored of conditions) {
    if (scored.levels === undefined) return undefined;
    const levels = scored.isCertain ? scored.levels : [...scored.levels, undefined];
    if (combinations.length * levels.length > MAX_COMBINATIONS) return undefined;
    combinations = combinations.flatMap((begun) =>
      levels.map((level) => [...begun, { scored, level }]),
    );
  }
  return combinations;
}

function scoredCondition(
  compiler: Compiler,
  standing: StandingCondition,
): readonly ScoredCondition[] {
  const { condition, nots, arrays, isCertain } = standing;
  if (nots > 0) return [];
  switch (condition.operator) {
    case 'like':
    case 'keyword':
    case 'fuzzy': {
      const inside = scopeOf(compiler, standing);
      const levels = textLevels(inside, findPlace(inside, condition.path), condition);
      return [{ condition, isInRow: arrays.length === 0, isCertain, levels }];
    }
    default:
      return [];
  }
}

/** Computed in the order of the evaluator, so that not even the last bit differs. */
export function scoreOfCombination(combination: LevelCombination): number {
  const scores = combination.flatMap(({ level }) => (level === undefined ? [] : [level.score]));
  if (scores.length === 0) return 1;
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

/** Whether a row matches the filter, its text conditions holding as the combination says. */
export function* compileCombination(
  compiler: Compiler,
  filter: Filter,
  combination: LevelCombination,
): Steps<Predicate> {
  const known = new Map(
    combination
      .filter(({ scored }) => scored.isInRow)
      .map(({ scored, level }) => [scored.condition, level !== undefined] as const),
  );
  const parts: Predicate[] = [];
  for (const { scored, level } of combination)
    parts.push(level?.predicate ?? (yield* doesNotHold(compiler, scored)));
  return allOf([...parts, yield* compileFilter({ ...compiler, known }, filter)]);
}

function* doesNotHold(
  compiler: Compiler,
  { condition, isInRow }: ScoredCondition,
): Steps<Predicate> {
  // It may hold for an element that does not satisfy the rest.
  if (!isInRow) return unknown(false);
  return notOf(yield* compileFilter(negated(compiler), condition));
}
