import { editDistance } from '../edit-distance.ts';

/**
 * The words of a text, in its order: compatibility forms decomposed (NFKD), marks dropped,
 * lower-cased, then every run of letters and digits.
 */
export function wordsOf(text: string): readonly string[] {
  if (isAscii(text)) return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return runsIn(text).filter((word) => word !== '');
}

/** Code units of a piece of a text, or one more. */
const PIECE_LENGTH = 4 * 1024;

/**
 * The same, some of them at a time: what a long text takes need not be done at once, and be it one
 * word from end to end.
 */
export function* wordsInPieces(
  text: string,
  length = PIECE_LENGTH,
): Generator<readonly string[], void> {
  let begun = '';
  for (const piece of piecesOf(text, length)) {
    const [first = '', ...others] = runsIn(piece);
    begun += first;
    const last = others.pop();
    if (last === undefined) {
      yield [];
      continue;
    }
    yield [begun, ...others].filter((word) => word !== '');
    begun = last;
  }
  if (begun !== '') yield [begun];
}

/**
 * Runs of letters and digits, and an empty one wherever a text begins or ends with none. What a code
 * point gives depends on none of its neighbours, so a text's runs are those of its pieces, joined.
 */
function runsIn(text: string): readonly string[] {
  if (isAscii(text)) return text.toLowerCase().split(/[^a-z0-9]+/);
  // One by one: of a run of millions, as a text without spaces may be, the engine cannot match all.
  // Marks go before, since to put many of them in order takes the square of their number, and those that come of it, after.
  const plain = normalisedText(withoutMarks(withoutMarks(text).normalize('NFKD')));
  // A sigma is final or not by what follows it, so a word would not begin with its own prefix.
  const spaced = plain.replaceAll('ς', 'σ').replaceAll(/[^\p{L}\p{Nd}]/gu, ' ');
  return spaced.split(' ');
}

function withoutMarks(text: string): string {
  return text.replaceAll(/\p{M}/gu, '');
}

/** Most texts are, and have nothing to decompose. */
function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- the range is ASCII, control characters and all
  return /^[\x00-\x7f]*$/.test(text);
}

/** A text cut between its code points. */
export function* piecesOf(text: string, length = PIECE_LENGTH): Generator<string, void> {
  let start = 0;
  while (text.length - start > length) {
    const end = start + length;
    const cut = isInsidePair(text, end) ? end + 1 : end;
    yield text.slice(start, cut);
    start = cut;
  }
  yield text.slice(start);
}

function isInsidePair(text: string, index: number): boolean {
  return (text.codePointAt(index - 1) ?? 0) > 0xffff;
}

/** A text as `like` compares it: every code point lower-cased by itself. */
export function normalisedText(text: string): string {
  // The one letter that JavaScript lower-cases by its neighbours is the final sigma.
  return text.replaceAll('Σ', 'σ').toLowerCase();
}

/** A word of a query, and what deciding whether it fits words of fields takes. */
export interface QueryWord {
  readonly text: string;
  /** Code points. */
  readonly letters: number;
  readonly allowance: 0 | 1 | 2;
  readonly bits: number;
}

export function queryWordOf(text: string): QueryWord {
  const letters = Array.from(text).length;
  return { text, letters, allowance: allowanceOf(text, letters), bits: letterBits(text) };
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
  return qualityOf(queryWordOf(queryWord), fieldWord, bitsOfLetters(fieldWord));
}

/** The same, where it is asked many times. @param bits What `bitsOfLetters` says of the field's word. */
export function qualityOf(query: QueryWord, fieldWord: string, bits: number | undefined): number {
  const { text, letters, allowance } = query;
  if (text === fieldWord) return 1;
  const asPrefix = letters >= MIN_PREFIX && fieldWord.startsWith(text) ? PREFIX_QUALITY : 0;
  if (allowance === 0 || bits === undefined) return asPrefix;
  // Nearly all words differ in more letters than edits can change.
  if (countBits(query.bits ^ bits) > 2 * allowance) return asPrefix;
  const distance = editDistance(text, fieldWord, allowance);
  return distance === undefined ? asPrefix : Math.max(asPrefix, 1 - distance / letters);
}

const MIN_PREFIX = 3;
const PREFIX_QUALITY = 0.9;

/** How many edits a word of a query may be from a word of letters: 0 unless it is one itself. */
export function editAllowance(queryWord: string): 0 | 1 | 2 {
  return allowanceOf(queryWord, Array.from(queryWord).length);
}

function allowanceOf(queryWord: string, letters: number): 0 | 1 | 2 {
  if (letters < 3 || letters > 64 || !isLettersOnly(queryWord)) return 0;
  return letters <= 5 ? 1 : 2;
}

/** Whether a word consists of letters alone; only such words are compared by distance. */
export function isLettersOnly(word: string): boolean {
  return word !== '' && !/\P{L}/u.test(word);
}

/** Code units that a word can have which is within two edits of one of 64 letters. */
const LONGEST_COMPARED = 2 * (64 + 2);

/** The bits of a word that is compared by distance; `undefined` of others. */
export function bitsOfLetters(word: string): number | undefined {
  if (word.length > LONGEST_COMPARED) return undefined;
  return isLettersOnly(word) ? letterBits(word) : undefined;
}

/** One bit per letter; an edit changes two of them at most. Frozen: copies have them stored. */
export function letterBits(word: string): number {
  let bits = 0;
  for (const letter of word) bits |= 1 << ((letter.codePointAt(0) ?? 0) & 31);
  return bits;
}

/** How many of its bits are set. */
export function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}
