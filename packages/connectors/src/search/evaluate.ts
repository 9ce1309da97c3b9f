import { compareCodePoints } from './code-points.ts';
import type { Condition, Filter, Ordering, TextCondition } from './filter.ts';
import { isSameJson, objectsIn, valueAt } from './json-values.ts';
import { mean, textScore } from './text-conditions.ts';

/**
 * Whether a record satisfies a filter. This is what filters mean: whatever else evaluates them, in
 * SQL above all, is held to it by tests.
 *
 * @param values Searchable fields by name, well-formed; absent ones count as null.
 * @see docs/search.md#the-exact-rules
 */
export function matches(filter: Filter, values: Readonly<Record<string, unknown>>): boolean {
  switch (filter.operator) {
    case 'and':
      return filter.filters.every((each) => matches(each, values));
    case 'or':
      return filter.filters.some((each) => matches(each, values));
    case 'not':
      return !matches(filter.filter, values);
    default:
      return holds(filter, values);
  }
}

/**
 * How well a record satisfies a filter that it matches: the mean over the text conditions that hold
 * and are not under `not`, in the order of the filter; 1 if there are none. One inside `any` holds
 * where it holds for some element, and counts as for the best of them.
 */
export function scoreOf(filter: Filter, values: Readonly<Record<string, unknown>>): number {
  const scores = textScores(filter, [values]).filter((score) => score > 0);
  return scores.length === 0 ? 1 : mean(scores);
}

function holds(condition: Condition, values: Readonly<Record<string, unknown>>): boolean {
  const value = valueAt(values, condition.path.segments);
  switch (condition.operator) {
    case 'eq':
      return isSameJson(value, condition.value);
    case 'in':
      return condition.values.some((each) => isSameJson(value, each));
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return isOrdered(condition.operator, value, condition.value);
    case 'like':
    case 'keyword':
    case 'fuzzy':
      return textScore(condition, values) > 0;
    case 'contains':
      return Array.isArray(value) && value.some((each) => isSameJson(each, condition.value));
    case 'any':
      return objectsIn(value).some((element) => matches(condition.filter, element));
  }
}

/** False where the types differ: there is no order between them, nor with null. */
function isOrdered(operator: Ordering, value: unknown, operand: number | string): boolean {
  const order =
    typeof value === 'string' && typeof operand === 'string'
      ? compareCodePoints(value, operand)
      : typeof value === 'number' && typeof operand === 'number'
        ? value - operand
        : undefined;
  if (order === undefined) return false;
  switch (operator) {
    case 'gt':
      return order > 0;
    case 'gte':
      return order >= 0;
    case 'lt':
      return order < 0;
    case 'lte':
      return order <= 0;
  }
}

/** The scores of the text conditions not under `not`, each the best over what it may start from. */
function textScores(
  filter: Filter,
  roots: readonly Readonly<Record<string, unknown>>[],
): readonly number[] {
  switch (filter.operator) {
    case 'and':
    case 'or':
      return filter.filters.flatMap((each) => textScores(each, roots));
    case 'any': {
      const { segments } = filter.path;
      const elements = roots.flatMap((root) => objectsIn(valueAt(root, segments)));
      return textScores(filter.filter, elements);
    }
    case 'like':
    case 'keyword':
    case 'fuzzy':
      return [bestScore(filter, roots)];
    default:
      return [];
  }
}

function bestScore(
  condition: TextCondition,
  roots: readonly Readonly<Record<string, unknown>>[],
): number {
  return roots.reduce((best, root) => Math.max(best, textScore(condition, root)), 0);
}
