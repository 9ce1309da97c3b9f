import type { Account } from '@patchbay/connectors/engine';

type Json = Readonly<Record<string, unknown>>;

/** What a person has given in a session, as it waits for what comes of it. */
export interface GivenInSession {
  readonly kind: string;
  /** Of the connector that will be made. */
  readonly name: string;
  readonly config: Json;
  readonly authMethod: string;
  /** Compact JWE, bound to the connector; null once it is used, or erased. */
  readonly sealedCredentials: string | null;
  /** As `IssuedToken` has it; null once they are used, or erased, too. */
  readonly tokenDigest: string | null;
  /** Whose the credentials are, where the upstream has said so. */
  readonly account: Account | null;
  /** They were not typed in, but issued to us by a person's consent. */
  readonly isConsented: boolean;
}

/** What an attempt to connect ended with, in the words of the error table. */
export interface SessionProblem {
  readonly code: string;
  readonly message: string;
}

/** What is said of a session when it is made. */
export interface NewConnectSession {
  readonly id: string;
  readonly applicationId: string;
  readonly externalUserId: string;
  /** What the application calls that user, towards the user. */
  readonly userLabel: string | null;
  /** One at least. */
  readonly kinds: readonly string[];
  /** Of the connector that is given other credentials, or that the new one will have. */
  readonly connectorId: string;
  /** The connector is there already. */
  readonly isReconnection: boolean;
  readonly config: Json;
  readonly replicationConfig: Json | null;
  readonly returnUrl: string | null;
  readonly origin: string | null;
  readonly branding: Json | null;
  /** Nothing comes of what is given before somebody has confirmed whose session it is. */
  readonly needsConfirmation: boolean;
}

export interface ConnectSession extends NewConnectSession {
  /**
   * `open`: nothing has been given yet, or nothing came of it; `given`: something has, and waits; `succeeded`:
   * the connector has it.
   */
  readonly status: 'open' | 'given' | 'succeeded';
  /** Its time is over, by the database's clock; whether it succeeded before is told by `status`. */
  readonly isExpired: boolean;
  /** How far it is for those who look at it: what its columns come to, by the same clock. */
  readonly shownStatus: 'open' | 'unconfirmed' | 'succeeded' | 'expired';
  /** Of the secret of the browser in which the link was opened first; null before. */
  readonly browserHash: string | null;
  /** What the last attempt ended with; null where there was none, or where it went well. */
  readonly problem: SessionProblem | null;
  /** Null while it is `open`. */
  readonly given: GivenInSession | null;
  /** Since when what was given may be used; null before. */
  readonly confirmedAt: Date | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Whom sessions are for. */
export interface SessionOwner {
  readonly applicationId: string;
  readonly externalUserId: string;
}

/** Connect sessions: each has one success, over all processes. */
export interface ConnectSessions {
  /**
   * Rejects with `external_user_full` or `application_full` where as many are open already as `most`
   * allows; those that are created at the same moment, by any process, count.
   *
   * @param options.secretHash Of the secret that opens it.
   */
  create(
    session: NewConnectSession,
    options: {
      readonly secretHash: string;
      readonly livesMs: number;
      readonly most: { readonly perExternalUser: number; readonly perApplication: number };
    },
  ): Promise<ConnectSession>;
  find(id: string): Promise<ConnectSession | undefined>;
  /** Newest first, after the given position, at most `limit`. */
  list(
    filter: {
      readonly applicationId?: string;
      readonly shownStatus?: ConnectSession['shownStatus'];
    },
    page: {
      readonly after?: { readonly createdAt: Date; readonly id: string };
      readonly limit: number;
    },
  ): Promise<readonly ConnectSession[]>;
  /**
   * Binds the session of a secret to a browser, if it is bound to none yet and not expired; returns it
   * as it is then. Of many browsers at once one is bound.
   */
  bind(secretHash: string, browserHash: string): Promise<ConnectSession | undefined>;
  /** Counts an attempt, unless there were as many already: then false. */
  countAttempt(id: string, most: number): Promise<boolean>;
  /** Of an open session; null where there is none any more. */
  noteProblem(id: string, problem: SessionProblem | null): Promise<void>;
  /**
   * Takes what was given, if the session is open and not expired; where it needs no confirmation, that counts as
   * one. Of many at once one is taken: the others get `undefined`.
   */
  give(id: string, given: GivenInSession): Promise<ConnectSession | undefined>;
  /**
   * Notes that what waits may be used; the instant of an earlier call stays.
   *
   * @returns Undefined where nothing waits, or its time was over before it was confirmed.
   */
  confirm(id: string): Promise<ConnectSession | undefined>;
  /**
   * Nothing came of what was given: where it needs confirmation, it waits for another one; else it is
   * erased as by `eraseExpired`, and the session is open again.
   */
  reopen(id: string, problem: SessionProblem): Promise<void>;
  /** The connector has it: the credentials are erased here. */
  succeed(id: string): Promise<ConnectSession | undefined>;
  /**
   * Erases credentials that can come to nothing any more, of at most `limit` sessions, and returns of how many: expired
   * before they were confirmed, or an hour ago. Those that a person consented to are among `revocations` from then on.
   */
  eraseExpired(limit: number): Promise<number>;
  /**
   * Deletes those of an external user, and consents that are under way for them; returns how many sessions there were.
   * What a person had consented to, and no connector has, is among `revocations` from then on.
   */
  deleteOf(owner: SessionOwner): Promise<number>;
  /**
   * Deletes at most `limit` of those that expired at least that long ago and have nothing to be erased; returns how
   * many there were.
   */
  deleteOlderThan(ageMs: number, limit: number): Promise<number>;
}
