/** Who opens a session: with which secret of an application, or with which key of the operator. */
export type NewConsoleSession =
  | { readonly applicationId: string; readonly clientSecretHash: string }
  | { readonly operatorKeyDigest: string };

/** A session of the web console that is open, and whose it is. */
export type ConsoleSession = {
  /** It ends by then, however much it is used. */
  readonly expiresAt: Date;
} & ({ readonly applicationId: string } | { readonly operatorKeyDigest: string });

/** Sessions of people who have signed in to the web console, shared by all processes. */
export interface ConsoleSessions {
  /**
   * Opens a session. Where its application, or the operator, has `most` already, the one that was longest
   * unused ends.
   *
   * @param secretHash Of what the browser keeps.
   * @returns Undefined where the application has no such secret any more.
   */
  open(
    secretHash: string,
    session: NewConsoleSession,
    bounds: { readonly livesMs: number; readonly most: number },
  ): Promise<ConsoleSession | undefined>;
  /**
   * The session of a secret, which counts as used from then on; `undefined` where it has ended: by its time,
   * unused for `idleMs`, or with the secret of its application.
   */
  use(secretHash: string, idleMs: number): Promise<ConsoleSession | undefined>;
  /** Where there is none, nothing happens. */
  end(secretHash: string): Promise<void>;
  /** Forgets at most `limit` of those that have ended by their time, or unused for `idleMs`; returns how many there were. */
  deleteEnded(idleMs: number, limit: number): Promise<number>;
}
