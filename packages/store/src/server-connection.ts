import { Client, type PoolConfig } from 'pg';
import { isStoreError, StoreError } from './store-error.ts';

/** What `openStore` was told about a PostgreSQL server, in words that hold no password. */
interface ServerConnection {
  readonly connection: PoolConfig;
  /** For example: `PostgreSQL at db.example.com:5432, database "patchbay", user "app"`. */
  readonly description: string;
}

/** Those of which the driver warns that a later version of it will not verify the server; until then they are one. */
const VERIFYING_MODES: readonly string[] = ['prefer', 'require', 'verify-ca', 'verify-full'];
const SSL_MODES: readonly string[] = ['disable', 'no-verify', ...VERIFYING_MODES];

/**
 * Reads a database URL. Where it asks for TLS, by `sslmode` or `sslrootcert`, the server has to prove who it is,
 * except with `no-verify`, or in the way of `libpq` with `uselibpqcompat=true`.
 *
 * @throws `database_url_invalid`; the message repeats no part of the URL, which may be a password.
 * @see docs/operations.md#encrypted-connections-to-the-database
 */
export function parseDatabaseUrl(databaseUrl: string): ServerConnection {
  if (!/^postgres(?:ql)?:\/\//i.test(databaseUrl)) throw invalidUrl();
  const params = URL.parse(databaseUrl)?.searchParams ?? new URLSearchParams();
  const { connectionString, options } = givenToDriver(databaseUrl);
  try {
    // A client that never connects: `pg` alone knows which parts of a URL and of the environment win.
    const { host, port, database, user } = new Client({ connectionString });
    if (user === undefined)
      throw invalid('The database URL names no user, and the environment has none (USER).');
    return {
      connection: {
        connectionString,
        ...(options === undefined ? {} : { options }),
        connectionTimeoutMillis: 10_000,
        keepAlive: true,
      },
      description: `PostgreSQL at ${host}:${port}, database "${database}", user "${user}"`,
    };
  } catch (error) {
    if (isStoreError(error)) throw error;
    // Without the cause: the parser's error repeats the URL.
    if (error instanceof Error) throw unreadableFile(error, params) ?? invalidUrl();
    throw error;
  }
}

/** @throws `database_url_invalid` for a mode of TLS that is none, which the driver would take for one. */
function givenToDriver(databaseUrl: string): {
  readonly connectionString: string;
  readonly options: string | undefined;
} {
  const url = URL.parse(databaseUrl);
  const options = url?.searchParams.get('options') ?? process.env['PGOPTIONS'];
  const mode = url?.searchParams.get('sslmode') ?? undefined;
  if (mode !== undefined && !SSL_MODES.includes(mode))
    throw invalid(`The sslmode of the database URL must be one of ${SSL_MODES.join(', ')}.`);
  const isVerifying =
    mode !== undefined &&
    VERIFYING_MODES.includes(mode) &&
    url?.searchParams.has('uselibpqcompat') === false;
  // As it was given, where nothing is to be changed: the driver reads more than is a URL.
  if (url === null || !(isVerifying || url.searchParams.has('options')))
    return { connectionString: databaseUrl, options };
  if (isVerifying) url.searchParams.set('sslmode', 'verify-full');
  // Where they stay in the URL, `pg` would drop those that are given beside it.
  url.searchParams.delete('options');
  return { connectionString: url.href, options };
}

/** What is wrong with a file for TLS that the URL names; `undefined` where that is not what went wrong. */
function unreadableFile(error: Error, params: URLSearchParams): StoreError | undefined {
  const { code, path } = error as NodeJS.ErrnoException;
  const param = [...params].find(([, value]) => value === path)?.[0];
  return param === undefined
    ? undefined
    : invalid(`The file that the database URL names with ${param} cannot be read (${code}).`);
}

function invalidUrl(): StoreError {
  return invalid(
    'The database URL cannot be read; it must look like postgres://user:password@host:5432/database, with special characters in the password percent-encoded.',
  );
}

function invalid(message: string): StoreError {
  return new StoreError('database_url_invalid', message);
}
