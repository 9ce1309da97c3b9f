import { matches, type TextCondition } from '@patchbay/connectors/engine';
import { sql } from 'kysely';
import { plainArray, textArray } from '../../array-literal.ts';
import { valueTerm } from '../../terms.ts';
import type { Compiler } from './compiler.ts';
import type { FieldPlace } from './field-place.ts';
import { fitsSomehow } from './fuzzy-words.ts';
import { compileLike } from './like.ts';
import { allOf, exactly, foundBy, hasTerms, NEVER, unknown, type Predicate } from './predicate.ts';
import { hasWords } from './word-terms.ts';

/** Whether a text condition holds. */
export function compileText(
  compiler: Compiler,
  place: FieldPlace,
  condition: TextCondition,
): Predicate {
  if (place.type === 'boolean') return compileBoolean(place, condition);
  switch (condition.operator) {
    case 'like':
      return compileLike(compiler, place, condition.pattern);
    case 'keyword':
      return hasSomeWord(place, condition.words, compiler.isNegated);
    case 'fuzzy':
      if (condition.words.length === 0) return NEVER;
      return allOf(condition.words.map((word) => fitsSomehow(compiler, place, word)));
  }
}

/** A boolean is one of two values: the condition is tried on both. */
function compileBoolean({ sql: value, column }: FieldPlace, condition: TextCondition): Predicate {
  const name = column?.field.name ?? '';
  const holdsFor = [true, false].filter((each) => matches(condition, { [name]: each }));
  if (holdsFor.length === 0) return NEVER;
  return exactly(sql`${value} = any(${plainArray(holdsFor)}::boolean[])`);
}

/** Whether at least one of the words stands at a place. */
function hasSomeWord(place: FieldPlace, words: readonly string[], isNegated: boolean): Predicate {
  if (words.length === 0) return NEVER;
  if (place.type === 'int8') return isOneOfNumbers(place, words, isNegated);
  // Inside `any`, the terms are looked for once, for the whole array.
  return place.hasOwnWords ? hasWords('&&', place, words) : unknown(isNegated);
}

/** The only word of an integer's text is that of its digits. */
export function isOneOfNumbers(
  place: FieldPlace,
  words: readonly string[],
  isNegated: boolean,
): Predicate {
  const equal = exactly(sql`ltrim(${place.sql}::text, '-') = any(${textArray(words)}::text[])`);
  if (isNegated) return equal;
  const numbers = words.map(Number).filter((number) => Number.isSafeInteger(number));
  if (numbers.length === 0) return NEVER;
  const terms = numbers.flatMap((each) => [
    valueTerm(place.values, each),
    valueTerm(place.values, -each),
  ]);
  return foundBy([hasTerms('&&', terms)], equal);
}
