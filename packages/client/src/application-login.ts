import {
  ConnectorError,
  isConnectorError,
  isJsonObject,
  startDeadline,
  wait,
  type Clock,
  type Deadline,
} from '@patchbay/connectors/definitions';
import { attempt, readJson } from './attempt.ts';
import type { HttpRequest, Place } from './exchange.ts';
import { delayBeforeNext } from './retry-delay.ts';
import { unexpectedAnswer } from './service-errors.ts';
import type { Token, TokenSource } from './tokens.ts';

/** The application and the external user that tokens are for. */
export interface TokenOwner {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly externalUserId: string;
  readonly access: 'read' | 'write';
}

/** Tokens are renewed so long before they expire, or at a tenth of their life if that is less. */
const RENEWAL_MARGIN_MS = 60_000;
/** Longest time for getting a token, however long the calls that wait for it may take. */
const TIMEOUT_MS = 30_000;

/**
 * Logs in with the credentials of an application: its own token first, which is kept, then a scoped
 * one for the external user.
 *
 * @see docs/wire.md#tokens
 */
export class ApplicationLogin implements TokenSource {
  readonly #place: Place;
  readonly #clock: Clock;
  readonly #owner: TokenOwner;
  #application: Token | undefined;

  constructor(place: Place, clock: Clock, owner: TokenOwner) {
    this.#place = place;
    this.#clock = clock;
    this.#owner = owner;
  }

  /**
   * @throws what the service says, for example `unauthenticated`; `not_ready` where nothing
   * answers.
   */
  async fetchToken(): Promise<Token> {
    const deadline = startDeadline(this.#clock, TIMEOUT_MS, undefined);
    try {
      return await this.#fetchWithin(deadline);
    } catch (error) {
      if (isConnectorError(error)) throw error;
      const message = `${this.#place.baseUrl} gave no token within ${TIMEOUT_MS} ms.`;
      throw new ConnectorError('not_ready', {}, { message, cause: error });
    } finally {
      deadline[Symbol.dispose]();
    }
  }

  async #fetchWithin(deadline: Deadline): Promise<Token> {
    const known = this.#application;
    if (known === undefined || this.#clock.now() >= known.renewAt)
      return this.#mintScoped(await this.#logIn(deadline), deadline);
    try {
      return await this.#mintScoped(known, deadline);
    } catch (error) {
      if (!isConnectorError(error) || error.status !== 401) throw error;
      return await this.#mintScoped(await this.#logIn(deadline), deadline);
    }
  }

  async #logIn(deadline: Deadline): Promise<Token> {
    this.#application = undefined;
    const { clientId, clientSecret } = this.#owner;
    this.#application = await this.#request(
      {
        method: 'POST',
        path: '/api/v1/account/applications/token',
        body: JSON.stringify({ client_id: clientId, client_secret: clientSecret }),
      },
      { member: 'access_token', secret: clientSecret, deadline },
    );
    return this.#application;
  }

  #mintScoped(application: Token, deadline: Deadline): Promise<Token> {
    const { externalUserId, access } = this.#owner;
    return this.#request(
      {
        method: 'POST',
        path: '/api/v1/account/applications/scoped-token',
        headers: { authorization: `Bearer ${application.value}` },
        body: JSON.stringify({ external_user_id: externalUserId, access }),
      },
      { member: 'token', secret: application.value, deadline },
    );
  }

  /** Asks for a token; asking twice does no harm, so it is repeated on any passing trouble. */
  async #request(
    request: HttpRequest,
    options: { readonly member: string; readonly secret: string; readonly deadline: Deadline },
  ): Promise<Token> {
    const { member, secret, deadline } = options;
    for (let count = 1; ; count++) {
      const askedAt = this.#clock.now();
      const answer = await attempt(this.#place, request, {
        signal: deadline.signal,
        secrets: [secret],
        read: readJson(this.#place),
      });
      if (!answer.isFailure) return this.#tokenOf(answer.value, member, askedAt);
      const delayMs = delayBeforeNext(answer, count);
      if (delayMs === undefined || this.#clock.now() + delayMs >= deadline.at) throw answer.error;
      await wait(this.#clock, delayMs, deadline.signal);
    }
  }

  #tokenOf(answer: unknown, member: string, askedAt: number): Token {
    const { [member]: value, expires_in: seconds } = isJsonObject(answer) ? answer : {};
    if (typeof value !== 'string' || typeof seconds !== 'number')
      throw unexpectedAnswer(this.#place.baseUrl, 'a token');
    const lifeMs = seconds * 1000;
    const expiresAt = askedAt + lifeMs;
    return { value, expiresAt, renewAt: expiresAt - Math.min(RENEWAL_MARGIN_MS, lifeMs / 10) };
  }
}
