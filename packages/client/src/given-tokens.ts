import { ConnectorError, type Clock } from '@patchbay/connectors/definitions';
import type { Token, TokenSource } from './tokens.ts';
import { withoutSecrets } from './without-secrets.ts';

/** Brings a scoped token, for example from the backend of the page. */
export type GetToken = () => Promise<string>;

/** What a header can carry after "Bearer". */
const TOKEN = /^[\x21-\x7e]+$/;

/** Longest time for getting a token, however long the calls that wait for it may take. */
const TIMEOUT_MS = 30_000;

/**
 * Tokens that the caller's own function gets. How long one is good only the service knows, so it is
 * kept until it is refused.
 */
export class GivenTokens implements TokenSource {
  readonly #getToken: GetToken;
  readonly #clock: Clock;
  /** The last token, to be taken out of the function's errors, should they quote it. */
  #last = '';

  constructor(getToken: GetToken, clock: Clock) {
    this.#getToken = getToken;
    this.#clock = clock;
  }

  /** @throws `unauthenticated` when the function brings none, with its error as the cause. */
  async fetchToken(): Promise<Token> {
    const value = await this.#call();
    if (typeof value !== 'string' || !TOKEN.test(value)) throw failure(faultOf(value));
    this.#last = value;
    return { value, renewAt: Infinity, expiresAt: Infinity };
  }

  /** What the function brings; callers without types may bring anything. */
  async #call(): Promise<unknown> {
    const late = Promise.withResolvers<never>();
    const cancel = this.#clock.after(TIMEOUT_MS, () =>
      late.reject(failure(`brought nothing within ${TIMEOUT_MS} ms`)),
    );
    try {
      return await Promise.race([this.#ask(), late.promise]);
    } finally {
      cancel();
    }
  }

  async #ask(): Promise<unknown> {
    try {
      return await this.#getToken();
    } catch (error) {
      throw failure(`failed: ${withoutSecrets(String(error), [this.#last])}`, error);
    }
  }
}

/** What is wrong with a value, without the value: it may be a token after all. */
function faultOf(value: unknown): string {
  if (typeof value === 'string')
    return value === ''
      ? 'brought an empty text'
      : 'brought a text that is no token: it has spaces or other characters that no header takes';
  return `brought no text, but ${value === null ? 'null' : `a value of the type ${typeof value}`}`;
}

function failure(what: string, cause?: unknown): ConnectorError<'unauthenticated'> {
  const message = `The function given as token ${what}.`;
  return new ConnectorError('unauthenticated', {}, { message, cause });
}
