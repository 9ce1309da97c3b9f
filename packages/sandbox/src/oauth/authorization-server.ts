import { AuthorizationCodes } from './authorization-codes.ts';
import type { Consent } from './authorization-codes.ts';
import { GrantBook } from './grant-book.ts';
import type { GrantDetails, IssuedTokens, Person } from './grant.ts';
import { authenticateClient, isRedirectAllowed } from './oauth-client.ts';
import type { OAuthClient, TokenLife } from './oauth-client.ts';
import type { OAuthParams } from './oauth-params.ts';

/** What is set for all authorization servers of a sandbox. */
export interface OAuthSettings {
  readonly clock: () => number;
  /** Overrides how long access tokens live that expire at all; undefined for the vendors' own. */
  readonly tokenTtlSeconds: number | undefined;
  /** Where consent may lead back to, besides addresses on this machine. */
  readonly redirectUris: readonly string[];
}

/** What sets one vendor's authorization server apart from the others. */
export interface VendorRules {
  /** What the ids of its grants begin with. */
  readonly vendor: string;
  readonly clients: readonly OAuthClient[];
  /** Who can consent, as long as they are there; made when they are asked for. */
  readonly people: () => readonly Person[];
  readonly codeSeconds: number;
  /** Whether a redirect address of the authorize page has to be sent with its code again. */
  readonly codeNeedsRedirectUri: boolean;
  /** Whether a second use of a code ends what the first gave. */
  readonly codeReplayEndsGrants: boolean;
  /** How many access tokens of a consent live at once. */
  readonly accessTokensKept: number;
  /** What a consent gives: one grant, or, at Slack, one for the bot and one for the user. */
  readonly grantsOf: (consent: Consent) => readonly GrantDetails[];
}

/** A request to a token endpoint. */
export interface TokenRequest {
  readonly params: OAuthParams;
  /** The Authorization header. */
  readonly authorization: string | undefined;
}

/** The authorization server of one simulated vendor, without the vendor's words and pages. */
export class AuthorizationServer {
  readonly book: GrantBook;
  readonly #rules: VendorRules;
  readonly #codes: AuthorizationCodes;
  readonly #redirectUris: readonly string[];

  constructor(rules: VendorRules, { clock, tokenTtlSeconds, redirectUris }: OAuthSettings) {
    const { vendor, accessTokensKept } = rules;
    this.#rules = rules;
    this.#redirectUris = redirectUris;
    this.book = new GrantBook({ vendor, accessTokensKept, clock, tokenTtlSeconds });
    this.#codes = new AuthorizationCodes({
      clock,
      lifeSeconds: rules.codeSeconds,
      needsRedirectUri: rules.codeNeedsRedirectUri,
      onReplay: (gave) => {
        if (rules.codeReplayEndsGrants) for (const { id } of gave) this.book.revoke(id);
      },
    });
  }

  get clients(): readonly OAuthClient[] {
    return this.#rules.clients;
  }

  get people(): readonly Person[] {
    return this.#rules.people();
  }

  /** Where consent leads back to; undefined for an address that is not allowed. */
  redirectUriOf({ redirect_uri: given }: OAuthParams): string | undefined {
    const uri = given ?? this.#redirectUris[0];
    return uri !== undefined && isRedirectAllowed(uri, this.#redirectUris) ? uri : undefined;
  }

  /** The code that a person's consent is told by. */
  consent(consent: Consent): string {
    return this.#codes.issue(consent);
  }

  /** Issues tokens at once, as if the person had consented and the code had been used. */
  grant(consent: Consent): readonly IssuedTokens[] {
    return this.#rules.grantsOf(consent).map((details) => this.open(details));
  }

  /** Issues the first tokens of a grant. */
  open(details: GrantDetails, life?: Partial<TokenLife>): IssuedTokens {
    return this.book.issue(this.book.open(details), { ...details.life, ...life });
  }

  /**
   * Exchanges a code for tokens, one set for each grant that the consent gives.
   *
   * @throws OAuthRefusal
   */
  exchange(request: TokenRequest, life?: Partial<TokenLife>): readonly IssuedTokens[] {
    const client = this.authenticate(request);
    const consent = this.#codes.redeem(client, request.params);
    return this.#rules.grantsOf(consent).map((details) => {
      const issued = this.open(details, life);
      consent.gave(issued.grant);
      return issued;
    });
  }

  /**
   * Exchanges a refresh token for new tokens.
   *
   * @throws OAuthRefusal
   */
  renew(request: TokenRequest, life?: Partial<TokenLife>): IssuedTokens {
    const client = this.authenticate(request);
    return this.book.renew(request.params['refresh_token'] ?? '', client, life);
  }

  /**
   * The app that asks.
   *
   * @throws OAuthRefusal `unknown_client` or `wrong_secret`.
   */
  authenticate({ params, authorization }: TokenRequest): OAuthClient {
    return authenticateClient(this.clients, params, authorization);
  }

  /** Counts a request for a renewal from its arrival on; undefined for any other request. */
  begin({ grant_type: grantType, refresh_token: token }: OAuthParams): (() => void) | undefined {
    return grantType === 'refresh_token' ? this.book.beginRenewal(token ?? '') : undefined;
  }
}
