import type { Account } from '@patchbay/connectors/engine';

/** Credentials that are to be revoked upstream: of a connector that is deleted, or that has got somebody else's. */
export interface Revocation {
  readonly id: string;
  /** They are sealed for it. */
  readonly connectorId: string;
  readonly applicationId: string;
  readonly kind: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly authMethod: string;
  /** Compact JWE. */
  readonly sealedCredentials: string;
  /** Whose they are; null where that is not known. */
  readonly account: Account | null;
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
}

/** Revocations of credentials: one process at a time for each, over all processes. */
export interface Revocations {
  /** Takes what is due, longest due first: nobody else gets it until the lease ends. */
  take(
    owner: string,
    options: { readonly limit: number; readonly leaseMs: number },
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
  /** Erases what has waited for at least that long; returns how many there were. */
  expire(ageMs: number): Promise<number>;
  /** Whether a connector, of any application, has credentials of that holder. */
  isHeld(holder: AccountHolder): Promise<boolean>;
}
