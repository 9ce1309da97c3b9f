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
  /** What it may be spelled as; made when it is first looked for. */
  #spellings: readonly string[] | undefined;

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
    if (text.length < MIN_REDACTED_LENGTH) return text;
    this.#spellings ??= this.#allSpellings();
    return this.#spellings.reduce((left, part) => left.replaceAll(part, '[secret]'), text);
  }

  /**
   * As `redact`, for what a URL has as its origin.
   *
   * @param origin In small letters, as URLs have theirs whatever an upstream wrote.
   */
  redactOrigin(origin: string): string {
    this.#spellings ??= this.#allSpellings();
    const inSmall = this.#spellings.map((part) => part.toLowerCase());
    return inSmall.reduce((left, part) => left.replaceAll(part, '[secret]'), origin);
  }

  #allSpellings(): readonly string[] {
    const [whole = '', token = ''] = /^\S+ (.+)$/.exec(this.#value) ?? [];
    const all = [whole, token, ...this.#parts].flatMap(spellingsOf);
    return [...new Set(all)].filter((part) => part.length >= MIN_REDACTED_LENGTH);
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

/** The text without any of these secrets. */
export function withoutSecrets(secrets: readonly Secret[], text: string): string {
  return secrets.reduce((left, secret) => secret.redact(left), text);
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
