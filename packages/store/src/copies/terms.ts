import { isLettersOnly, wordQuality } from '@patchbay/connectors/engine';
import { gramOf, termOf, textLanes, type HashLanes } from './hashes.ts';

const TAGS = { word: 3, string: 4, number: 5, boolean: 6 } as const;

/** The term of a word at a place. */
export function wordTerm(place: HashLanes, word: string): number {
  return termOf(place, wordLanes(word));
}

/** The part of a word's term that is the same at every place. */
export function wordLanes(word: string): HashLanes {
  return textLanes(word, TAGS.word);
}

/** The term of a scalar at a place; texts with words are found by those instead. */
export function valueTerm(place: HashLanes, value: string | number | boolean): number {
  const tag =
    typeof value === 'string'
      ? TAGS.string
      : typeof value === 'number'
        ? TAGS.number
        : TAGS.boolean;
  return termOf(place, textLanes(String(value), tag));
}

/**
 * Whether a word of a query may fit a word of a number's or boolean's JSON text. Below an array those
 * leave no words behind.
 */
export function mayFitScalar(queryWord: string): boolean {
  // As in 1e21, whose words are 1e and 21.
  if (/^[0-9]+e?$/.test(queryWord)) return true;
  return ['true', 'false'].some((word) => wordQuality(queryWord, word) > 0);
}

const SPACE = 0x20;

/** Adds the grams of a word: its runs of three units, with a space on both sides. */
export function addWordGrams(place: HashLanes, word: string, add: (gram: number) => void): void {
  addGrams(place, ` ${word} `, add);
}

/** Adds the grams of a run of words' units, in which spaces are ends of words. */
export function addGrams(place: HashLanes, run: string, add: (gram: number) => void): void {
  for (let index = 2; index < run.length; index++) {
    const a = run.charCodeAt(index - 2);
    const b = run.charCodeAt(index - 1);
    // Three units around a space tell nothing of one word.
    if (b === SPACE) continue;
    add(gramOf(place, a, b, run.charCodeAt(index)));
  }
}

/** Words that a word of a query can be edited into: 3 to 64 letters, two edits at most. */
const SHORTEST_IN_DICTIONARY = 2;
const LONGEST_IN_DICTIONARY = 66;

/** Whether a field's word can be within some query word's edit distance. */
export function isInDictionary(word: string): boolean {
  if (word.length < SHORTEST_IN_DICTIONARY) return false;
  if (word.length > 2 * LONGEST_IN_DICTIONARY || !isLettersOnly(word)) return false;
  return word.length <= LONGEST_IN_DICTIONARY || Array.from(word).length <= LONGEST_IN_DICTIONARY;
}
