import { inspect } from 'node:util';

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
