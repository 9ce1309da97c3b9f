import { editAllowance, wordQuality } from '@patchbay/connectors/engine';
import { sql, type RawBuilder } from 'kysely';
import type { SimilarWords } from '../../dictionary.ts';
import { addGrams } from '../../terms.ts';
import type { Compiler } from './compiler.ts';
import { predicateOf, type Level } from './level.ts';
import type { FieldPlace } from './field-place.ts';
import {
  allOf,
  anyOf,
  atLeast,
  exactly,
  hasGrams,
  notOf,
  unknown,
  type Predicate,
} from './predicate.ts';
import { hasWords, surelyHasSome } from './word-terms.ts';

/** Whether a word of a fuzzy query fits some word of the field, however well. */
export function fitsSomehow(compiler: Compiler, place: FieldPlace, queryWord: string): Predicate {
  const { isNegated } = compiler;
  if (place.type === 'int8') return anyOf(integerLevels(place, queryWord).map(predicateOf));
  if (!place.hasOwnWords) return unknown(isNegated);
  const isPrefix = mayFitLongerWords(queryWord);
  if (isNegated && isPrefix) return unknown(isNegated);
  const similar = similarTo(compiler, queryWord);
  if (similar === 'many') return unknown(isNegated);
  const words = similar.map(({ word }) => word);
  const longer = isPrefix ? [hasPrefix(compiler, place, queryWord)] : [];
  return anyOf([hasWords('&&', place, words), ...longer]);
}

/** The words that the query's fits and the dictionary has; itself, where that has none of its sort. */
function similarTo({ similar }: Compiler, queryWord: string): SimilarWords {
  if (editAllowance(queryWord) === 0) return [{ word: queryWord, quality: 1 }];
  const words = similar.get(queryWord);
  // Without them rows would be missed in silence.
  if (words === undefined) throw new Error('a word of a fuzzy condition was not looked up');
  return words;
}

/**
 * Every quality that a word of a fuzzy query can fit with.
 *
 * @returns `undefined` where too many words have some of them.
 */
export function fuzzyLevels(
  compiler: Compiler,
  place: FieldPlace,
  queryWord: string,
): readonly Level[] | undefined {
  if (place.type === 'int8') return integerLevels(place, queryWord);
  const isPrefix = mayFitLongerWords(queryWord);
  const similar = similarTo(compiler, queryWord);
  if (similar === 'many') return undefined;
  const qualities = new Map<number, string[]>();
  if (isPrefix) qualities.set(PREFIX_QUALITY, []);
  for (const { word, quality } of similar) {
    const words = qualities.get(quality) ?? [];
    qualities.set(quality, words);
    words.push(word);
  }
  const levels: Level[] = [];
  const better: string[] = [];
  for (const [score, words] of [...qualities].toSorted(([a], [b]) => b - a)) {
    const found = [hasWords('&&', place, words)];
    if (score === PREFIX_QUALITY) found.push(hasPrefix(compiler, place, queryWord));
    const parts = [anyOf(found)];
    // Where the words are those of the place alone, whoever has a better one has that score.
    if (place.hasOwnWords && better.length > 0) parts.push(notOf(surelyHasSome(place, better)));
    // Whether a longer word begins with the query's is not known for sure.
    const isKnown = place.hasOwnWords && (score > PREFIX_QUALITY || !isPrefix);
    const predicate = allOf(parts);
    levels.push({ score, predicate: { ...predicate, isExact: predicate.isExact && isKnown } });
    better.push(...words);
  }
  return levels;
}

const PREFIX_QUALITY = 0.9;

function mayFitLongerWords(queryWord: string): boolean {
  return wordQuality(queryWord, `${queryWord}0`) > 0;
}

function integerLevels({ sql: value }: FieldPlace, queryWord: string): readonly Level[] {
  const digits = sql`ltrim(${value}::text, '-')`;
  if (!/^[0-9]+$/.test(queryWord)) return [];
  const equal = { score: 1, predicate: exactly(sql`${digits} = ${queryWord}`) };
  if (!mayFitLongerWords(queryWord)) return [equal];
  const longer = exactly(sql`${digits} like ${`${queryWord}_%`}`);
  return [equal, { score: PREFIX_QUALITY, predicate: longer }];
}

/** Whether some word begins with the query's: grams know it, or else the text as such is searched for it. */
function hasPrefix({ hashes }: Compiler, place: FieldPlace, queryWord: string): Predicate {
  if (place.hasGrams && place.type !== 'float8') {
    const grams: number[] = [];
    addGrams(hashes.root, ` ${queryWord}`, (gram) => grams.push(gram));
    const found = hasGrams(grams);
    // Grams are those of all texts of the row, and stored apart from it: its letters are looked at first.
    return place.type === 'text' ? allOf([atLeast(hasLetters(place, queryWord)), found]) : found;
  }
  if (!place.hasOwnWords || place.type === 'float8') return unknown(false);
  return atLeast(hasLetters(place, queryWord));
}

/** Only texts of ASCII say by themselves what their words are. */
function hasLetters({ sql: value, type }: FieldPlace, word: string): RawBuilder<unknown> {
  const text = type === 'text' ? value : sql`${value}::text`;
  const isOther = sql`octet_length(${text}) <> length(${text})`;
  if (!/^[a-z0-9]+$/.test(word)) return isOther;
  const has = sql`lower((${text}) collate "C") like ${`%${word}%`} or ${isOther}`;
  return type === 'text' ? sql`(${has})` : sql`(${has} or jsonb_typeof(${value}) = 'number')`;
}
