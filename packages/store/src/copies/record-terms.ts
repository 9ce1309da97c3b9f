import { isJsonObject, wordsOf, type Steps } from '@patchbay/connectors/engine';
import type { CopyColumn, CopyTable } from './copy-table.ts';
import { DistinctNumbers } from './distinct-numbers.ts';
import { termOf, type HashLanes } from './hashes.ts';
import { PathHashes } from './path-hashes.ts';
import { addWordGrams, isInDictionary, valueTerm, wordLanes } from './terms.ts';

/** What the indexes hold of some records: their numbers, one record's after another's. */
export interface RecordTerms {
  readonly terms: readonly number[];
  readonly grams: readonly number[];
  /** Where each record's numbers end. */
  readonly ends: readonly { readonly terms: number; readonly grams: number }[];
}

/** Where a value stands: at a path that a condition can name, or below an array. */
interface Position {
  readonly place: HashLanes;
  /** The places whose words include those found here. */
  readonly wordPlaces: readonly HashLanes[];
  readonly isBelowArray: boolean;
  readonly hasGrams: boolean;
  /** The positions of properties that many records have. */
  readonly below: Map<string, Position>;
}

/** To hash a word for so many places takes no longer than to know whether it has been. */
const FEW_PLACES = 8;

/** Positions kept below each other one. */
const MAX_BELOW = 256;

/**
 * Hashes records of one connector.
 *
 * Terms: every word at the path of its text and at those around it, as text operators look at the
 * texts inside objects and arrays. No path leads into an array, so there words count for the array
 * alone. Numbers, booleans and texts without words at their own path, elements of arrays at a path
 * that stands for any of them. Integers and booleans of the entity's own fields have no words:
 * comparing the column is as good.
 *
 * Grams: of every word in fields that are marked as text.
 */
export class TermMaker {
  /** Words for the dictionary that were found so far. */
  readonly words = new Set<string>();
  readonly #places: PathHashes;
  readonly #columns: readonly { readonly column: CopyColumn; readonly position: Position }[];
  #terms = new DistinctNumbers();
  #grams = new DistinctNumbers();
  /** Words of a record that have been added already, by their places, where those are many. */
  readonly #added = new Map<readonly HashLanes[], Set<string>>();
  readonly #addGram = (gram: number): void => {
    this.#grams.add(gram);
  };

  constructor(connectorId: string, table: CopyTable) {
    this.#places = new PathHashes(connectorId);
    this.#columns = table.columns.map((column) => {
      const place = this.#places.at([column.field.name]);
      const hasGrams = column.field.isText;
      const position = { place, wordPlaces: [place], isBelowArray: false, hasGrams };
      return { column, position: { ...position, below: new Map() } };
    });
  }

  /** @param records Well-formed values of each, in the order of the table's columns. */
  *make(records: Iterable<readonly unknown[]>): Steps<RecordTerms> {
    this.#terms = new DistinctNumbers();
    this.#grams = new DistinctNumbers();
    const ends: { readonly terms: number; readonly grams: number }[] = [];
    for (const values of records) {
      for (const [index, { column, position }] of this.#columns.entries()) {
        const value = values[index];
        if (value === null) continue;
        const isPlain = column.sqlType === 'int8' || column.sqlType === 'boolean';
        if (isPlain) this.#addValue(position, value);
        else this.#add(position, value);
      }
      this.#terms.next();
      this.#grams.next();
      this.#added.clear();
      ends.push({ terms: this.#terms.list.length, grams: this.#grams.list.length });
      yield;
    }
    return { terms: this.#terms.list, grams: this.#grams.list, ends };
  }

  #add(position: Position, value: unknown): void {
    if (typeof value === 'string') {
      const words = this.#addWords(position, value, position.wordPlaces);
      if (words.length === 0) this.#addValue(position, value);
    } else if (typeof value === 'number' || typeof value === 'boolean') {
      this.#addValue(position, value);
      if (!position.isBelowArray) this.#addWords(position, JSON.stringify(value), [position.place]);
    } else if (Array.isArray(value)) {
      const inside = this.#inside(position);
      for (const element of value) this.#add(inside, element);
    } else if (isJsonObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        this.#add(this.#below(position, name), member);
      }
    }
  }

  #inside(array: Position): Position {
    const place = this.#places.element(array.place);
    return { ...array, place, isBelowArray: true, below: new Map() };
  }

  #below(position: Position, name: string): Position {
    const known = position.below.get(name);
    if (known !== undefined) return known;
    const place = this.#places.below(position.place, name);
    const wordPlaces = position.isBelowArray
      ? position.wordPlaces
      : [...position.wordPlaces, place];
    const found = { ...position, place, wordPlaces, below: new Map<string, Position>() };
    if (position.below.size < MAX_BELOW) position.below.set(name, found);
    return found;
  }

  #addValue({ place }: Position, value: unknown): void {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      this.#terms.add(valueTerm(place, value));
    }
  }

  #addWords(position: Position, text: string, places: readonly HashLanes[]): readonly string[] {
    const words = wordsOf(text);
    const added = places.length > FEW_PLACES ? this.#addedAt(places) : undefined;
    for (const word of words) {
      if (added?.has(word) === true) continue;
      added?.add(word);
      const lanes = wordLanes(word);
      for (const place of places) this.#terms.add(termOf(place, lanes));
      if (position.hasGrams) addWordGrams(this.#places.root, word, this.#addGram);
      if (!this.words.has(word) && isInDictionary(word)) this.words.add(word);
    }
    return words;
  }

  #addedAt(places: readonly HashLanes[]): Set<string> {
    const known = this.#added.get(places);
    if (known !== undefined) return known;
    const added = new Set<string>();
    this.#added.set(places, added);
    return added;
  }
}
