import type { RequestLine } from './action.ts';
import type { BodyPath } from './body-path.ts';

/** How the id is learnt by which a token is revoked, with a request that the token itself signs. */
export type TokenLookup =
  /** The request answers about the token that signs it. */
  | { readonly by: 'signature'; readonly request: RequestLine; readonly id: BodyPath }
  /** The request lists tokens, each with its text. */
  | {
      readonly by: 'list';
      readonly request: RequestLine;
      readonly records: BodyPath;
      readonly token: BodyPath;
      readonly id: BodyPath;
    };

/** How an access token is revoked at the vendor's, with a request that the token itself signs. */
export interface Revocation {
  /** What it does at the vendor's. */
  readonly doc: string;
  readonly reference: string;
  readonly lookup?: TokenLookup;
  /** Below the base URL of the kind; `{id}` stands for what the lookup told. */
  readonly request: RequestLine;
  /** What an answer has to say `true` at, besides being a success. */
  readonly confirmedBy?: BodyPath;
  /**
   * What stops working with it: the token and its refresh token; all that the app has for that principal,
   * since the vendor gives everybody the same token; or all that the app has in that account.
   */
  readonly ends: 'token' | 'principal' | 'account';
}

/**
 * Which credentials of an auth method are revoked when they are no longer needed: all, since an
 * authorization server issued them; or those that a person consented to here, where others may be made by
 * hand and be somebody else's to end.
 */
export type RevokedCredentials = 'all' | 'consented';

/** A day on which a vendor ends credentials. */
export interface Ending {
  /** The day, by the vendor's announcement: YYYY-MM-DD. */
  readonly on: string;
  /** All credentials of the method, or those that nothing renews. */
  readonly of: 'all' | 'unrenewed';
  /** What ends, and what to do about it. */
  readonly doc: string;
  readonly reference: string;
}
