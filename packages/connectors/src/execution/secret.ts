import { inspect } from 'node:util';

/** Shorter texts are no secrets, and taking them out would change what an answer says. */
const MIN_REDACTED_LENGTH = 8;

/**
 * A credential value on its way to an upstream. It prints as `[secret]` everywhere; `reveal` is
 * called in one place, where the request's header is made.
 */
export class Secret {
  readonly #value: string;
  readonly #parts: readonly string[];

  /** @param parts Secrets that the value holds encoded, for example a password in base64. */
  constructor(value: string, parts: readonly string[] = []) {
    this.#value = value;
    this.#parts = parts;
  }

  reveal(): string {
    return this.#value;
  }

  /** The text without this value, for answers of an upstream that quote it. */
  redact(text: string): string {
    const [whole = '', token = ''] = /^\S+ (.+)$/.exec(this.#value) ?? [];
    const hidden = [whole, token, ...this.#parts];
    return hidden
      .flatMap(spellingsOf)
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

/** As it is, and as it is spelled within JSON, a URL and a form, where the letters of hexadecimal digits may be small. */
function spellingsOf(text: string): readonly string[] {
  const encoded = [encodeURIComponent(text.toWellFormed()), formValueOf(text)];
  const inSmall = encoded.map((each) =>
    each.replace(/%[0-9A-F]{2}/g, (digits) => digits.toLowerCase()),
  );
  return [text, JSON.stringify(text).slice(1, -1), ...encoded, ...inSmall];
}

function formValueOf(text: string): string {
  return new URLSearchParams({ _: text }).toString().slice('_='.length);
}
