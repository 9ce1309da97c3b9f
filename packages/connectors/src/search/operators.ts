import { MAX_WORDS } from './operand-types.ts';
import type { SearchType } from './search-schema.ts';

const COMBINATIONS = ['and', 'or', 'not'] as const;
/** The operators that are about fields, in the order of the design. */
export const CONDITIONS = [
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'like',
  'keyword',
  'fuzzy',
  'contains',
  'any',
] as const;
/** Every operator, those that join filters first. */
export const OPERATORS: readonly string[] = [...COMBINATIONS, ...CONDITIONS];

export type ConditionOperator = (typeof CONDITIONS)[number];

/** How many words a filter may have, for people. */
export const WORDS_ALLOWED = `at most ${MAX_WORDS} words in keyword and fuzzy together, repetitions counted`;

/** Whether an operator makes sense of a field; under a path the values' own types decide. */
export function fits(operator: ConditionOperator, type: SearchType | undefined): boolean {
  if (type === undefined) return true;
  switch (operator) {
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return type === 'string' || type === 'integer' || type === 'number';
    case 'contains':
    case 'any':
      return type === 'array';
    default:
      return true;
  }
}
