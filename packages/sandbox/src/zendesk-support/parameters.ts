import { invalidAttribute } from './support-error.ts';

/** The query of a call. */
export class Parameters {
  readonly #search: URLSearchParams;

  constructor(query: string) {
    this.#search = new URLSearchParams(query);
  }

  /** The parameters by name; the last value of a repeated one. */
  toObject(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#search);
  }

  /** A parameter as text; undefined when it is absent or empty. */
  text(name: string): string | undefined {
    const value = this.#search.get(name);
    return value === null || value === '' ? undefined : value;
  }

  /** Every value of a parameter that may be repeated. */
  all(name: string): readonly string[] {
    return this.#search.getAll(name);
  }

  /** A parameter as a whole number from 1 on; undefined when it is absent, other values refused. */
  positive(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (!/^[1-9]\d{0,14}$/.test(value)) throw invalidAttribute(name, 'must be an integer');
    return Number(value);
  }

  flag(name: string): boolean | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    return value === 'true' || value === '1';
  }

  /** A parameter as one of the allowed words; undefined when it is absent, other values refused. */
  oneOf<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const word = words.find((allowed) => allowed === value);
    if (word === undefined) throw invalidAttribute(name, `must be one of: ${words.join(', ')}`);
    return word;
  }

  /** The query with some parameters replaced, and those given as null left out. */
  with(changes: Readonly<Record<string, string | null>>): string {
    const copy = new URLSearchParams(this.#search);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) copy.delete(name);
      else copy.set(name, value);
    }
    return copy.toString();
  }
}
