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
  if (namesSeveralHosts(databaseUrl)) throw severalHosts();
  const url = URL.parse(databaseUrl);
  const { connectionString, options } = givenToDriver(databaseUrl, url);
  try {
    // A client that never connects: `pg` alone knows which parts of a URL and of the environment win.
    const { host, port, database, user } = new Client({ connectionString });
    // Those of the environment, or of a parameter.
    if (host.includes(',') && !host.startsWith('/')) throw severalHosts();
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
    if (error instanceof Error) throw unreadableFile(error, url) ?? invalidUrl();
    throw error;
  }
}

/** @throws `database_url_invalid` for a mode of TLS that is none, which the driver would take for one. */
function givenToDriver(
  databaseUrl: string,
  url: URL | null,
): { readonly connectionString: string; readonly options: string | undefined } {
  const params = new URLSearchParams(url?.searchParams);
  const options = params.get('options') ?? process.env['PGOPTIONS'];
  const mode = params.get('sslmode') ?? 'disable';
  if (!SSL_MODES.includes(mode))
    throw invalid(`The sslmode of the database URL must be one of ${SSL_MODES.join(', ')}.`);
  const isVerifying = VERIFYING_MODES.includes(mode) && !params.has('uselibpqcompat');
  // As it was given, where nothing is to be changed: the driver reads more than is a URL.
  if (url === null || !(isVerifying || params.has('options')))
    return { connectionString: databaseUrl, options };
  if (isVerifying) params.set('sslmode', 'verify-full');
  // Where they stay in the URL, `pg` would drop those that are given beside it.
  params.delete('options');
  const changed = new URL(url);
  changed.search = params.toString();
  return { connectionString: changed.href, options };
}

/** What is wrong with a file for TLS that the URL names; `undefined` where that is not what went wrong. */
function unreadableFile(error: Error, url: URL | null): StoreError | undefined {
  const { code, path } = error as NodeJS.ErrnoException;
  const param = [...(url?.searchParams ?? [])].find(([, value]) => value === path)?.[0];
  return param === undefined
    ? undefined
    : invalid(`The file that the database URL names with ${param} cannot be read (${code}).`);
}

/** As `libpq` takes them, and the driver does not. */
function namesSeveralHosts(databaseUrl: string): boolean {
  const [, authority = '', rest = ''] = /^[a-z]+:\/\/([^/?#]*)(.*)/is.exec(databaseUrl) ?? [];
  // Before an @ it is of a password, whose special characters are not encoded.
  return !rest.includes('@') && authority.slice(authority.lastIndexOf('@') + 1).includes(',');
}

function severalHosts(): StoreError {
  return invalid(
    'The database URL names several hosts, of which Patchbay takes one: name an address that follows the primary, such as that of a load balancer or of PgBouncer.',
  );
}

function invalidUrl(): StoreError {
  return invalid(
    'The database URL cannot be read; it must look like postgres://user:password@host:5432/database, with special characters in the password percent-encoded.',
  );
}

function invalid(message: string): StoreError {
  return new StoreError('database_url_invalid', message);
}
