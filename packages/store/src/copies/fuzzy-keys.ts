import { textLanes, type HashLanes } from './hashes.ts';

/**
 * Words that are within a few edits of each other share a key, so that few of a dictionary's words
 * have to be compared with a query's. Where `V(t)` is the text and whatever one letter less leaves of it:
 *
 * - One edit: words `a` and `b` within it share an element of `V(a)` and `V(b)`.
 * - Two edits: cut the dictionary's word in halves. Of two edits one half has at most one, even of a
 *   swap across the cut, which is as one substitution in each half. So some prefix or suffix of the
 *   query's word, longer or shorter by one at most, shares an element of `V` with that half.
 *
 * Letters are code points. Hashes are frozen like those of terms.
 */

/** Query words of 3 to 5 letters have one edit, longer ones two (see `editAllowance`). */
const LONGEST_WITHIN_ONE = 6;
const SHORTEST_WITHIN_TWO = 4;

/** The keys of a word of the dictionary. */
export function wordKeys(place: HashLanes, word: string): readonly number[] {
  const letters = Array.from(word);
  const keys = new Set<number>();
  if (letters.length <= LONGEST_WITHIN_ONE) {
    for (const variant of variants(letters)) keys.add(keyOf(place, SIDES.whole, variant));
  }
  if (letters.length >= SHORTEST_WITHIN_TWO) {
    const cut = cutOf(letters.length);
    for (const [side, half] of [
      ['first', letters.slice(0, cut)],
      ['second', letters.slice(cut)],
    ] as const) {
      for (const variant of variants(half))
        keys.add(keyOf(place, SIDES[side] + 32 * letters.length, variant));
    }
  }
  return [...keys];
}

/** The keys, some of which every word within `edits` of the query's word has. */
export function queryKeys(place: HashLanes, queryWord: string, edits: 1 | 2): readonly number[] {
  const letters = Array.from(queryWord);
  if (edits === 1) {
    return [...new Set(variants(letters))].map((variant) => keyOf(place, SIDES.whole, variant));
  }
  const keys = new Set<number>();
  const shortest = Math.max(letters.length - edits, SHORTEST_WITHIN_TWO);
  for (let length = shortest; length <= letters.length + edits; length++) {
    const cut = cutOf(length);
    for (const variant of nearVariants(cut, (size) => letters.slice(0, size))) {
      keys.add(keyOf(place, SIDES.first + 32 * length, variant));
    }
    for (const variant of nearVariants(length - cut, (size) => letters.slice(-size))) {
      keys.add(keyOf(place, SIDES.second + 32 * length, variant));
    }
  }
  return [...keys];
}

/** Variants of parts of the query's word that a half of `size` letters can share. */
function nearVariants(size: number, take: (size: number) => readonly string[]): Iterable<string> {
  const shorter = size > 1 ? [take(size - 1).join('')] : [];
  const [, ...longer] = variants(take(size + 1));
  return new Set([...variants(take(size)), ...shorter, ...longer]);
}

function variants(letters: readonly string[]): readonly string[] {
  return [letters.join(''), ...letters.map((_, index) => letters.toSpliced(index, 1).join(''))];
}

function cutOf(length: number): number {
  return Math.ceil(length / 2);
}

const SIDES = { whole: 16, first: 17, second: 18 } as const;

/** @param tag The side that the text is of, and 32 times the length of the whole word. */
function keyOf(place: HashLanes, tag: number, text: string): number {
  const lanes = textLanes(text, tag);
  return Math.imul(place.first ^ lanes.first, 0x2c1b3c6d) ^ lanes.second ^ place.second;
}
