import { isStoreError, StoreError, type StoreErrorCode } from './store-error.ts';

interface Refusal {
  readonly code: StoreErrorCode;
  readonly advice: string;
  /** The server says so in place of doing what was asked. */
  readonly didNothing?: true;
}

const UNREACHABLE: Refusal = {
  code: 'database_unreachable',
  advice: 'check that it runs and that host, port and encryption in the database URL are right',
};
const STARTING: Refusal = {
  code: 'database_unreachable',
  advice: 'it is starting or stopping, try again in a moment',
};
const FULL: Refusal = {
  code: 'database_unreachable',
  advice: 'it has no free connection, so allow more or end some',
};
const LOGIN_REFUSED: Refusal = {
  code: 'database_login_refused',
  advice: 'check the user and the password in the database URL',
};
const NOT_LET_IN: Refusal = {
  code: 'database_login_refused',
  advice:
    'its pg_hba.conf has no rule for this host, user and database, or only for encrypted connections, for which sslmode=verify-full in the database URL asks',
};
const NOT_TRUSTED: Refusal = {
  code: 'database_unreachable',
  advice:
    'name the authority of its certificate with sslrootcert in the database URL, and the host that the certificate is for; sslmode=no-verify trusts any, and so whoever is in between',
};
const ABSENT: Refusal = {
  code: 'database_absent',
  advice: 'create the database, or name another one in the database URL',
};
const NOT_PERMITTED: Refusal = {
  code: 'database_not_permitted',
  advice:
    'let the user create schemas in this database, or, where it has the schema patchbay already, connect as the owner of that',
};
const READ_ONLY: Refusal = {
  code: 'database_unreachable',
  advice:
    'it is read-only, as a standby is, or as default_transaction_read_only has it: name the primary, or take the setting from the user or the database',
  didNothing: true,
};
const EXHAUSTED: Refusal = {
  code: 'database_unreachable',
  advice: 'it has run out of disk, memory or connections, so give it more',
  didNothing: true,
};
const FILES_FAIL: Refusal = {
  code: 'database_unreachable',
  advice: 'the system failed it, as when it cannot read or write its own files: its log says more',
};
const LOST: Refusal = {
  code: 'database_unreachable',
  advice: 'the connection was lost, try again in a moment',
};
const NODE_LOST: Refusal = {
  code: 'database_unreachable',
  advice: 'a node of the cluster is down or starting, try again in a moment',
};
const STATEMENT_STALE: Refusal = {
  code: 'database_unreachable',
  advice:
    'the connection had prepared a statement before the schema changed, try again in a moment',
  didNothing: true,
};

const SILENT: Refusal = {
  code: 'database_silent',
  advice: 'it is overloaded, something in it is locked, or the network is down',
};

/** What an answer of the server, by SQLSTATE, means for whoever gave the URL. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  '28P01': LOGIN_REFUSED,
  '28000': LOGIN_REFUSED,
  '3D000': ABSENT,
  '42501': NOT_PERMITTED,
  '25006': READ_ONLY,
  '53300': FULL,
  // It was ended by a longest time, ours or the operator's.
  '57014': SILENT,
  '25P03': LOST,
  // Somebody else has used the session, and discarded what was prepared in it.
  '26000': STATEMENT_STALE,
};

/** The same for whole classes, by how the SQLSTATE begins. */
const CLASSES: readonly (readonly [string, Refusal])[] = [
  ['08', LOST],
  ['53', EXHAUSTED],
  ['57P', STARTING],
  ['58', FILES_FAIL],
];

/** What the system says of a connection that cannot be made, or is no more. */
const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

/** What a certificate is refused for, by Node.js. */
const CERTIFICATE_CODE =
  /^(?:CERT_|UNABLE_TO_(?:GET|VERIFY)_|(?:DEPTH_ZERO_)?SELF_SIGNED_CERT|ERR_TLS_CERT_|INVALID_CA|HOSTNAME_MISMATCH)/;

/** What PostgreSQL says of whom its rules know nothing, with the code of any login. */
const NOT_LET_IN_MESSAGE = /pg_hba\.conf/;

/** A fault of its own, in PostgreSQL; Citus also says so of a node that is lost. */
const INTERNAL_ERROR = 'XX000';

/** What is not supported is, of a prepared statement, also that its columns have other types by now. */
const NOT_SUPPORTED = '0A000';
const STALE_MESSAGE = /^cached plan must not change result type/;

/** What Citus says, without a code of its own, where a node was lost in the middle of something. */
const NODE_LOST_MESSAGE =
  /^(?:could not commit transaction (?:for shard|on any)|failure on connection marked as essential|failed to (?:prepare transaction|assign \d+ task)|could not find any healthy placement|execution cannot recover from multiple|postmaster was shut down)/;

/** What `pg` says, without a code, when it has waited long enough for a connection. */
const SILENT_MESSAGE =
  /timeout exceeded when trying to connect|connection timeout$|^timeout expired/;

/** What `pg` says, without a code, of a connection that has ended or is about to. */
const LOST_MESSAGE = /^Connection terminated|^Client (?:was closed|has encountered)/;

/**
 * What went wrong when a connection could not be made.
 *
 * @param description Names the database, without its password.
 */
export function explainConnectionError(error: unknown, description: string): StoreError {
  if (isStoreError(error)) return error;
  const refusal = refusalFor(error) ?? UNREACHABLE;
  return refuse(error, { ...refusal, didNothing: true }, description);
}

/**
 * Trouble of the connection or the server becomes a `StoreError`; an error of the statement itself
 * comes back as it is.
 */
export function explainStatementError(error: unknown, description: string): unknown {
  const refusal = isStoreError(error) ? undefined : refusalFor(error);
  return refusal === undefined ? error : refuse(error, refusal, description);
}

/** A statement got no answer within its time. */
export function databaseSilent(description: string, statementMs: number): StoreError {
  return refuse(new Error(`no answer within ${statementMs} ms`), SILENT, description);
}

function refusalFor(error: unknown): Refusal | undefined {
  if (!(error instanceof Error)) return undefined;
  const { message } = error;
  if ('code' in error && typeof error.code === 'string') {
    const { code } = error;
    if (SYSTEM_CODES.has(code)) return UNREACHABLE;
    if (CERTIFICATE_CODE.test(code)) return NOT_TRUSTED;
    if (code === '28000' && NOT_LET_IN_MESSAGE.test(message)) return NOT_LET_IN;
    if (code === INTERNAL_ERROR && NODE_LOST_MESSAGE.test(message)) return NODE_LOST;
    if (code === NOT_SUPPORTED && STALE_MESSAGE.test(message)) return STATEMENT_STALE;
    return REFUSALS[code] ?? CLASSES.find(([start]) => code.startsWith(start))?.[1];
  }
  if (SILENT_MESSAGE.test(message)) return SILENT;
  if (LOST_MESSAGE.test(message)) return LOST;
  // `pg` itself, when the server asks for a password and the URL has none.
  return message.includes('client password') ? LOGIN_REFUSED : undefined;
}

function refuse(error: unknown, refusal: Refusal, description: string): StoreError {
  return new StoreError(
    refusal.code,
    `Cannot use ${description} (${reasonOf(error)}): ${refusal.advice}.`,
    { cause: error, didNothing: refusal.didNothing === true },
  );
}

/** When every address of a host fails, the error has no message of its own. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== '') return error.message;
  return 'code' in error ? String(error.code) : error.name;
}
