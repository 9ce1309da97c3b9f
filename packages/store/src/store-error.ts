/**
 * What can be wrong with a database or with what is put into it:
 *
 * | code | meaning |
 * |---|---|
 * | `database_not_given` | neither a database URL nor a data folder was given |
 * | `database_url_invalid` | the URL is none, or not one of PostgreSQL |
 * | `database_unreachable` | nothing answers there, or not yet, or no longer |
 * | `database_silent` | it did not answer in time; whether a statement happened is not known |
 * | `database_login_refused` | the server refused the user or the password |
 * | `database_absent` | the server has no database of that name; or, where one is not to be made, there is none of this program |
 * | `database_not_permitted` | the user may not do there what the store needs |
 * | `database_unsupported` | a server that is too old, or a database that is not UTF-8 |
 * | `database_in_use` | other processes run on a database that is to be changed without them |
 * | `schema_too_new` | a newer version of this program has already changed the schema |
 * | `schema_changed` | an applied migration differs from the one of this program |
 * | `folder_in_use` | another process has the data folder open |
 * | `folder_not_usable` | the data folder cannot be created, written to, or locked |
 * | `folder_damaged` | the embedded database cannot be opened |
 * | `folder_moved` | the database of the data folder has been moved to a server |
 * | `database_not_empty` | there is something where a database is to be restored or moved to |
 * | `backup_unusable` | the file is no backup, or is cut off, changed, or of a newer program |
 * | `copy_differs` | what was moved is not what there was |
 * | `database_broken` | the embedded database ended by itself, or got stuck |
 * | `text_not_storable` | text to be written holds NUL or half of a surrogate pair |
 * | `external_user_full` | the external user has as many connectors, or open connect sessions, as one may have |
 * | `application_full` | the application has as many of them as one may have |
 * | `secrets_full` | the application has as many secrets as one may have |
 * | `application_revoked` | nothing is made in the application any more |
 * | `begun_ended` | the consent or connect session that a connector comes of has ended meanwhile |
 * | `consents_full` | as many consents are open as there may be at once |
 * | `lease_lost` | the right to sync a connector has passed on, or the connector is deleted |
 */
export type StoreErrorCode =
  | 'database_not_given'
  | 'database_url_invalid'
  | 'database_unreachable'
  | 'database_silent'
  | 'database_login_refused'
  | 'database_absent'
  | 'database_not_permitted'
  | 'database_unsupported'
  | 'database_in_use'
  | 'schema_too_new'
  | 'schema_changed'
  | 'folder_in_use'
  | 'folder_not_usable'
  | 'folder_damaged'
  | 'folder_moved'
  | 'database_not_empty'
  | 'backup_unusable'
  | 'copy_differs'
  | 'database_broken'
  | 'text_not_storable'
  | 'external_user_full'
  | 'application_full'
  | 'secrets_full'
  | 'application_revoked'
  | 'begun_ended'
  | 'consents_full'
  | 'lease_lost';

const BRAND = Symbol.for('patchbay.StoreError');

/**
 * A failure that whoever runs the service can act on. The message says in one line what was given
 * and what would work, and never holds a password; branch on `code` only. Everything else that a
 * database can throw passes through the store unchanged.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;
  /** Whether what was asked surely did not happen: nothing was sent, or the database refused it. */
  readonly didNothing: boolean;

  constructor(
    code: StoreErrorCode,
    message: string,
    {
      didNothing = false,
      ...options
    }: { readonly cause?: unknown; readonly didNothing?: boolean } = {},
  ) {
    super(message, options);
    this.code = code;
    this.didNothing = didNothing;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Whether `error` is a `StoreError`, of any copy of this package; of `code` where given. */
export function isStoreError(error: unknown, code?: StoreErrorCode): error is StoreError {
  if (typeof error !== 'object' || error === null || !(BRAND in error)) return false;
  return code === undefined || ('code' in error && error.code === code);
}

/** Whether the database refused a row because another has its key: an id that is taken. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION;
}

/** @see https://www.postgresql.org/docs/current/errcodes-appendix.html */
const UNIQUE_VIOLATION = '23505';
