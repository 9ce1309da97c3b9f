import { quote } from '../check-members.ts';
import type { Fault } from '../errors.ts';
import type { Condition, FieldPath } from './filter.ts';
import type { SearchType } from './search-schema.ts';
import { wellFormed, wellFormedText } from './storable-values.ts';
import { wordsOf } from './words.ts';

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

/** What a field is compared with. */
interface Operand {
  readonly path: FieldPath;
  readonly given: unknown;
  /** Where it stands in the params, for the faults. */
  readonly at: string;
  /** Told how many words the operand has. */
  readonly countWords: (count: number) => void;
  /** Told what text the operand has; says whether it is still worth looking at. */
  readonly takeText: (text: string) => boolean;
}

/** Checks the operand of an operator that fits the type of the field. */
export function checkOperand(
  operator: PlainOperator,
  operand: Operand,
): Condition | readonly Fault[] {
  const { path, given } = operand;
  switch (operator) {
    case 'eq':
      return valueFaultOr(operand, equalTo(path.type), (value) => ({ operator, path, value }));
    case 'in':
      return checkIn(operand);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return valueFaultOr(operand, comparedWith(path.type), (value) => ({
        operator,
        path,
        // comparedWith has let through strings and numbers only.
        value: value as string | number,
      }));
    case 'contains':
      return valueFaultOr(operand, SCALAR, (value) => ({
        operator,
        path,
        // SCALAR has let through nothing else.
        value: value as string | number | boolean | null,
      }));
    case 'like':
      if (typeof given === 'string') operand.takeText(given);
      return valueFaultOr(operand, PATTERN, (value) => ({
        operator,
        path,
        // PATTERN has let through strings only.
        pattern: value as string,
      }));
    case 'keyword':
    case 'fuzzy':
      return checkWords(operator, operand);
  }
}

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
interface Expected {
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

const TEXT: Expected = { schema: { type: 'string' }, words: 'a string', isMet: isString };
const PATTERN: Expected = {
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
const SCALAR: Expected = {
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
function equalTo(type: SearchType | undefined): Expected {
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

function comparedWith(type: SearchType | undefined): Expected {
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

function valueFaultOr(
  { given, at }: Operand,
  expected: Expected,
  build: (value: unknown) => Condition,
): Condition | readonly Fault[] {
  return expected.isMet(given) ? build(wellFormed(given)) : [wrongValue(expected, given, at)];
}

function checkIn({ path, given, at }: Operand): Condition | readonly Fault[] {
  const allowed = `an array of at most ${MAX_VALUES.toLocaleString('en')} values`;
  if (!Array.isArray(given)) return [wrongValue({ words: allowed }, given, at)];
  if (given.length > MAX_VALUES) {
    const message = `must be ${allowed}, got ${given.length}`;
    return [{ field: at, errorCode: 'out_of_range', message, allowed }];
  }
  const expected = equalTo(path.type);
  const faults = given.flatMap((value: unknown, index) =>
    expected.isMet(value) ? [] : [wrongValue(expected, value, `${at}.${index}`)],
  );
  return faults.length > 0 ? faults : { operator: 'in', path, values: given.map(wellFormed) };
}

function checkWords(
  operator: 'keyword' | 'fuzzy',
  { path, given, at, countWords, takeText }: Operand,
): Condition | readonly Fault[] {
  if (typeof given !== 'string') return [wrongValue(TEXT, given, at)];
  const words = takeText(given) ? wordsOf(wellFormedText(given)) : [];
  countWords(words.length);
  return { operator, path, words: [...new Set(words)] };
}

function wrongValue(
  { words, isOfType }: Pick<Expected, 'words' | 'isOfType'>,
  given: unknown,
  at: string,
): Fault {
  return {
    field: at,
    errorCode: isOfType?.(given) === true ? 'out_of_range' : 'wrong_type',
    message: `must be ${words}, got ${quote(given)}`,
    allowed: words,
  };
}
