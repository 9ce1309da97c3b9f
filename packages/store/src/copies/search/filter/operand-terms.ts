import { isJsonObject, wordsOf } from '@patchbay/connectors/engine';
import type { HashLanes } from '../../hashes.ts';
import type { PathHashes } from '../../path-hashes.ts';
import { valueTerm, wordTerm } from '../../terms.ts';
import { MAX_TERMS } from './predicate.ts';

/** UTF-16 units of a text that are read for its words: many times the words that it is looked for by. */
export const MOST_READ_OF_TEXT = 4 * 1024;
/** The same of all operands that are looked at in one step; where its words are longer than a text, they count. */
const MOST_READ_AT_ONCE = 64 * 1024;

/** Where a value stands, and where words in it are hashed. */
interface ValuePlace {
  readonly values: HashLanes;
  readonly words: HashLanes;
}

/**
 * Finds terms of operands. Operands may be as long as a request and one character has up to 18 letters, so only so
 * much of them is read as one step may take. Fewer terms find more rows, never fewer: all are compared as a whole.
 */
export class OperandTerms {
  readonly #hashes: PathHashes;
  #left = MOST_READ_AT_ONCE;

  constructor(hashes: PathHashes) {
    this.#hashes = hashes;
  }

  /**
   * Terms that a row has if it has the value at the place; of a text, the one that fewest rows may have first.
   *
   * @returns None where there are none, or none that is known for sure.
   */
  of(place: ValuePlace, value: unknown): readonly number[] {
    const terms: number[] = [];
    this.#add(terms, place, value);
    return terms;
  }

  /**
   * The same of each value, none of which takes away what others need.
   *
   * @returns `undefined` where some value has none.
   */
  ofEach(
    place: ValuePlace,
    values: readonly unknown[],
  ): readonly (readonly number[])[] | undefined {
    const all = this.#left;
    let spent = 0;
    const termsOfEach: (readonly number[])[] = [];
    for (const [index, value] of values.entries()) {
      const share = Math.floor((all - spent) / (values.length - index));
      this.#left = share;
      const terms = this.of(place, value);
      spent += share - this.#left;
      this.#left = all - spent;
      if (terms.length === 0) return undefined;
      termsOfEach.push(terms);
    }
    return termsOfEach;
  }

  #add(terms: number[], place: ValuePlace, value: unknown): void {
    if (typeof value === 'string') this.#addText(terms, place, value);
    else if (typeof value === 'number' || typeof value === 'boolean') {
      terms.push(valueTerm(place.values, value));
    } else if (Array.isArray(value)) {
      const element = { ...place, values: this.#hashes.element(place.values) };
      for (const each of value) {
        if (this.#isEnough(terms)) return;
        this.#left--;
        this.#add(terms, element, each);
      }
    } else if (isJsonObject(value)) this.#addMembers(terms, place, value);
  }

  #addText(terms: number[], { values, words }: ValuePlace, text: string): void {
    const read = beginningOf(text, Math.min(MOST_READ_OF_TEXT, Math.max(this.#left, 0)));
    const found = wordsOf(read);
    this.#left -= Math.max(read.length, found.join(' ').length);
    const isWhole = read.length === text.length;
    // A text without words has a term of its own, but here they may begin after what was read.
    if (isWhole && found.length === 0) terms.push(valueTerm(values, text));
    // What comes next may belong to the last word.
    const known = new Set(isWhole ? found : found.slice(0, -1));
    const longest = [...known].toSorted((a, b) => b.length - a.length);
    for (const word of longest.slice(0, MAX_TERMS - terms.length))
      terms.push(wordTerm(words, word));
  }

  #addMembers(
    terms: number[],
    { values, words }: ValuePlace,
    members: Readonly<Record<string, unknown>>,
  ): void {
    for (const name of Object.keys(members)) {
      if (this.#isEnough(terms)) return;
      this.#left -= name.length + 1;
      // To hash a name takes time as well.
      if (this.#left < 0) return;
      const below = this.#hashes.below(values, name);
      this.#add(terms, { values: below, words: words === values ? below : words }, members[name]);
    }
  }

  #isEnough(terms: readonly number[]): boolean {
    return terms.length >= MAX_TERMS || this.#left <= 0;
  }
}

/** So many units at most, and no half of a pair. */
function beginningOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const isInsidePair = (text.codePointAt(length - 1) ?? 0) > 0xffff;
  return text.slice(0, isInsidePair ? length - 1 : length);
}
