/** An app that an application has registered with the vendor of a kind itself. */
export interface OAuthAppRow {
  readonly id: string;
  readonly applicationId: string;
  readonly kind: string;
  /** Compact JWE. */
  readonly sealedApp: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Apps of applications, one for each kind at most. */
export interface OAuthApps {
  /** Stores it in place of the one before, which keeps its id. */
  put(app: Omit<OAuthAppRow, 'createdAt' | 'updatedAt'>): Promise<OAuthAppRow>;
  find(applicationId: string, kind: string): Promise<OAuthAppRow | undefined>;
  /** By kind. */
  list(applicationId: string): Promise<readonly OAuthAppRow[]>;
  /** Absent ones are no error. */
  delete(applicationId: string, kind: string): Promise<void>;
  /** Deletes at most `limit` of those of applications that were deleted at least that long ago; returns how many there were. */
  deleteOfDeleted(ageMs: number, limit: number): Promise<number>;
}

/** A consent that a person is asked for. */
export interface ConsentRow {
  /** SHA-256 of the state. */
  readonly stateHash: Uint8Array;
  /** SHA-256 of what the browser has that went on to the vendor; null before. */
  readonly browserHash: Uint8Array | null;
  readonly applicationId: string;
  readonly externalUserId: string;
  readonly kind: string;
  /** What it is for, as its maker wrote it. */
  readonly request: Readonly<Record<string, unknown>>;
  /** Compact JWE of a PKCE verifier. */
  readonly sealedVerifier: string | null;
}

/** How long consents live, and how many of them there may be at once. */
export interface ConsentBounds {
  readonly lifeMs: number;
  readonly perExternalUser: number;
  readonly perApplication: number;
}

/**
 * What a person has begun, of which a connector is made or given other credentials. It ends where their external user
 * is deleted, or their application revoked; a session id is one of `ConnectSessions`.
 */
export type Begun =
  | { readonly of: 'consent'; readonly stateHash: Uint8Array }
  | { readonly of: 'session'; readonly id: string };

/** Consents that are under way: each is good once, for a while, for one browser. */
export interface Consents {
  /** Rejects with `consents_full` where about as many are open as `bounds` allow. */
  open(consent: ConsentRow, bounds: ConsentBounds): Promise<void>;
  /** An expired one is there until it is deleted, one that is taken is not. */
  find(stateHash: Uint8Array): Promise<(ConsentRow & { readonly isExpired: boolean }) | undefined>;
  /** Binds one that has not expired to a browser, in place of any other; false where there is none. */
  bind(stateHash: Uint8Array, browserHash: Uint8Array): Promise<boolean>;
  /**
   * Uses up one that has not expired and is bound to that browser; of many calls, one gets it. As `Begun` it goes on until
   * a connector has come of it.
   */
  take(stateHash: Uint8Array, browserHash: Uint8Array): Promise<ConsentRow | undefined>;
  /** Deletes at most `limit` of those that expired, or were taken, at least that long ago; returns how many there were. */
  deleteExpired(ageMs: number, limit: number): Promise<number>;
}
