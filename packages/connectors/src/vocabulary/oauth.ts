import type { BodyPath } from './body-path.ts';
import type { Revocation } from './revocation.ts';

/** How an authorization server gives tokens, in the words of RFC 6749. */
export type Grant = 'authorization_code' | 'refresh_token' | 'client_credentials';

/**
 * Where an authorization server is reached: an absolute `https` address in which `{name}` stands for a
 * config variable, or one address for each word of a variable.
 */
export type OAuthAddress =
  string | { readonly variable: string; readonly addresses: { readonly [word: string]: string } };

/** How a person is asked for consent. */
export interface Consent {
  readonly address: OAuthAddress;
  /** Absent where requests name no scopes, since the app itself has them. */
  readonly scopes?: {
    readonly separator: ' ' | ',';
    /** What reading needs, and writing where the kind has writes. */
    readonly default: readonly string[];
    /** A code is exchanged for the scopes that the person was asked for, which have to be said once more. */
    readonly isSaidWithCode?: true;
  };
  /** Only where asking for PKCE does an app no harm. */
  readonly pkce?: 'S256';
}

/** The endpoint that turns a code, a refresh token or a client's own secret into tokens. */
export interface TokenEndpoint {
  readonly address: OAuthAddress;
  /** How the body of a request is written. */
  readonly body: 'form' | 'json';
  /** Where an answer may have the access token, the likeliest place first; `access_token` unless said. */
  readonly accessToken?: readonly BodyPath[];
  /** Where a refusal has its code, and the sentence beside it. */
  readonly error: BodyPath;
  readonly errorMessage?: BodyPath;
  /**
   * The codes that say that the grant itself is dead, so that only a person can help. Any other
   * trouble leaves credentials in use.
   */
  readonly deadGrants: readonly string[];
  /** The codes that say that the client is not known, or its secret wrong: whoever gave those can help. */
  readonly wrongClients: readonly string[];
}

/** The authorization server of a kind, which some of its auth methods have their tokens from. */
export interface OAuthServer {
  readonly reference: string;
  readonly consent: Consent;
  readonly token: TokenEndpoint;
  /** How what it issued is ended. */
  readonly revocation?: Revocation;
}
