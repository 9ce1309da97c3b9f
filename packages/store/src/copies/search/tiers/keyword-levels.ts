import { sql } from 'kysely';
import { plainArray } from '../../array-literal.ts';
import { wordTerm } from '../../terms.ts';
import type { Compiler } from '../filter/compiler.ts';
import type { FieldPlace } from '../filter/field-place.ts';
import type { Level } from '../filter/level.ts';
import { exactly, foundBy, foundSql, type Predicate } from '../filter/predicate.ts';
import { hasSome } from '../filter/term-sets.ts';
import { isOneOfNumbers } from '../filter/text-predicates.ts';
import { hasWords, mostWords } from '../filter/word-terms.ts';

/** Every share of its words that a `keyword` can find at a place, the best first. */
export function keywordLevels(
  compiler: Compiler,
  place: FieldPlace,
  words: readonly string[],
): readonly Level[] {
  if (words.length === 0) return [];
  // An integer's text has one word only.
  if (place.type === 'int8') {
    return [{ score: 1 / words.length, predicate: isOneOfNumbers(place, words, false) }];
  }
  // Longer words tend to be rarer.
  const longest = words.toSorted((a, b) => b.length - a.length);
  return longest
    .map((_, index) => ({
      score: (index + 1) / words.length,
      predicate: hasSoMany(compiler, { place, words: longest, count: index + 1 }),
    }))
    .toReversed();
}

interface SoManyWords {
  readonly place: FieldPlace;
  readonly words: readonly string[];
  readonly count: number;
}

function hasSoMany(compiler: Compiler, { place, words, count }: SoManyWords): Predicate {
  if (count === words.length && place.hasOwnWords) return hasWords('@>', place, words);
  const terms = words.map((word) => wordTerm(place.words, word));
  const atLeast = hasSome(compiler, terms, count);
  // The words of an array's other elements count as well.
  if (!place.hasOwnWords) return { ...atLeast, isExact: false };
  // The terms, which are stored apart, are fetched once for all of them, and not for every row.
  const counted = sql`(select count(*) from unnest(terms) as t(term)
    where t.term = any(${plainArray(terms)}::bigint[])) = ${sql.lit(count)}`;
  const most = mostWords(place, words);
  if (most === undefined) return foundBy([atLeast], exactly(sql`(${counted})`));
  const judged = exactly(sql`(${most} >= ${sql.lit(count)} and ${counted})`);
  const { found, ...predicate } = foundBy([atLeast], judged);
  if (!atLeast.isExact) return { ...predicate, ...(found === undefined ? {} : { found }) };
  const noMore = sql`(${most} = ${sql.lit(count)} or ${counted})`;
  return { ...predicate, found: sql`(${foundSql(atLeast)} and ${noMore})`, rest: noMore };
}
