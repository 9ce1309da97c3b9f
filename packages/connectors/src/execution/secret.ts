import { inspect } from 'node:util';

/** What is shorter is no secret, and taking it out of an answer would change what that says. */
const MIN_REDACTED_LENGTH = 8;

/**
 * A credential value on its way to an upstream. It prints as `[secret]` everywhere; `reveal` is
 * called in one place, where the request's header is made.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  /** The text without this value, for answers of an upstream that says it back. */
  redact(text: string): string {
    const [whole = '', token = ''] = /^\S+ (.+)$/.exec(this.#value) ?? [];
    return [whole, token, JSON.stringify(token).slice(1, -1)]
      .filter((part) => part.length >= MIN_REDACTED_LENGTH)
      .reduce((left, part) => left.replaceAll(part, '[secret]'), text);
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}
