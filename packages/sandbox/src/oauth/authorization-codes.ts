import { randomBytes } from 'node:crypto';

import type { Grant, Person } from './grant.ts';
import type { OAuthClient } from './oauth-client.ts';
import type { OAuthParams } from './oauth-params.ts';
import { OAuthRefusal } from './oauth-refusal.ts';
import { isVerified } from './pkce.ts';

/** What a person said yes to. */
export interface Consent {
  readonly client: OAuthClient;
  readonly person: Person;
  /** The parameters of the authorize page. */
  readonly asked: OAuthParams;
}

/** A consent whose code was used for the first time. */
export interface RedeemedConsent extends Consent {
  /** To be told what the code gave, which a second use of it may cost. */
  gave(grant: Grant): void;
}

/** How a vendor treats its codes. */
export interface AuthorizationCodeOptions {
  readonly clock: () => number;
  readonly lifeSeconds: number;
  /** Whether a redirect address of the authorize page has to be sent with its code again. */
  readonly needsRedirectUri: boolean;
  /** Told what a code had given that is used again. */
  readonly onReplay: (gave: readonly Grant[]) => void;
}

interface Code {
  readonly consent: Consent;
  readonly issuedAt: number;
  readonly gave: Grant[];
  isUsed: boolean;
}

/** Authorization codes: each works once, for a while, for the app that asked. */
export class AuthorizationCodes {
  readonly #codes = new Map<string, Code>();
  readonly #options: AuthorizationCodeOptions;

  constructor(options: AuthorizationCodeOptions) {
    this.#options = options;
  }

  issue(consent: Consent): string {
    const value = `sandbox-code-${randomBytes(16).toString('hex')}`;
    this.#codes.set(value, { consent, issuedAt: this.#options.clock(), gave: [], isUsed: false });
    return value;
  }

  /**
   * Uses a code up. A mistaken redirect address or verifier uses it up as well.
   *
   * @throws OAuthRefusal `bad_code`, `redirect_mismatch` or `bad_verifier`.
   */
  redeem(client: OAuthClient, params: OAuthParams): RedeemedConsent {
    const code = this.#codes.get(params['code'] ?? '');
    const isTheirs = code?.consent.client === client;
    if (isTheirs && code.isUsed) this.#options.onReplay(code.gave);
    if (!isTheirs || code.isUsed || this.#ageSeconds(code) >= this.#options.lifeSeconds) {
      throw new OAuthRefusal('bad_code');
    }
    code.isUsed = true;
    const { asked } = code.consent;
    const redirectUri = params['redirect_uri'];
    const isSent = redirectUri !== undefined || this.#options.needsRedirectUri;
    if (isSent && redirectUri !== asked['redirect_uri']) {
      throw new OAuthRefusal('redirect_mismatch');
    }
    if (!isVerified(asked['code_challenge'], params['code_verifier'])) {
      throw new OAuthRefusal('bad_verifier');
    }
    return { ...code.consent, gave: (grant) => code.gave.push(grant) };
  }
  #ageSeconds({ issuedAt }: Code): number {
    return (this.#options.clock() - issuedAt) / 1_000;
  }
}
