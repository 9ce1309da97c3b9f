import type { PlainOperator } from './filter-tree.ts';

/** What a form offers: the operators of filters, and what it means to compare with null. */
export type OfferedOperator = PlainOperator | 'any' | 'is_null' | 'is_not_null';

export const OPERATOR_LABELS: Readonly<Record<OfferedOperator, string>> = {
  eq: 'is',
  neq: 'is not',
  gt: 'is greater than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  in: 'is one of',
  like: 'contains the text',
  keyword: 'has one of the words',
  fuzzy: 'has words like',
  contains: 'has the element',
  any: 'has an element where',
  is_null: 'is null or absent',
  is_not_null: 'is there',
};

const ALL = Object.keys(OPERATOR_LABELS) as readonly OfferedOperator[];
const TEXTS: readonly OfferedOperator[] = ['fuzzy', 'keyword', 'like'];
const NULLS: readonly OfferedOperator[] = ['is_null', 'is_not_null'];
const ORDERED: readonly OfferedOperator[] = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in'];

/**
 * The operators that make sense for a field of a type, the most usual first. The service takes more of them: what
 * the JSON has is shown all the same.
 */
export function operatorsFor(type: string | undefined): readonly OfferedOperator[] {
  switch (type) {
    case 'string':
      return ['eq', 'neq', ...TEXTS, 'in', 'gt', 'gte', 'lt', 'lte', ...NULLS];
    case 'integer':
    case 'number':
      return [...ORDERED, ...NULLS];
    case 'boolean':
      return ['eq', 'neq', ...NULLS];
    case 'object':
      return [...TEXTS, ...NULLS];
    case 'array':
      return ['contains', 'any', ...TEXTS, ...NULLS];
    default:
      return ALL;
  }
}
