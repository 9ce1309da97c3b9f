import {
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

/** Whose tokens they are. */
export interface TokenOwner {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly externalUserId: string;
  readonly access: 'read' | 'write';
}

interface Token {
  readonly value: string;
  /** Milliseconds since 1970. */
  readonly renewAt: number;
  readonly expiresAt: number;
}

/** Tokens are renewed this long before they expire, or when a tenth of their life is left. */
const RENEWAL_MARGIN_MS = 60_000;
/** A token that lives shorter than this may expire on its way. */
const TRAVEL_MS = 5_000;
/** Longest time for getting a token, however long the calls that wait for it may take. */
const LOGIN_TIMEOUT_MS = 30_000;

/**
 * The scoped token of one external user: application token first, then the scoped one, both kept
 * until shortly before they expire. However many calls ask at once, one request each is sent.
 *
 * @see wire contract, part 2
 */
export class Tokens {
  readonly #place: Place;
  readonly #clock: Clock;
  readonly #owner: TokenOwner;
  #application: Token | undefined;
  #scoped: Token | undefined;
  #renewal: Promise<string> | undefined;

  constructor(place: Place, clock: Clock, owner: TokenOwner) {
    this.#place = place;
    this.#clock = clock;
    this.#owner = owner;
  }

  /**
   * A scoped token that is good for a while.
   *
   * @throws what the service says, for example `unauthenticated`; `not_ready` where nothing
   * answers; the signal's reason when it aborts. Aborting one call does not end the renewal that
   * others wait for.
   */
  get(signal: AbortSignal): string | Promise<string> {
    const scoped = this.#scoped;
    const nowMs = this.#clock.now();
    if (scoped !== undefined && nowMs < scoped.renewAt) return scoped.value;
    const renewal = this.#startRenewal();
    // While the old token is good, nobody waits for the new one.
    if (scoped !== undefined && nowMs < scoped.expiresAt - TRAVEL_MS) return scoped.value;
    return untilAborted(renewal, signal);
  }

  /** Forgets a token that the service refused, unless it has been renewed in the meantime. */
  discard(value: string): void {
    if (this.#scoped?.value === value) this.#scoped = undefined;
  }

  #startRenewal(): Promise<string> {
    if (this.#renewal !== undefined) return this.#renewal;
    const renewal = this.#renew().finally(() => {
      this.#renewal = undefined;
    });
    // Where nobody waits for it, a failure is no event: the next call tries again.
    renewal.catch(() => undefined);
    this.#renewal = renewal;
    return renewal;
  }

  async #renew(): Promise<string> {
    this.#scoped = await this.#mint();
    return this.#scoped.value;
  }

  async #mint(): Promise<Token> {
    const deadline = startDeadline(this.#clock, LOGIN_TIMEOUT_MS, undefined);
    try {
      const known = this.#application;
      if (known === undefined || this.#clock.now() >= known.renewAt)
        return await this.#mintScoped(await this.#logIn(deadline), deadline);
      try {
        return await this.#mintScoped(known, deadline);
      } catch (error) {
        if (!isConnectorError(error) || error.status !== 401) throw error;
        return await this.#mintScoped(await this.#logIn(deadline), deadline);
      }
    } finally {
      deadline[Symbol.dispose]();
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

  /** Asks for a token; asking twice does no harm, so any passing trouble is worth a repetition. */
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

/** What the promise brings, or the signal's reason when it aborts first. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
