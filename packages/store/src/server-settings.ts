import { ConnectionPool, type PoolOptions } from './connection-pool.ts';
import { isStoreError } from './store-error.ts';

/** How soon a server notices that the connection of a running statement was cut. */
const CHECK_EVERY_MS = 500;
/** A transaction that was left open, its client out of reach, keeps its locks no longer than this. */
const LONGEST_IDLE_MS = 60_000;
/** Ours comes first, and says more. */
const AFTER_OURS_MS = 1_000;

/** By protocol, value, name and permission: how servers, and poolers before them, refuse a setting. */
const REFUSALS = new Set(['08P01', '22023', '42704', '42501']);

/**
 * What a connection asks of the server when it begins: to end what nobody waits for any more, also
 * where the end of the connection cannot reach it.
 *
 * @param statementMs Longest time of a statement; any, unless said.
 */
export function serverSettings(statementMs?: number): string {
  const settings = {
    client_connection_check_interval: CHECK_EVERY_MS,
    idle_in_transaction_session_timeout: LONGEST_IDLE_MS,
    ...(statementMs === undefined ? {} : { statement_timeout: statementMs + AFTER_OURS_MS }),
  };
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

/** The options of a connection with such settings; what the operator has set there wins. */
export function withSettings(options: PoolOptions, statementMs?: number): PoolOptions {
  const { connection } = options;
  const given = connection.options === undefined ? '' : ` ${connection.options}`;
  return {
    ...options,
    connection: { ...connection, options: serverSettings(statementMs) + given },
  };
}

/**
 * Whether such settings are taken: not every platform can notice, and not every pooler lets settings
 * through. To set them by statements would not do: behind a pooler they would pass to others.
 */
export async function takesSettings(options: PoolOptions, signal?: AbortSignal): Promise<boolean> {
  const pool = new ConnectionPool({ ...withSettings(options, 1), connections: 1 });
  try {
    const client = await pool.connect(signal);
    client.release();
    return true;
  } catch (error) {
    pool.cut();
    if (isRefusal(error)) return false;
    throw error;
  } finally {
    await pool.end();
  }
}

function isRefusal(error: unknown): boolean {
  if (!isStoreError(error)) return false;
  const { cause } = error;
  return cause instanceof Error && 'code' in cause && REFUSALS.has(String(cause.code));
}
