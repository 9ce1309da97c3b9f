import type { Condition } from '@patchbay/connectors/engine';

/** What a condition takes besides its path: a text, a list of values, terms and grams, each more than once. */
const OF_CONDITION = 8;
/** A field is read so often where its text is looked through, and a path is as many parameters as it has members. */
const READINGS = 4;

/**
 * How many parameters a condition takes in SQL, roughly and at most: a statement has 65,535. Many values are a
 * parameter, but a long one.
 */
export function parametersOf(condition: Condition): number {
  const path = READINGS * condition.path.segments.length + OF_CONDITION;
  switch (condition.operator) {
    case 'fuzzy':
      return Math.max(1, condition.words.length) * path;
    case 'in':
      return path + condition.values.length / 4;
    default:
      return path;
  }
}
