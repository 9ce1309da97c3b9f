import { wordsInPieces } from './words.ts';

/**
 * Whether a value has more words in it than `most`, as what is found by words counts them: the same word once, but once
 * more for each object that it stands in; and a long one more than once, since parts of it are looked for as well.
 *
 * @param depth What is nested deeper does not count.
 */
export function hasMoreWords(value: unknown, most: number, depth: number): boolean {
  // Nearly all values are so short that nobody has to know their words.
  if (unitsIn(value, depth) <= most) return false;
  const count = new WordCount(most);
  count.add(value, { words: new Set(), around: undefined, isInArray: false }, depth);
  return count.isOver;
}

/** UTF-16 units of all texts inside, each as often as there are levels to it: there are no more words than that. */
function unitsIn(value: unknown, depth: number, levels = 1): number {
  if (typeof value === 'string') return value.length * levels;
  if (typeof value !== 'object' || value === null || levels > depth) return 0;
  let units = 0;
  for (const each of Array.isArray(value) ? value : Object.values(value))
    units += unitsIn(each, depth, levels + 1);
  return units;
}

/** Where words stand: in a member of objects. Those in an array stand where it does, whatever it has in it. */
interface Place {
  readonly words: Set<string>;
  readonly around: Place | undefined;
  readonly isInArray: boolean;
}

/** A word counts once more for so many letters. */
const LETTERS_OF_ONE_MORE = 16;

class WordCount {
  readonly #most: number;
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get isOver(): boolean {
    return this.#count > this.#most;
  }

  add(value: unknown, place: Place, depth: number): void {
    if (typeof value === 'string') this.#addText(value, place);
    if (typeof value !== 'object' || value === null || depth === 0) return;
    const isInArray = place.isInArray || Array.isArray(value);
    for (const each of Array.isArray(value) ? value : Object.values(value)) {
      if (this.isOver) return;
      const inside = isInArray
        ? { ...place, isInArray }
        : { words: new Set<string>(), around: place, isInArray };
      this.add(each, inside, depth - 1);
    }
  }

  #addText(text: string, place: Place): void {
    for (const words of wordsInPieces(text)) {
      for (const word of words) this.#addWord(word, place);
      if (this.isOver) return;
    }
  }

  #addWord(word: string, place: Place): void {
    // Where a word stands, it stands in all that is around.
    for (let at: Place | undefined = place; at?.words.has(word) === false; at = at.around) {
      at.words.add(word);
      this.#count++;
      if (at.around === undefined) this.#count += Math.floor(word.length / LETTERS_OF_ONE_MORE);
    }
  }
}
