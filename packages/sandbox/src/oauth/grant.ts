import type { OAuthClient, TokenLife } from './oauth-client.ts';

/** The vendor's customer that a person consents for: a workspace or an account. */
export interface Account {
  readonly id: string;
  readonly name: string;
}

/** Somebody who can consent. */
export interface Person {
  /** The vendor's id of that user. */
  readonly id: string;
  readonly name: string;
  readonly account: Account;
}

/** What an app was allowed, and by whom. */
export interface GrantDetails {
  readonly client: OAuthClient;
  readonly person: Person;
  /** As the vendor writes them. */
  readonly scopes: string;
  /** Which kind of token it gives, in the vendor's words. */
  readonly tokenType: string;
  /** What goes before the random part of its access tokens. */
  readonly tokenPrefix: string;
  readonly life: TokenLife;
}

/** A consent that tokens are issued for. */
export interface Grant extends GrantDetails {
  /** Unique within the sandbox, such as `slack-1`. */
  readonly id: string;
}

/** Tokens as they are issued. */
export interface IssuedTokens {
  readonly grant: Grant;
  readonly accessToken: string;
  /** Undefined when it is for good. */
  readonly expiresInSeconds: number | undefined;
  /** Undefined where none is issued. */
  readonly refreshToken: string | undefined;
  /** Undefined without a refresh token, and for one that does not expire. */
  readonly refreshExpiresInSeconds: number | undefined;
}
