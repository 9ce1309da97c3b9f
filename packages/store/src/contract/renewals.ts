/** When the access token of a connector ends, and from when on it is renewed. */
export interface TokenTimes {
  /** Null where nothing is known of an end, or where nothing but a person can renew it. */
  readonly renewAt: Date | null;
  readonly tokenEndsAt: Date | null;
}

/** Credentials with an access token, ready to be stored. */
export interface IssuedToken extends TokenTimes {
  /** Compact JWE. */
  readonly sealedCredentials: string;
  /**
   * Equal for the same access token of whichever connector; made with a key, so that it tells nothing of it. Null
   * where there is none.
   */
  readonly tokenDigest: string | null;
}

/** A renewal of the credentials that a connector has at that moment, by their sealed text; they may be resealed meanwhile. */
export interface Renewal {
  readonly connectorId: string;
  readonly credentialsEpoch: number;
  readonly sealedCredentials: string;
  /** Whoever is at it, unique among all. */
  readonly owner: string;
}

/** Whether a renewal may begin. */
export type RenewalTurn =
  /** Its intent is stored, and nobody else is at it until the lease ends. */
  | {
      readonly turn: 'granted';
      /** Earlier requests for the same credentials whose outcome nobody knows. */
      readonly unanswered: number;
      readonly failures: number;
    }
  /** Somebody is at it, or it failed a moment ago. */
  | { readonly turn: 'busy' }
  /** The connector has other credentials by now, or is gone. */
  | { readonly turn: 'over' };

/** What failed, and when the next one may begin. */
export interface RenewalFailure {
  readonly pauseMs: number;
  /** Surely nothing was issued. */
  readonly isCertain: boolean;
}

/** A connector whose credentials are due to be renewed. */
export interface DueRenewal {
  readonly id: string;
  readonly kind: string;
}

/** Renewals of credentials: one at a time for each connector, over all processes. */
export interface Renewals {
  /** Takes the turn, if it is free, and notes the intent. */
  begin(renewal: Renewal, leaseMs: number): Promise<RenewalTurn>;
  /**
   * Stores what was issued, whoever has the lease by now: it is what the upstream takes. A connector
   * that somebody has given up meanwhile is active again.
   *
   * @returns False where the connector has got other credentials, or is gone: nothing has changed, but
   * that what was issued for one that is gone, or for credentials that are to be revoked since another account's have
   * taken their place, is to be revoked, too.
   */
  finish(renewal: Renewal, renewed: IssuedToken): Promise<boolean>;
  /** Notes that only a person can help: the connector is `reauth_required`. Returns as `finish`. */
  refuse(renewal: Renewal, reason: string): Promise<boolean>;
  /** Gives the turn back. */
  fail(renewal: Renewal, failure: RenewalFailure): Promise<void>;
  /** Whether somebody is at it: what is issued is not stored yet. */
  isUnderWay(connectorId: string): Promise<boolean>;
  /**
   * Connectors whose renewal is due and may begin: of all applications in turns, those that failed least first, and of
   * these the longest due.
   *
   * @param exceptKinds Of which none are wanted.
   */
  due(limit: number, exceptKinds?: readonly string[]): Promise<readonly DueRenewal[]>;
}
