import { isJsonObject } from '../json-value.ts';
import { EFFORT_OF_TEXT, type Effort } from './effort.ts';
import type { TextCondition } from './filter.ts';
import { valueAt } from './json-values.ts';
import type { Steps } from './steps.ts';
import { bitsOfLetters, normalisedText, piecesOf, wordsInPieces } from './words.ts';

/** Different words, with the bits of those that are of letters alone. */
export type FieldWords = ReadonlyMap<string, number | undefined>;

/** The texts of a record that is judged and their words, found out once for all conditions. */
export class JudgedTexts {
  readonly #places = new Map<unknown, Map<string, Place>>();
  /** What the judging may cost; `undefined` where nobody bounds it. */
  readonly effort: Effort | undefined;

  constructor(effort: Effort | undefined) {
    this.effort = effort;
  }

  /** The texts at a path of the record or of an element of an array in it, as `like` compares them. */
  *foldedAt(root: unknown, condition: TextCondition): Steps<readonly string[]> {
    const place = this.#at(root, condition.path.segments);
    if (place.folded !== undefined) return place.folded;
    const folded: string[] = [];
    for (const text of place.texts) {
      let whole = '';
      for (const piece of piecesOf(text)) {
        whole += normalisedText(piece);
        this.effort?.spend(condition, piece.length * EFFORT_OF_TEXT.read);
        yield;
      }
      folded.push(whole);
    }
    place.folded = folded;
    return folded;
  }

  *wordsAt(root: unknown, condition: TextCondition): Steps<FieldWords> {
    const place = this.#at(root, condition.path.segments);
    if (place.words !== undefined) return place.words;
    const words = new Map<string, number | undefined>();
    for (const text of place.texts) {
      this.effort?.spend(condition, text.length * EFFORT_OF_TEXT.cut);
      for (const some of wordsInPieces(text)) {
        for (const word of some) {
          if (!words.has(word)) words.set(word, bitsOfLetters(word));
        }
        yield;
      }
    }
    place.words = words;
    return words;
  }

  #at(root: unknown, segments: readonly string[]): Place {
    const places = this.#places.get(root) ?? new Map<string, Place>();
    this.#places.set(root, places);
    // No segment has a NUL.
    const name = segments.join('\0');
    const known = places.get(name);
    if (known !== undefined) return known;
    const texts = textsOf(valueAt(root, segments));
    const place = { texts, folded: undefined, words: undefined };
    places.set(name, place);
    return place;
  }
}

interface Place {
  readonly texts: readonly string[];
  folded: readonly string[] | undefined;
  words: FieldWords | undefined;
}

/**
 * The strings that text operators look at: the value itself, or every string at any depth inside;
 * a number or boolean counts as its JSON text.
 */
export function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'number' || typeof value === 'boolean') return [JSON.stringify(value)];
  return stringsIn(value);
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(stringsIn) : [];
}
