import { sql, type RawBuilder } from 'kysely';
import type { PathHashes } from '../../path-hashes.ts';
import { wordTerm } from '../../terms.ts';
import type { Compiler } from './compiler.ts';
import type { FieldPlace } from './field-place.ts';
import {
  foldedSql,
  isAnyPattern,
  isExactPattern,
  isWholePattern,
  jsonPattern,
  patternParts,
  textPattern,
} from './like-pattern.ts';
import {
  atLeast,
  exactly,
  foundBy,
  hasGrams,
  hasTerms,
  MAX_TERMS,
  NEVER,
  unknown,
  type Predicate,
} from './predicate.ts';

/** Whether some text at a place matches a pattern. */
export function compileLike(compiler: Compiler, place: FieldPlace, pattern: string): Predicate {
  const { sql: value, type } = place;
  switch (type) {
    case 'int8':
      if (!isExactPattern(pattern)) return NEVER;
      // The longest number has 20 characters.
      if (!isWholePattern(pattern)) return unknown(compiler.isNegated);
      return exactly(sql`${value}::text like ${textPattern(pattern)}`);
    case 'float8':
      // Numbers are written otherwise in SQL than in JSON.
      return isAnyPattern(pattern) ? exactly(isThere(place)) : atLeast(isThere(place));
    case 'text': {
      if (isAnyPattern(pattern)) return exactly(isThere(place));
      const condition = likeFolded(value, textPattern(pattern));
      const isExact = isExactPattern(pattern) && isWholePattern(pattern);
      const like = isExact ? exactly(condition) : atLeast(condition);
      return compiler.isNegated ? like : foundLike(compiler, { place, pattern, like });
    }
    default: {
      const like = atLeast(someTextLike(value, jsonPattern(pattern)));
      // An element's terms and grams would be those of the whole array.
      if (compiler.isNegated || !place.hasOwnWords) return like;
      return foundLike(compiler, { place, pattern, like });
    }
  }
}

interface LikeAtPlace {
  readonly place: FieldPlace;
  readonly pattern: string;
  readonly like: Predicate;
}

function foundLike({ hashes }: Compiler, { place, pattern, like }: LikeAtPlace): Predicate {
  const parts = termsLike(hashes, place, pattern).filter(({ constant }) => constant === undefined);
  const predicate = foundBy(parts, like);
  const [first] = parts;
  // Of grams it can be told from the row itself how many rows have them; they often have no match.
  const isTold = parts.length === 1 && first?.isExact === false;
  return isTold ? { ...predicate, candidates: first.sql } : predicate;
}

/** To fold a text takes longer than to compare it, and changes none of ASCII but its case. */
function likeFolded(text: RawBuilder<unknown>, pattern: string): RawBuilder<unknown> {
  return sql`(lower((${text}) collate "C") like ${pattern}
    or (octet_length(${text}) <> length(${text}) and ${foldedSql(text)} like ${pattern}))`;
}

/** Terms and grams that every row has which matches a pattern at a place. */
export function termsLike(
  { root }: PathHashes,
  place: FieldPlace,
  pattern: string,
): readonly Predicate[] {
  const { words, grams } = patternParts(root, pattern);
  const terms = words.map((word) => wordTerm(place.words, word));
  return [hasTerms('@>', terms.slice(0, MAX_TERMS)), ...(place.hasGrams ? [hasGrams(grams)] : [])];
}

function isThere({ sql: value }: FieldPlace): RawBuilder<unknown> {
  return sql`${value} is not null`;
}

/** Whether some text in a JSON value is like a pattern; a number may be, as SQL writes it otherwise. */
function someTextLike(json: RawBuilder<unknown>, pattern: string): RawBuilder<unknown> {
  return sql`(${foldedSql(sql`${json}::text`)} like ${pattern} or jsonb_typeof(${json}) = 'number')`;
}
