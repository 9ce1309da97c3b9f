import { matches, scoreOf, type TextCondition } from '@patchbay/connectors/engine';
import { sql } from 'kysely';
import { mayFitScalar } from '../../terms.ts';
import type { Compiler } from '../filter/compiler.ts';
import type { FieldPlace } from '../filter/field-place.ts';
import { fuzzyLevels } from '../filter/fuzzy-words.ts';
import { predicateOf, type Level } from '../filter/level.ts';
import { compileLike } from '../filter/like.ts';
import { allOf, anyOf, exactly, unknown } from '../filter/predicate.ts';
import { keywordLevels } from './keyword-levels.ts';

/**
 * Every score that a text condition can have, the best first.
 *
 * @returns `undefined` where they are too many, or where terms do not tell.
 */
export function textLevels(
  compiler: Compiler,
  place: FieldPlace,
  condition: TextCondition,
): readonly Level[] | undefined {
  if (place.type === 'boolean') return booleanLevels(place, condition);
  if (condition.operator !== 'like' && !place.hasOwnWords) {
    if (condition.words.some(mayFitScalar)) return undefined;
  }
  switch (condition.operator) {
    case 'like': {
      const predicate = place.hasOwnWords
        ? compileLike(compiler, place, condition.pattern)
        : unknown(false);
      return [{ score: 1, predicate }];
    }
    case 'keyword':
      return keywordLevels(compiler, place, condition.words);
    case 'fuzzy':
      if (condition.words.length === 0) return [];
      return combinedLevels(condition.words.map((word) => fuzzyLevels(compiler, place, word)));
  }
}

function booleanLevels(
  { sql: value, column }: FieldPlace,
  condition: TextCondition,
): readonly Level[] {
  const name = column?.field.name ?? '';
  return [true, false]
    .filter((each) => matches(condition, { [name]: each }))
    .map((each) => ({
      score: scoreOf(condition, { [name]: each }),
      predicate: exactly(sql`${value} = ${each}::boolean`),
    }));
}

/** More combinations of levels than these are not told apart. */
export const MAX_COMBINATIONS = 64;

/**
 * The scores that several levels have in the mean, the best first.
 *
 * @returns `undefined` where they are too many.
 */
function combinedLevels(
  given: readonly (readonly Level[] | undefined)[],
): readonly Level[] | undefined {
  const parts = given.filter((levels) => levels !== undefined);
  if (parts.length < given.length) return undefined;
  const count = parts.reduce((product, levels) => product * levels.length, 1);
  if (count > MAX_COMBINATIONS) return undefined;
  const combinations = parts.reduce<readonly (readonly Level[])[]>(
    (begun, levels) => begun.flatMap((each) => levels.map((level) => [...each, level])),
    [[]],
  );
  const byScore = Map.groupBy(combinations, meanOf);
  return [...byScore]
    .map(([score, alike]) => ({
      score,
      predicate: anyOf(alike.map((levels) => allOf(levels.map(predicateOf)))),
    }))
    .toSorted((a, b) => b.score - a.score);
}

/** In the order of the evaluator, so that not even the last bit differs. */
function meanOf(levels: readonly Level[]): number {
  return levels.reduce((sum, { score }) => sum + score, 0) / levels.length;
}
