import { editDistance } from '../edit-distance.ts';

/**
 * The words of a text, in its order: compatibility forms decomposed (NFKD), marks dropped,
 * lower-cased, then every run of letters and digits.
 */
export function wordsOf(text: string): readonly string[] {
  // Most texts are ASCII, which has nothing to decompose.
  // oxlint-disable-next-line no-control-regex -- the range is ASCII, control characters and all
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const plain = normalisedText(text.normalize('NFKD').replace(/\p{M}+/gu, ''));
  // A sigma is final or not by what follows it, so a word would not begin with its own prefix.
  return plain.replaceAll('ς', 'σ').match(/[\p{L}\p{Nd}]+/gu) ?? [];
}

/** A text as `like` compares it: every code point lower-cased by itself. */
export function normalisedText(text: string): string {
  // The one letter that JavaScript lower-cases by its neighbours is the final sigma.
  return text.replaceAll('Σ', 'σ').toLowerCase();
}

/**
 * How well a word of a query fits a word of a field: 1 if they are equal, 0.9 if it begins the other
 * one (from 3 code points on), 1 - distance / letters if it is within its edit allowance; the best
 * of these, and 0 if it does not fit.
 *
 * @param queryWord, fieldWord As `wordsOf` gives them.
 * @see docs/search.md#near-words
 */
export function wordQuality(queryWord: string, fieldWord: string): number {
  if (queryWord === fieldWord) return 1;
  const letters = Array.from(queryWord).length;
  const asPrefix = letters >= MIN_PREFIX && fieldWord.startsWith(queryWord) ? PREFIX_QUALITY : 0;
  const allowance = editAllowance(queryWord);
  if (allowance === 0 || !isLettersOnly(fieldWord)) return asPrefix;
  const distance = editDistance(queryWord, fieldWord, allowance);
  return distance === undefined ? asPrefix : Math.max(asPrefix, 1 - distance / letters);
}

const MIN_PREFIX = 3;
const PREFIX_QUALITY = 0.9;

/** How many edits a word of a query may be from a word of letters: 0 unless it is one itself. */
export function editAllowance(queryWord: string): 0 | 1 | 2 {
  const letters = Array.from(queryWord).length;
  if (letters < 3 || letters > 64 || !isLettersOnly(queryWord)) return 0;
  return letters <= 5 ? 1 : 2;
}

/** Whether a word consists of letters alone; only such words are compared by distance. */
export function isLettersOnly(word: string): boolean {
  return /^\p{L}+$/u.test(word);
}
