import { untilAborted, type Clock } from '@patchbay/connectors/definitions';

/** A token, and how long it is good. */
export interface Token {
  readonly value: string;
  /** Milliseconds since 1970, as `expiresAt`. */
  readonly renewAt: number;
  readonly expiresAt: number;
}

/** Where scoped tokens come from. */
export interface TokenSource {
  fetchToken(): Promise<Token>;
}

/** A token that lives shorter than this may expire on its way. */
const TRAVEL_MS = 5_000;
/** After a renewal that failed while the old token was good, the next is tried so much later. */
const RENEW_AGAIN_AFTER_MS = 5_000;

/**
 * The scoped token that calls go out with, kept until shortly before it expires. However many
 * calls need a new one at once, one is fetched for all, and its failure is the failure of all.
 */
export class Tokens {
  readonly #source: TokenSource;
  readonly #clock: Clock;
  #current: Token | undefined;
  #renewal: Promise<Token> | undefined;
  #renewAgainAt = 0;
  /** What each refused token was to be replaced by. */
  readonly #replacements = new WeakMap<Token, Promise<Token>>();

  constructor(source: TokenSource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  /**
   * A scoped token that is good for a while.
   *
   * @throws what its source throws; the signal's reason when it aborts. Aborting one call does not
   * end the renewal that others wait for.
   */
  get(signal: AbortSignal): Token | Promise<Token> {
    const token = this.#current;
    if (token === undefined) return untilAborted(this.#startRenewal(), signal);
    const nowMs = this.#clock.now();
    if (nowMs < token.renewAt) return token;
    const isGood = nowMs < token.expiresAt - TRAVEL_MS;
    if (isGood && nowMs < this.#renewAgainAt) return token;
    const renewal = this.#startRenewal();
    // While the old token is good, nobody waits for the new one.
    return isGood ? token : untilAborted(renewal, signal);
  }

  /**
   * Another token in place of one that the service refused. Calls that went out with the same
   * token get the same one, or the same error, however late they learn that it was refused.
   *
   * @throws as `get`.
   */
  replace(refused: Token, signal: AbortSignal): Token | Promise<Token> {
    if (this.#current !== undefined && this.#current !== refused) return this.#current;
    this.#current = undefined;
    const replacement = this.#replacements.get(refused) ?? this.#startRenewal();
    this.#replacements.set(refused, replacement);
    return untilAborted(replacement, signal);
  }

  #startRenewal(): Promise<Token> {
    if (this.#renewal !== undefined) return this.#renewal;
    const renewal = this.#renew().finally(() => {
      this.#renewal = undefined;
    });
    // Where nobody waits for it, a failure is no event: a later call tries again.
    renewal.catch(() => undefined);
    this.#renewal = renewal;
    return renewal;
  }

  async #renew(): Promise<Token> {
    try {
      this.#current = await this.#source.fetchToken();
      return this.#current;
    } catch (error) {
      this.#renewAgainAt = this.#clock.now() + RENEW_AGAIN_AFTER_MS;
      throw error;
    }
  }
}
