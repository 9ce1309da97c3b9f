/** A program that uses the service. */
export interface Application {
  readonly id: string;
  readonly organizationId: string;
  readonly clientId: string;
  readonly name: string;
  /** As the service's access layer has checked them. */
  readonly allowedOrigins: readonly string[];
  readonly allowedReturnUrls: readonly string[];
  /** Its own rate limit; null for that of the service. */
  readonly callsPerMinute: number | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Nobody gets in with its secrets or tokens any more, for good. */
  readonly revokedAt: Date | null;
}

export type NewApplication = Pick<Application, 'id' | 'organizationId' | 'clientId' | 'name'> &
  Partial<Pick<Application, 'allowedOrigins' | 'allowedReturnUrls' | 'callsPerMinute'>>;

export type ApplicationChange = Partial<
  Pick<Application, 'name' | 'allowedOrigins' | 'allowedReturnUrls' | 'callsPerMinute'>
>;

/** A client secret, of which nobody can make the secret itself again. */
export interface ApplicationSecret {
  readonly id: string;
  readonly createdAt: Date;
}

export interface NewSecret {
  readonly id: string;
  /** In the form that the service's access layer chose. */
  readonly secretHash: string;
}

/** The applications; a deleted one is absent to everything but `ensure` and `findByClientId`. */
export interface Applications {
  create(application: NewApplication, secret: NewSecret): Promise<Application>;
  /**
   * The same where there is none, or revoked ones only; `undefined` where there is one, also of a process that
   * starts at the same time.
   *
   * @param keep Called once it is certain that it is made, before it is: where it fails, none is.
   */
  createFirst(
    application: NewApplication,
    secret: NewSecret,
    keep: () => void | Promise<void>,
  ): Promise<Application | undefined>;
  /**
   * Inserts the application unless there is one with that client id, and gives it the secret in place of
   * the one that it was made with or got so before; those that were added stay. So does a revocation,
   * and with it that there is no secret.
   */
  ensure(application: NewApplication, secret: NewSecret): Promise<Application>;
  /** Also a deleted one: its client id stays taken. */
  findByClientId(clientId: string): Promise<Application | undefined>;
  findById(id: string): Promise<Application | undefined>;
  /** What decides about a login: the application, unless it is revoked, and the hashes of its secrets. */
  findLogin(
    clientId: string,
  ): Promise<
    { readonly application: Application; readonly secretHashes: readonly string[] } | undefined
  >;
  /** By (createdAt, id) ascending, revoked ones too; all of them, unless a page is asked for. */
  list(page?: {
    readonly after?: { readonly createdAt: Date; readonly id: string };
    readonly limit: number;
  }): Promise<readonly Application[]>;
  /** The application as it is then; `undefined` where it is gone. */
  update(id: string, change: ApplicationChange): Promise<Application | undefined>;
  /**
   * Destroys its secrets, too, its consents and its connect sessions, of which those credentials are among
   * `revocations` then that a person consented to; an earlier revocation keeps its instant.
   */
  revoke(id: string): Promise<void>;
  /** Revokes it, as `revoke` does, and leaves a tombstone. Returns the job id; `undefined` where it is gone. */
  delete(id: string, jobId: string): Promise<string | undefined>;
  /** Ids of deleted applications that still have connectors, but for those, longest deleted first. */
  uncleared(limit: number, without: readonly string[]): Promise<readonly string[]>;
  /** Oldest first. */
  secrets(id: string): Promise<readonly ApplicationSecret[]>;
  /**
   * `undefined` where the application is revoked or gone. Rejects with `secrets_full` where it has
   * `most` already.
   */
  addSecret(id: string, secret: NewSecret, most: number): Promise<ApplicationSecret | undefined>;
  /** The last one stays; of any number of calls at once, too. */
  deleteSecret(id: string, secretId: string): Promise<'deleted' | 'absent' | 'last'>;
}
