import { ConnectorError } from '@patchbay/connectors';
import type { VerifiedToken } from './access.ts';
import type { Applications } from './applications.ts';
import type { OperatorKey } from './operator-key.ts';
import type { Tokens, VerifiedTenant } from './tokens.ts';

const BEARER = /^Bearer +([^\s]+) *$/i;

interface GateParts {
  readonly tokens: Tokens;
  readonly applications: Applications;
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
      ? verified.then((each) => this.#requireLive(each))
      : this.#requireLive(verified);
  }

  #requireLive(verified: VerifiedTenant): VerifiedToken | Promise<VerifiedToken> {
    const live = this.#parts.applications.requireLive(verified.access.applicationId);
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
