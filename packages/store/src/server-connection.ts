import { Client, type PoolConfig } from 'pg';
import { StoreError } from './store-error.ts';

/** What `openStore` was told about a PostgreSQL server, in words that hold no password. */
interface ServerConnection {
  readonly connection: PoolConfig;
  /** For example: `PostgreSQL at db.example.com:5432, database "patchbay", user "app"`. */
  readonly description: string;
}

/**
 * Reads a database URL.
 *
 * @throws `database_url_invalid`; the message repeats no part of the URL, which may be a password.
 */
export function parseDatabaseUrl(databaseUrl: string): ServerConnection {
  if (!/^postgres(?:ql)?:\/\//i.test(databaseUrl)) throw invalidUrl();
  try {
    // A client that never connects: `pg` alone knows which parts of a URL and of the environment win.
    const { host, port, database, user } = new Client({ connectionString: databaseUrl });
    const { connectionString, options } = splitOptions(databaseUrl);
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
    // Without the cause: the parser's error repeats the URL.
    if (error instanceof Error) throw invalidUrl();
    throw error;
  }
}

/** Where they stay in the URL, `pg` would drop those that are given beside it. */
function splitOptions(databaseUrl: string): {
  readonly connectionString: string;
  readonly options: string | undefined;
} {
  const url = URL.parse(databaseUrl);
  const options = url?.searchParams.get('options') ?? process.env['PGOPTIONS'];
  if (url?.searchParams.has('options') !== true) return { connectionString: databaseUrl, options };
  url.searchParams.delete('options');
  return { connectionString: url.href, options };
}

function invalidUrl(): StoreError {
  return new StoreError(
    'database_url_invalid',
    'The database URL cannot be read; it must look like postgres://user:password@host:5432/database, with special characters in the password percent-encoded.',
  );
}
