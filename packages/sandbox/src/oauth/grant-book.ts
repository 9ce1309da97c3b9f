import { randomBytes } from 'node:crypto';

import type { Grant, GrantDetails, IssuedTokens } from './grant.ts';
import type { OAuthClient, TokenLife } from './oauth-client.ts';
import { OAuthRefusal } from './oauth-refusal.ts';
import { DeadUseCounts, RenewalCounts } from './renewal-counts.ts';
import type { DeadUseReport, RenewalReport } from './renewal-counts.ts';

/** How a vendor keeps its tokens. */
export interface GrantBookOptions {
  /** What the ids of its grants begin with. */
  readonly vendor: string;
  /** How many access tokens of a consent live at once; a further one ends the oldest. */
  readonly accessTokensKept: number;
  readonly clock: () => number;
  /** Overrides how long access tokens live that expire at all. */
  readonly tokenTtlSeconds: number | undefined;
}

/** An access token that may be used. */
export interface LiveToken {
  /** Counts from 1 within a vendor. */
  readonly id: number;
  readonly value: string;
  readonly grant: Grant;
  readonly issuedAt: number;
  /** Milliseconds since 1970; undefined when it is for good. */
  readonly expiresAt: number | undefined;
}

/** What a text is that came as an access token. */
export type TokenFinding =
  /** Not issued here: a token that was made by hand. */
  | { readonly status: 'foreign' }
  | { readonly status: 'live'; readonly token: LiveToken }
  | { readonly status: 'expired' | 'revoked' | 'unknown' };

/** What became of one consent. */
export interface GrantReport {
  readonly id: string;
  readonly clientId: string;
  readonly personId: string;
  readonly accountId: string;
  readonly tokenType: string;
  /** Whether any of its tokens still works. */
  readonly isAlive: boolean;
  readonly renewals: RenewalReport;
  readonly deadAccessTokens: DeadUseReport;
  readonly deadRefreshTokens: DeadUseReport;
}

interface Token extends LiveToken {
  readonly use: 'access' | 'refresh';
  isEnded: boolean;
  deadUses: number;
}

interface GrantState {
  readonly grant: Grant;
  /** Oldest first; ended ones are taken out. */
  access: readonly Token[];
  refresh: Token | undefined;
  readonly renewals: RenewalCounts;
  readonly deadUses: Readonly<Record<Token['use'], DeadUseCounts>>;
}

/** What all issued tokens have, so that one of another run is not taken for one made by hand. */
const ISSUED = /sandbox-(?:access|refresh)-[0-9a-f]{32}$/;

/**
 * The consents of one simulated vendor, and the tokens that were issued for them. Nothing is
 * forgotten while the sandbox runs, so that a dead token is told from one that never was.
 */
export class GrantBook {
  readonly #options: GrantBookOptions;
  readonly #grants = new Map<string, GrantState>();
  readonly #tokens = new Map<string, Token>();
  readonly #revokedByHand = new Set<string>();
  #tokenCount = 0;

  constructor(options: GrantBookOptions) {
    this.#options = options;
  }

