import { compareCodePoints } from './code-points.ts';
import { EFFORT_OF_VALUE, type Effort } from './effort.ts';
import type { Condition, Filter, Ordering } from './filter.ts';
import { isSameJson, objectsIn, valueAt } from './json-values.ts';
import { JudgedTexts } from './judged-texts.ts';
import { atOnce, type Steps } from './steps.ts';
import { mean, textScore } from './text-conditions.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * Whether a record satisfies a filter. This is what filters mean: whatever else evaluates them, in
 * SQL above all, is held to it by tests.
 *
 * @param values Searchable fields by name, well-formed; absent ones count as null.
 * @see docs/search.md#the-exact-rules
 */
export function matches(filter: Filter, values: Values): boolean {
  return atOnce(judge(filter, values));
}

/**
 * The same in steps, for those who must not keep others waiting.
 *
 * @param effort What it may cost; unbounded unless said.
 * @throws `search_too_broad` where the effort is exceeded.
 */
export function judge(filter: Filter, values: Values, effort?: Effort): Steps<boolean> {
  return satisfies(filter, values, new JudgedTexts(effort));
}

/**
 * How well a record satisfies a filter that it matches: the mean over the text conditions that hold
 * and are not under `not`, in the order of the filter; 1 if there are none. One inside `any` holds
 * where it holds for some element, and counts as for the best of them.
 */
export function scoreOf(filter: Filter, values: Values): number {
  return atOnce(judgeScore(filter, values));
}

/** The same in steps, bounded as in `judge`. */
export function* judgeScore(filter: Filter, values: Values, effort?: Effort): Steps<number> {
  const scores = (yield* textScores(filter, [values], new JudgedTexts(effort))).filter(
    (score) => score > 0,
  );
  return scores.length === 0 ? 1 : mean(scores);
}

function* satisfies(filter: Filter, values: Values, judged: JudgedTexts): Steps<boolean> {
  switch (filter.operator) {
    case 'and':
    case 'or': {
      const isOr = filter.operator === 'or';
      for (const each of filter.filters) {
        if ((yield* satisfies(each, values, judged)) === isOr) return isOr;
      }
      return !isOr;
    }
    case 'not':
      return !(yield* satisfies(filter.filter, values, judged));
    default:
      judged.effort?.spend(filter, 1);
      yield;
      return yield* holds(filter, values, judged);
  }
}

/** So many values are compared between two steps. */
const VALUES_A_STEP = 100;

function* holds(condition: Condition, values: Values, judged: JudgedTexts): Steps<boolean> {
  const value = valueAt(values, condition.path.segments);
  switch (condition.operator) {
    case 'eq':
      return isSameJson(value, condition.value);
    case 'in':
      judged.effort?.spend(condition, condition.values.length * EFFORT_OF_VALUE);
      for (const [index, each] of condition.values.entries()) {
        if (isSameJson(value, each)) return true;
        if (index % VALUES_A_STEP === 0) yield;
      }
      return false;
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return isOrdered(condition.operator, value, condition.value);
    case 'like':
    case 'keyword':
    case 'fuzzy':
      return (yield* textScore(condition, values, judged)) > 0;
    case 'contains':
      return Array.isArray(value) && value.some((each) => isSameJson(each, condition.value));
    case 'any':
      for (const element of objectsIn(value)) {
        if (yield* satisfies(condition.filter, element, judged)) return true;
      }
      return false;
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
function* textScores(
  filter: Filter,
  roots: readonly Values[],
  judged: JudgedTexts,
): Steps<readonly number[]> {
  switch (filter.operator) {
    case 'and':
    case 'or': {
      const scores: number[] = [];
      for (const each of filter.filters) scores.push(...(yield* textScores(each, roots, judged)));
      return scores;
    }
    case 'any': {
      const { segments } = filter.path;
      const elements = roots.flatMap((root) => objectsIn(valueAt(root, segments)));
      yield;
      return yield* textScores(filter.filter, elements, judged);
    }
    case 'like':
    case 'keyword':
    case 'fuzzy': {
      let best = 0;
      for (const root of roots) {
        best = Math.max(best, yield* textScore(filter, root, judged));
        if (best === 1) break;
        yield;
      }
      return [best];
    }
    default:
      return [];
  }
}
