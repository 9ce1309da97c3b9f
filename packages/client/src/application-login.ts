import {
  checkOptions,
  ConnectorError,
  isConnectorError,
  startDeadline,
  wait,
  type Clock,
  type Deadline,
} from '@patchbay/connectors/definitions';
import { ApplicationToken, ScopedToken, type Schema, type Wire } from '@patchbay/connectors/wire';
import { attempt, readJson } from './attempt.ts';
import { checkOptionsOfCall, type RequestOptions } from './call-options.ts';
import type { HttpRequest, Place } from './exchange.ts';
import { delayBeforeNext } from './retry-delay.ts';
import { requireShape } from './service-errors.ts';
import { Tokens, type Token, type TokenSource } from './tokens.ts';

/** The application and the external user that tokens are for. */
export interface TokenOwner {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly externalUserId: string;
  readonly access: 'read' | 'write';
}

/** Options of making a scoped token. */
export interface ScopedTokenOptions extends RequestOptions {
  /** What the client itself may do, unless said. */
  readonly access?: 'read';
  /** 1 to 100 ids; all connectors of the external user unless said. */
  readonly connectorIds?: readonly string[];
}

/** A token as the service gave it. */
interface GrantedToken extends Token {
  readonly lifeSeconds: number;
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
  /** The application's own, which reach all of its external users. */
  readonly applicationTokens: Tokens;
  readonly #place: Place;
  readonly #clock: Clock;
  readonly #owner: TokenOwner;

  constructor(place: Place, clock: Clock, owner: TokenOwner) {
    this.#place = place;
    this.#clock = clock;
    this.#owner = owner;
    this.applicationTokens = new Tokens({ fetchToken: () => this.#logIn() }, clock);
  }

  fetchToken(): Promise<Token> {
    return this.mint();
  }

  /**
   * A new scoped token for the external user.
   *
   * @throws what the service says, for example `unauthenticated`; `not_ready` where nothing answers;
   * the reason of `options.signal` when it aborts.
   */
  mint(options: ScopedTokenOptions = {}): Promise<GrantedToken> {
    checkOptionsOfCall(options, { access: true, connectorIds: true });
    const { access = this.#owner.access, connectorIds } = options;
    const scope = { access, connector_ids: connectorIds };
    return this.#within(options, (deadline) => this.#mintWithin(scope, deadline));
  }

  /** Runs a part of the login until its deadline. */
  async #within<T>(
    { timeoutMs = TIMEOUT_MS, signal }: RequestOptions,
    run: (deadline: Deadline) => Promise<T>,
  ): Promise<T> {
    checkOptions({ timeoutMs });
    const deadline = startDeadline(this.#clock, timeoutMs, signal);
    try {
      return await run(deadline);
    } catch (error) {
      if (!deadline.hasPassed() || isConnectorError(error)) throw error;
      const message = `${this.#place.baseUrl} gave no token within ${timeoutMs} ms.`;
      throw new ConnectorError('not_ready', {}, { message, cause: error });
    } finally {
      deadline[Symbol.dispose]();
    }
  }

  async #mintWithin(scope: object, deadline: Deadline): Promise<GrantedToken> {
    const { signal } = deadline;
    const known = await this.applicationTokens.get(signal);
    try {
      return await this.#mintAs(known, scope, deadline);
    } catch (error) {
      if (!isConnectorError(error) || error.status !== 401) throw error;
      const other = await this.applicationTokens.replace(known, signal);
      return await this.#mintAs(other, scope, deadline);
    }
  }

  #logIn(): Promise<Token> {
    const { clientId, clientSecret } = this.#owner;
    return this.#within({}, async (deadline) => {
      const { answer, askedAt } = await this.#request(
        ApplicationToken,
        {
          method: 'POST',
          path: '/api/v1/account/applications/token',
          body: JSON.stringify({ client_id: clientId, client_secret: clientSecret }),
        },
        { secret: clientSecret, deadline },
      );
      return tokenOf(answer.access_token, answer.expires_in, askedAt);
    });
  }

  async #mintAs(application: Token, scope: object, deadline: Deadline): Promise<GrantedToken> {
    const { externalUserId } = this.#owner;
    const { answer, askedAt } = await this.#request(
      ScopedToken,
      {
        method: 'POST',
        path: '/api/v1/account/applications/scoped-token',
        headers: { authorization: `Bearer ${application.value}` },
        body: JSON.stringify({ external_user_id: externalUserId, ...scope }),
      },
      { secret: application.value, deadline },
    );
    return tokenOf(answer.token, answer.expires_in, askedAt);
  }

  /** Asks for a token; asking twice does no harm, so it is repeated on any passing trouble. */
  async #request<S extends Schema>(
    schema: S,
    request: HttpRequest,
    { secret, deadline }: { readonly secret: string; readonly deadline: Deadline },
  ): Promise<{ readonly answer: Wire<S>; readonly askedAt: number }> {
    for (let count = 1; ; count++) {
      const askedAt = this.#clock.now();
      const answer = await attempt(this.#place, request, {
        signal: deadline.signal,
        secrets: [secret],
        read: readJson(this.#place),
      });
      if (!answer.isFailure) {
        const { baseUrl } = this.#place;
        return {
          answer: requireShape(schema, answer.value, { baseUrl, what: 'a token' }),
          askedAt,
        };
      }
      const delayMs = delayBeforeNext(answer, count);
      if (delayMs === undefined || delayMs >= deadline.leftMs()) throw answer.error;
      await wait(this.#clock, delayMs, deadline.signal);
    }
  }
}

function tokenOf(value: string, lifeSeconds: number, askedAt: number): GrantedToken {
  const lifeMs = lifeSeconds * 1000;
  const expiresAt = askedAt + lifeMs;
  const renewAt = expiresAt - Math.min(RENEWAL_MARGIN_MS, lifeMs / 10);
  return { value, lifeSeconds, expiresAt, renewAt };
}
