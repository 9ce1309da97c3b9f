import { ConnectorError } from '@patchbay/connectors';
import type { VerifiedToken } from './access.ts';
import type { Applications } from './applications.ts';
import type { OperatorKey } from './operator-key.ts';
import type { RevokedTokens } from './revoked-tokens.ts';
import type { Tokens } from './tokens.ts';

const BEARER = /^Bearer +([^\s]+) *$/i;

interface GateParts {
  readonly tokens: Tokens;
  readonly applications: Applications;
  readonly revokedTokens: RevokedTokens;
  /** Where there is one. */
  readonly operatorKey: OperatorKey | undefined;
}

/** Decides who a request comes from. */
export class Gate {
  readonly #parts: GateParts;

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  /**
   * The access that an `Authorization` header gives; at once where its token is known and its
   * application was looked up lately.
   *
   * @param address Where the request comes from.
   * @throws `unauthenticated`, `token_expired`; `rate_limited` after too many wrong operator's keys.
   */
  admit(
    authorization: string | undefined,
    address: string,
  ): VerifiedToken | Promise<VerifiedToken> {
    const { tokens, operatorKey } = this.#parts;
    const token = BEARER.exec(authorization ?? '')?.[1];
    if (token === undefined) throw missingToken(authorization);
    if (operatorKey?.isLike(token) === true) return operatorKey.verify(token, address);
    const verified = tokens.verify(token);
    return verified instanceof Promise
      ? verified.then((each) => this.#pass(each))
      : this.#pass(verified);
  }

  /**
   * Lets pass what was admitted before, unless it has been revoked meanwhile; at once where that was
   * looked up lately.
   *
   * @throws `unauthenticated`.
   */
  requireLive(verified: VerifiedToken): void | Promise<void> {
    const { applications, revokedTokens } = this.#parts;
    const { access } = verified;
    if (access.type === 'operator')
      return verified.tokenId === undefined ? undefined : revokedTokens.requireUnrevoked(verified);
    const live = applications.requireLive(access.applicationId);
    return live instanceof Promise
      ? live.then(() => revokedTokens.requireUnrevoked(verified))
      : revokedTokens.requireUnrevoked(verified);
  }

  #pass(verified: VerifiedToken): VerifiedToken | Promise<VerifiedToken> {
    const live = this.requireLive(verified);
    return live instanceof Promise ? live.then(() => verified) : verified;
  }
}

function missingToken(authorization: string | undefined): ConnectorError<'unauthenticated'> {
  const message =
    authorization === undefined
      ? 'The request has no Authorization header; send "Authorization: Bearer <token>".'
      : 'The Authorization header is not of the form "Bearer <token>".';
  return new ConnectorError('unauthenticated', {}, { message });
}