  /** Notes a consent; it has no tokens yet. */
  open(details: GrantDetails): Grant {
    const id = `${this.#options.vendor}-${String(this.#grants.size + 1)}`;
    const grant = { ...details, id };
    this.#grants.set(id, {
      grant,
      access: [],
      refresh: undefined,
      renewals: new RenewalCounts(),
      deadUses: { access: new DeadUseCounts(), refresh: new DeadUseCounts() },
    });
    return grant;
  }

  /** Issues an access token, and a refresh token, which ends the one before. */
  issue(grant: Grant, { accessSeconds, refreshSeconds }: TokenLife = grant.life): IssuedTokens {
    const state = this.#stateOf(grant);
    const ttl = accessSeconds && (this.#options.tokenTtlSeconds ?? accessSeconds);
    const access = this.#add(grant, 'access', ttl);
    const all = [...state.access, access];
    state.access = all.slice(-this.#options.accessTokensKept);
    // One that has expired stays expired: vendors tell that from revoked.
    for (const token of all)
      token.isEnded ||= !state.access.includes(token) && !this.#isDead(token);
    if (state.refresh !== undefined) state.refresh.isEnded = true;
    const refreshTtl = typeof refreshSeconds === 'number' ? refreshSeconds : undefined;
    state.refresh = refreshSeconds === 'none' ? undefined : this.#add(grant, 'refresh', refreshTtl);
    return {
      grant,
      accessToken: access.value,
      expiresInSeconds: ttl,
      refreshToken: state.refresh?.value,
      refreshExpiresInSeconds: refreshTtl,
    };
  }

  /**
   * Renews by a refresh token, which then is used up.
   *
   * @throws OAuthRefusal `bad_refresh_token`.
   */
  renew(refreshToken: string, client: OAuthClient, life?: Partial<TokenLife>): IssuedTokens {
    const token = this.#tokens.get(refreshToken);
    const isRefresh = token?.use === 'refresh' && token.grant.client === client;
    if (!isRefresh || this.#isDead(token)) {
      if (isRefresh) this.#countDeadUse(token);
      throw new OAuthRefusal('bad_refresh_token');
    }
    const state = this.#stateOf(token.grant);
    const newest = state.access.at(-1);
    const left = newest?.isEnded === false ? (newest.expiresAt ?? 0) - this.#options.clock() : 0;
    state.renewals.succeed(Math.max(0, left));
    return this.issue(token.grant, { ...token.grant.life, ...life });
  }

  /** Counts a renewal that arrives; undefined when nothing was ever issued with that token. */
  beginRenewal(refreshToken: string): (() => void) | undefined {
    const token = this.#tokens.get(refreshToken);
    return token === undefined ? undefined : this.#stateOf(token.grant).renewals.begin();
  }

  /** The consent that a token was issued for, dead or not. */
  grantOf(token: string | undefined): Grant | undefined {
    return this.#tokens.get(token ?? '')?.grant;
  }

  /** Says what a text is that came as an access token, and counts it if it is a dead one. */
  find(value: string): TokenFinding {
    const token = this.#tokens.get(value);
    if (token === undefined) {
      if (this.#revokedByHand.has(value)) return { status: 'revoked' };
      return { status: ISSUED.test(value) ? 'unknown' : 'foreign' };
    }
    if (token.use === 'refresh') return { status: 'unknown' };
    if (!this.#isDead(token)) return { status: 'live', token };
    this.#countDeadUse(token);
    return { status: token.isEnded ? 'revoked' : 'expired' };
  }

  /** Every access token that works, oldest first. */
  live(): readonly LiveToken[] {
    return [...this.#tokens.values()].filter(
      (token) => token.use === 'access' && !this.#isDead(token),
    );
  }

  /** Ends all tokens of a consent; false when there is no such consent. */
  revoke(grantId: string): boolean {
    const state = this.#grants.get(grantId);
    if (state === undefined) return false;
    for (const token of state.access) token.isEnded = true;
    if (state.refresh !== undefined) state.refresh.isEnded = true;
    return true;
  }

  /** Ends a token that was made by hand. */
  revokeByHand(token: string): void {
    this.#revokedByHand.add(token);
  }

  /** Every consent, oldest first. */
  report(): readonly GrantReport[] {
    return [...this.#grants.values()].map(({ grant, access, refresh, renewals, deadUses }) => ({
      id: grant.id,
      clientId: grant.client.id,
      personId: grant.person.id,
      accountId: grant.person.account.id,
      tokenType: grant.tokenType,
      isAlive: [...access, refresh].some((token) => token !== undefined && !this.#isDead(token)),
      renewals: renewals.report(),
      deadAccessTokens: deadUses.access.report(),
      deadRefreshTokens: deadUses.refresh.report(),
    }));
  }

  #add(grant: Grant, use: Token['use'], lifeSeconds: number | undefined): Token {
    this.#tokenCount += 1;
    const now = this.#options.clock();
    const prefix = use === 'access' ? grant.tokenPrefix : '';
    const token: Token = {
      id: this.#tokenCount,
      value: `${prefix}sandbox-${use}-${randomBytes(16).toString('hex')}`,
      use,
      grant,
      issuedAt: now,
      expiresAt: lifeSeconds === undefined ? undefined : now + lifeSeconds * 1_000,
      isEnded: false,
      deadUses: 0,
    };
    this.#tokens.set(token.value, token);
    return token;
  }

  #isDead({ isEnded, expiresAt }: Token): boolean {
    return isEnded || (expiresAt !== undefined && expiresAt <= this.#options.clock());
  }

  #countDeadUse(token: Token): void {
    token.deadUses += 1;
    this.#stateOf(token.grant).deadUses[token.use].add(token.deadUses);
  }

  #stateOf({ id }: Grant): GrantState {
    const state = this.#grants.get(id);
    // Grants are made by `open`, which keeps them all.
    if (state === undefined) throw new Error(`no grant ${id}`);
    return state;
  }
}
