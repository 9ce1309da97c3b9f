import { seededRandom } from '../support/seeded-random.ts';

/** A contact of the copy that is searched, as far as terms are drawn from it. */
export interface SampledContact {
  readonly email: string;
  /** Two words at least. */
  readonly name: string;
  readonly phone: string | null;
  readonly createdAt: number;
  readonly company: string | null;
  readonly interest: string | null;
  readonly tagId: string | null;
}

/** Fields that not all contacts have. */
const OPTIONAL = ['phone', 'company', 'interest', 'tagId'] as const;
type OptionalField = (typeof OPTIONAL)[number];

/** Hardly any contact drawn has fewer words than are asked for. */
const MOST_TRIES = 1_000;

/** Fields whose words are drawn. */
export type WordField = 'name' | 'email' | 'company';

/**
 * Draws what searches ask for from contacts that there are, in an order that a seed decides. Of the
 * words, one half are those of contacts, in which the common ones come up often; the other half are
 * those of the vocabulary, each as often as any other, so that most are rare.
 */
export class SearchTerms {
  readonly #sample: readonly SampledContact[];
  readonly #vocabularies: Readonly<Record<WordField, readonly string[]>>;
  readonly #values: Readonly<Record<OptionalField, readonly string[]>>;
  readonly #random: () => number;

  /** @throws Error for a sample that is empty, or without phones, companies, interests or tags. */
  constructor(sample: readonly SampledContact[], seed: number) {
    this.#sample = sample;
    this.#random = seededRandom(seed);
    const vocabularyOf = (field: WordField) => [
      ...new Set(sample.flatMap((contact) => wordsOf(contact[field] ?? '').filter(isOfLetters))),
    ];
    this.#vocabularies = {
      name: vocabularyOf('name'),
      email: vocabularyOf('email'),
      company: vocabularyOf('company'),
    };
    const valuesOf = (field: OptionalField) => sample.flatMap((contact) => contact[field] ?? []);
    this.#values = {
      phone: valuesOf('phone'),
      company: valuesOf('company'),
      interest: valuesOf('interest'),
      tagId: valuesOf('tagId'),
    };
    for (const field of OPTIONAL) this.value(field);
  }

  contact(): SampledContact {
    return this.oneOf(this.#sample);
  }

  /** The value of a field, of a contact that has one. */
  value(field: OptionalField): string {
    return this.oneOf(this.#values[field]);
  }

  /** A word of letters of a field: common as often as rare. */
  word(field: WordField): string {
    const isOfContact = this.#random() < 0.5;
    const text = isOfContact ? (this.contact()[field] ?? '') : '';
    const words = wordsOf(text).filter(isOfLetters);
    return words.length > 0 ? this.oneOf(words) : this.oneOf(this.#vocabularies[field]);
  }

  /** Words of letters that hardly any contact has together. */
  words(field: WordField, count: number): readonly string[] {
    const words = new Set<string>();
    while (words.size < count) words.add(this.word(field));
    return [...words];
  }

  /** The first words that a contact has in a field. */
  wordsTogether(field: 'name' | 'email', count: number): readonly string[] {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const words = wordsOf(this.contact()[field]);
      if (words.length >= count) return words.slice(0, count);
    }
    throw new Error(`no contact has ${count} words in ${field}`);
  }

  /** So many letters out of the middle of a text, or all of it where it is shorter. */
  part(text: string, length: number): string {
    const start = Math.floor(this.#random() * Math.max(1, text.length - length + 1));
    return text.slice(start, start + length);
  }

  oneOf<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.#random() * items.length)];
    if (item === undefined) throw new Error('the sample has nothing to draw from');
    return item;
  }
}

/** The items in an order that a seed decides. */
export function shuffled<T>(items: readonly T[], seed: number): readonly T[] {
  const random = seededRandom(seed);
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item);
}

/** The words of a text as searches know them: without case and accents. */
export function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/\p{M}/gu, '')
      .match(/[\p{L}\p{Nd}]+/gu) ?? []
  );
}

/** The word with its second and third letter swapped; one that is short or has digits, of which no slip is forgiven, as it is. */
export function misspelled(word: string): string {
  if (word.length < 4 || /\p{Nd}/u.test(word)) return word;
  return `${word.slice(0, 1)}${word.slice(2, 3)}${word.slice(1, 2)}${word.slice(3)}`;
}

function isOfLetters(word: string): boolean {
  return /^\p{L}{3,}$/u.test(word);
}
