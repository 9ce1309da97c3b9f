import { MAX_TOLD } from '../check-members.ts';
import { quote } from '../json-value.ts';
import type { Fault } from '../errors.ts';
import type { Condition, FieldPath } from './filter.ts';
import {
  comparedWith,
  equalTo,
  MAX_VALUES,
  PATTERN,
  SCALAR,
  TEXT,
  type Expected,
  type PlainOperator,
} from './operand-types.ts';
import { wellFormed, wellFormedText } from './storable-values.ts';
import { wordsOf } from './words.ts';

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
  const faults: Fault[] = [];
  for (const [index, value] of given.entries()) {
    if (faults.length === MAX_TOLD) break;
    if (!expected.isMet(value)) faults.push(wrongValue(expected, value, `${at}.${index}`));
  }
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
