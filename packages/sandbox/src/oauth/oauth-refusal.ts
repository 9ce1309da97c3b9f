/** Why an authorization server refuses; every vendor has words of its own for it. */
export type RefusalReason =
  | 'unknown_client'
  | 'wrong_secret'
  /** The app may not use this grant type: it is public, or the vendor does not know the type. */
  | 'unsupported_grant'
  /** The code is unknown, used, too old, or another app's. */
  | 'bad_code'
  | 'redirect_mismatch'
  | 'bad_verifier'
  /** The refresh token is unknown, used, too old, revoked, or another app's. */
  | 'bad_refresh_token';

/** The refusal of a request to a token endpoint. */
export class OAuthRefusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason) {
    super(reason);
    this.name = 'OAuthRefusal';
    this.reason = reason;
  }
}
