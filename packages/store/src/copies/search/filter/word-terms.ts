import { sql, type RawBuilder } from 'kysely';
import { wordTerm } from '../../terms.ts';
import type { FieldPlace } from './field-place.ts';
import { foundSql, hasTerms, type Predicate } from './predicate.ts';

/**
 * Whether some of the words, or all, stand at a place.
 *
 * Terms are stored apart from the row, and take four times as long to fetch as the row itself: a text
 * that lacks the very letters of the words is not asked for them.
 */
export function hasWords(
  operator: '@>' | '&&',
  place: FieldPlace,
  words: readonly string[],
): Predicate {
  const predicate = hasTerms(
    operator,
    words.map((word) => wordTerm(place.words, word)),
  );
  if (words.length > MAX_WORDS && operator === '&&') {
    const { sql: has } = predicate;
    return {
      ...predicate,
      sql: sql`(${isLong(words)} or ${has})`,
      found: has,
      isExact: false,
    };
  }
  if (place.type !== 'text' || predicate.constant !== undefined) return predicate;
  const letters =
    operator === '&&' ? mayHaveSome(place, words) : mayHaveSome(place, words.slice(0, 1));
  if (letters === undefined) return predicate;
  return { ...predicate, sql: sql`(${letters} and ${predicate.sql})`, found: predicate.sql };
}

/** Whether some of the words surely stand at a place: where they are many, it may be that others do. */
export function surelyHasSome(place: FieldPlace, words: readonly string[]): Predicate {
  const predicate = hasWords('&&', place, words);
  if (words.length <= MAX_WORDS) return predicate;
  return { ...predicate, sql: sql`(not ${isLong(words)} and ${foundSql(predicate)})` };
}

/** To compare each term with each takes so many comparisons at most, which are milliseconds. */
const MOST_COMPARISONS = 500_000;

/** Whether a row has so many terms that it is sooner judged than asked for all of the words. */
function isLong(words: readonly string[]): RawBuilder<unknown> {
  return sql`cardinality(terms) > ${sql.lit(Math.floor(MOST_COMPARISONS / words.length))}`;
}

/**
 * How many of the words a text can have at most, judged by its letters.
 *
 * @returns `undefined` where the place is no text.
 */
export function mostWords(
  { sql: text, type }: FieldPlace,
  words: readonly string[],
): RawBuilder<unknown> | undefined {
  if (type !== 'text' || words.length === 0) return undefined;
  const ascii = words.filter(isAscii);
  const found = ascii.map(
    (word) => sql`(position(${word}::text in lower((${text}) collate "C")) > 0)::integer`,
  );
  return sql`case when ${isOther(text)} then ${sql.lit(words.length)}
    else ${found.length === 0 ? sql`0` : sql.join(found, sql` + `)} end`;
}

/** An expression of more words would take longer to make than it saves. */
const MAX_WORDS = 64;

/** Only texts of ASCII say by themselves what their words are; others may have any. */
function mayHaveSome(
  { sql: text }: FieldPlace,
  words: readonly string[],
): RawBuilder<unknown> | undefined {
  if (words.length > MAX_WORDS) return undefined;
  const ascii = words.filter(isAscii);
  if (ascii.length === 0) return isOther(text);
  const lower = sql`lower((${text}) collate "C")`;
  const has =
    ascii.length === 1
      ? sql`position(${ascii[0]}::text in ${lower}) > 0`
      : sql`${lower} ~ ${ascii.join('|')}::text`;
  return sql`(${has} or ${isOther(text)})`;
}

function isAscii(word: string): boolean {
  return /^[a-z0-9]+$/.test(word);
}

function isOther(text: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`octet_length(${text}) <> length(${text})`;
}
