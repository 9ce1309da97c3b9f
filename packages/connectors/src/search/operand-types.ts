import type { Condition } from './filter.ts';
import type { SearchType } from './search-schema.ts';

/** The operators that compare a field with an operand which is no filter; `neq` is said by `not`. */
export type PlainOperator = Exclude<Condition['operator'], 'any'>;

/** At most so many values in one `in`. */
export const MAX_VALUES = 1_000;
/** Characters of a pattern of `like`: what looking for it costs grows with them, times the texts'. */
export const MAX_PATTERN = 1_000;
/** Words that `keyword` and `fuzzy` may have in one filter, each as often as it is written. */
export const MAX_WORDS = 64;
/** Characters that all operands of `like`, `keyword` and `fuzzy` in one filter may have together. */
export const MAX_TEXT = 4_096;

/** JSON Schema of the operands that an operator takes for a field which it fits. */
export function operandSchema(operator: PlainOperator, type: SearchType | undefined): object {
  switch (operator) {
    case 'eq':
      return equalTo(type).schema;
    case 'in':
      return { type: 'array', items: equalTo(type).schema, maxItems: MAX_VALUES };
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return comparedWith(type).schema;
    case 'contains':
      return SCALAR.schema;
    case 'like':
      return PATTERN.schema;
    case 'keyword':
    case 'fuzzy':
      return { ...TEXT.schema, maxLength: MAX_TEXT };
  }
}

/** What an operand has to be. */
export interface Expected {
  /** The same as JSON Schema, for descriptions. */
  readonly schema: {
    readonly type?: string | readonly string[];
    readonly minimum?: number;
    readonly maximum?: number;
    readonly maxLength?: number;
  };
  /** Completes the sentence "must be …". */
  readonly words: string;
  readonly isMet: (value: unknown) => boolean;
  /** Tells values that are only too great from those of a wrong type. */
  readonly isOfType?: (value: unknown) => boolean;
}

const isString = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown) => typeof value === 'boolean';
const isLongerThan = (text: string, most: number) =>
  text.length > 2 * most || (text.length > most && Array.from(text).length > most);
const isNumber = (value: unknown) => Number.isFinite(value);
const isInteger = (value: unknown) => Number.isSafeInteger(value);
/** JSON can write numbers that no double holds. */
const isInfinite = (value: unknown) => typeof value === 'number' && !Number.isFinite(value);
const hasInfinite = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).some(hasInfinite)
    : isInfinite(value);

export const TEXT: Expected = { schema: { type: 'string' }, words: 'a string', isMet: isString };
export const PATTERN: Expected = {
  schema: { type: 'string', maxLength: MAX_PATTERN },
  words: `a string of at most ${MAX_PATTERN.toLocaleString('en')} characters`,
  isMet: (value) => isString(value) && !isLongerThan(value, MAX_PATTERN),
  isOfType: isString,
};
const INTEGER: Expected = {
  schema: {
    type: 'integer',
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  },
  words: `an integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`,
  isMet: isInteger,
  isOfType: (value) => Number.isInteger(value) || isInfinite(value),
};
const NUMBER: Expected = {
  schema: { type: 'number' },
  words: 'a number',
  isMet: isNumber,
  isOfType: isInfinite,
};
const BOOLEAN: Expected = {
  schema: { type: 'boolean' },
  words: 'true, false',
  isMet: isBoolean,
};
const NUMBER_OR_TEXT: Expected = {
  schema: { type: ['number', 'string'] },
  words: 'a number or a string',
  isMet: (value) => isNumber(value) || isString(value),
  isOfType: isInfinite,
};
export const SCALAR: Expected = {
  schema: { type: ['string', 'number', 'boolean', 'null'] },
  words: 'a string, a number, true, false or null',
  isMet: (value) => value === null || isNumber(value) || isString(value) || isBoolean(value),
  isOfType: isInfinite,
};
const ARRAY: Expected = {
  schema: { type: 'array' },
  words: 'an array (contains looks for an element)',
  isMet: (value) => Array.isArray(value) && !hasInfinite(value),
};
const ANY_JSON: Expected = {
  schema: {},
  words: 'a JSON value',
  isMet: (value) => !hasInfinite(value),
  isOfType: hasInfinite,
};

/** Null is equal to null and absent, whatever the type. */
export function equalTo(type: SearchType | undefined): Expected {
  switch (type) {
    case 'string':
      return orNull(TEXT);
    case 'integer':
      return orNull(INTEGER);
    case 'number':
      return orNull(NUMBER);
    case 'boolean':
      return orNull(BOOLEAN);
    case 'array':
      return orNull(ARRAY);
    // Some object fields hold whatever the upstream sent.
    case 'object':
    case undefined:
      return ANY_JSON;
  }
}

export function comparedWith(type: SearchType | undefined): Expected {
  switch (type) {
    case 'string':
      return TEXT;
    case 'integer':
      return INTEGER;
    case 'number':
      return NUMBER;
    default:
      return NUMBER_OR_TEXT;
  }
}

function orNull(expected: Expected): Expected {
  const { schema, words, isMet } = expected;
  return {
    ...expected,
    schema: { ...schema, type: [schema.type ?? [], 'null'].flat() },
    words: `${words} or null`,
    isMet: (value) => value === null || isMet(value),
  };
}
