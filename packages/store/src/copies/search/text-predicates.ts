import { matches, type TextCondition } from '@patchbay/connectors/engine';
import { sql, type RawBuilder } from 'kysely';
import { plainArray, textArray } from '../array-literal.ts';
import type { TermPlaces } from '../term-places.ts';
import { valueTerm, wordTerm } from '../terms.ts';
import type { Compiler } from './compiler.ts';
import { fitsSomehow } from './fuzzy-words.ts';
import {
  foldedSql,
  isAnyPattern,
  isExactPattern,
  jsonPattern,
  patternParts,
  textPattern,
} from './like-pattern.ts';
import type { Place } from './place.ts';
import {
  allOf,
  atLeast,
  exactly,
  foundBy,
  hasGrams,
  hasTerms,
  NEVER,
  unknown,
  type Predicate,
} from './predicate.ts';

/** Terms of one operand: more of them find hardly fewer rows. */
export const MAX_TERMS = 16;

/** Whether a text condition holds. */
export function compileText(compiler: Compiler, place: Place, condition: TextCondition): Predicate {
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
function compileBoolean({ sql: value, column }: Place, condition: TextCondition): Predicate {
  const name = column?.field.name ?? '';
  const holdsFor = [true, false].filter((each) => matches(condition, { [name]: each }));
  if (holdsFor.length === 0) return NEVER;
  return exactly(sql`${value} = any(${plainArray(holdsFor)}::boolean[])`);
}

export function compileLike(
  { places, isNegated }: Compiler,
  place: Place,
  pattern: string,
): Predicate {
  const { sql: value, type } = place;
  switch (type) {
    case 'int8':
      if (!isExactPattern(pattern)) return NEVER;
      return exactly(sql`${value}::text like ${textPattern(pattern)}`);
    case 'float8':
      // Numbers are written otherwise in SQL than in JSON.
      return isAnyPattern(pattern) ? exactly(isThere(place)) : atLeast(isThere(place));
    case 'text': {
      if (isAnyPattern(pattern)) return exactly(isThere(place));
      const condition = sql`${foldedSql(value)} like ${textPattern(pattern)}`;
      const like = isExactPattern(pattern) ? exactly(condition) : atLeast(condition);
      return isNegated ? like : foundBy(candidatesLike(places, place, pattern), like);
    }
    default: {
      const like = atLeast(someTextLike(value, jsonPattern(pattern)));
      // An element's terms and grams would be those of the whole array.
      if (isNegated || !place.hasOwnWords) return like;
      return foundBy(candidatesLike(places, place, pattern), like);
    }
  }
}

/** Terms and grams that every row has which matches a pattern at a place. */
export function candidatesLike(
  { root }: TermPlaces,
  { words: wordsPlace, hasGrams: isText }: Place,
  pattern: string,
): readonly Predicate[] {
  const { words, grams } = patternParts(root, pattern);
  const terms = words.map((word) => wordTerm(wordsPlace, word));
  return [hasTerms('@>', terms.slice(0, MAX_TERMS)), ...(isText ? [hasGrams(grams)] : [])];
}

function isThere({ sql: value }: Place): RawBuilder<unknown> {
  return sql`${value} is not null`;
}

/** Whether some text in a JSON value is like a pattern; a number may be, as SQL writes it otherwise. */
function someTextLike(json: RawBuilder<unknown>, pattern: string): RawBuilder<unknown> {
  return sql`(${foldedSql(sql`${json}::text`)} like ${pattern} or jsonb_typeof(${json}) = 'number')`;
}

/** Whether at least one of the words stands at a place. */
function hasSomeWord(place: Place, words: readonly string[], isNegated: boolean): Predicate {
  if (words.length === 0) return NEVER;
  if (place.type === 'int8') return isOneOfNumbers(place, words, isNegated);
  const found = hasTerms(
    '&&',
    words.map((word) => wordTerm(place.words, word)),
  );
  // Inside `any`, the terms are looked for once, for the whole array.
  return place.hasOwnWords ? found : unknown(isNegated);
}

/** The only word of an integer's text is that of its digits. */
export function isOneOfNumbers(
  place: Place,
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
