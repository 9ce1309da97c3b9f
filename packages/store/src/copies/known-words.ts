import type { Database } from '../database.ts';
import { termOf, textLanes, type HashLanes } from './hashes.ts';

/** Words remembered in all, as numbers: some 40 bytes each. */
const MAX_WORDS = 250_000;

interface Vocabulary {
  readonly hash: HashLanes;
  readonly words: Set<number>;
}

/**
 * Remembers which words the dictionary surely has, so that most are not sent again. Only words are
 * remembered that were found there: what a transaction has just added may be rolled back.
 */
export class KnownWords {
  /** The vocabulary used last comes last. */
  readonly #vocabularies = new Map<string, Vocabulary>();
  readonly #added = new WeakMap<Database, Set<string>>();
  #count = 0;

  /** Those words that may be missing from the dictionary of a copy. */
  unknownOf(dictionary: string, words: Iterable<string>): readonly string[] {
    const known = this.#vocabularies.get(dictionary);
    if (known === undefined) return [...words];
    return Array.from(words).filter((word) => !known.words.has(hashOf(known, word)));
  }

  /**
   * Takes note of an attempt to add words.
   *
   * @param added Those that were missing; all others were there.
   */
  remember(
    transaction: Database,
    dictionary: string,
    attempt: { readonly words: readonly string[]; readonly added: ReadonlySet<string> },
  ): void {
    const uncommitted = this.#added.get(transaction) ?? new Set<string>();
    this.#added.set(transaction, uncommitted);
    for (const word of attempt.added) uncommitted.add(`${dictionary} ${word}`);
    const vocabulary = this.#use(dictionary);
    for (const word of attempt.words) {
      if (uncommitted.has(`${dictionary} ${word}`)) continue;
      const hash = hashOf(vocabulary, word);
      if (vocabulary.words.has(hash)) continue;
      vocabulary.words.add(hash);
      this.#count++;
    }
    this.#forgetOldest();
  }

  #use(dictionary: string): Vocabulary {
    const vocabulary = this.#vocabularies.get(dictionary) ?? {
      hash: textLanes(dictionary),
      words: new Set<number>(),
    };
    this.#vocabularies.delete(dictionary);
    this.#vocabularies.set(dictionary, vocabulary);
    return vocabulary;
  }

  #forgetOldest(): void {
    for (const [dictionary, { words }] of this.#vocabularies) {
      if (this.#count <= MAX_WORDS) return;
      this.#vocabularies.delete(dictionary);
      this.#count -= words.size;
    }
  }
}

function hashOf({ hash }: Vocabulary, word: string): number {
  return termOf(hash, textLanes(word));
}
