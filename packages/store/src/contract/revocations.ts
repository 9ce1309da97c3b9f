import type { Account } from '@patchbay/connectors/engine';

/** Credentials that are to be revoked upstream. */
export interface NewRevocation {
  /** They are sealed for it. It may never have been made. */
  readonly connectorId: string;
  readonly applicationId: string;
  readonly kind: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly authMethod: string;
  /** Compact JWE. */
  readonly sealedCredentials: string;
  /** Whose they are; null where that is not known. */
  readonly account: Account | null;
}

/**
 * One that waits: of a connector that is deleted, or that has got somebody else's; or of none, where nothing
 * came of a person's consent.
 */
export interface Revocation extends NewRevocation {
  readonly id: string;
  readonly createdAt: Date;
  readonly failures: number;
  /** Whoever is at it, unique among all. */
  readonly owner: string;
}

/** Whose credentials are: of anybody in an account, unless the principal is given. */
export interface AccountHolder {
  readonly kind: string;
  readonly accountId: string;
  readonly principal?: string;
  /** What they were for: as long as nobody knows whose its credentials are, they count as theirs. */
  readonly connectorId: string;
}

/** Revocations of credentials: one process at a time for each, over all processes. */
export interface Revocations {
  add(revocation: NewRevocation): Promise<void>;
  /**
   * Takes what is due, in turns by application, of each what is due longest first: nobody else gets it until the lease
   * ends.
   *
   * @param options.ofApplication So many of one application at most; any number unless said.
   * @param options.but Applications of which nothing is taken.
   */
  take(
    owner: string,
    options: {
      readonly limit: number;
      readonly leaseMs: number;
      readonly ofApplication?: number;
      readonly but?: readonly string[];
    },
  ): Promise<readonly Revocation[]>;
  /**
   * Stores what took the place of its credentials, before that is used.
   *
   * @returns False where somebody else is at it by now, or it is over.
   */
  keep(revocation: Revocation, sealedCredentials: string): Promise<boolean>;
  /** Erases it, unless somebody else is at it by now. */
  end(revocation: Revocation): Promise<void>;
  /** Gives it back; it is due again after the pause. */
  fail(revocation: Revocation, pauseMs: number): Promise<void>;
  /** Erases at most `limit` of those that have waited for at least that long; returns how many there were. */
  expire(ageMs: number, limit: number): Promise<number>;
  /**
   * Whether a connector, of any application, has credentials of that holder, or will have some that wait in a
   * connect session.
   */
  isHeld(holder: AccountHolder): Promise<boolean>;
  /** Likewise, that access token. */
  isTokenHeld(kind: string, tokenDigest: string): Promise<boolean>;
  /** Whether the connector has been given these very credentials, and is there. */
  isUsed(connectorId: string, credentialsDigest: string): Promise<boolean>;
}
