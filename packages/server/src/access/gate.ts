import { ConnectorError } from '@patchbay/connectors';
import type { Access, VerifiedToken } from './access.ts';
import type { Applications } from './applications.ts';
import type { Tokens } from './tokens.ts';

const BEARER = /^Bearer +([^\s]+) *$/i;

/** Decides who a request comes from. */
export class Gate {
  readonly #tokens: Tokens;
  readonly #applications: Applications;

  constructor(tokens: Tokens, applications: Applications) {
    this.#tokens = tokens;
    this.#applications = applications;
  }

  /**
   * The access that an `Authorization` header gives; at once where its token is known and its
   * application was looked up lately.
   *
   * @throws `unauthenticated`, `token_expired`.
   */
  admit(authorization: string | undefined): VerifiedToken | Promise<VerifiedToken> {
    const token = BEARER.exec(authorization ?? '')?.[1];
    if (token === undefined) throw missingToken(authorization);
    const verified = this.#tokens.verify(token);
    return verified instanceof Promise
      ? verified.then((each) => this.#requireLive(each))
      : this.#requireLive(verified);
  }

  #requireLive(verified: VerifiedToken): VerifiedToken | Promise<VerifiedToken> {
    const { applicationId }: Access = verified.access;
    const live = this.#applications.requireLive(applicationId);
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
