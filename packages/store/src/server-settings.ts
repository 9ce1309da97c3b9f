import { withPoolOfOne, type PoolOptions } from './connection-pool.ts';
import { localSettings } from './local-settings.ts';

/**
 * How soon a server notices that the connection of a running statement was cut. Until then the statement
 * goes on beside what has the place of it by now, and of those who give up and ask again there would be many.
 */
const CHECK_EVERY_MS = 50;
/** A transaction that was left open, its client out of reach, keeps its locks no longer than this. */
const LONGEST_IDLE_MS = 60_000;
/** Ours comes first, and says more. */
const AFTER_OURS_MS = 1_000;

/** By protocol, value, name and permission: how servers, and poolers before them, refuse a setting. */
const REFUSALS = new Set(['08P01', '22023', '42704', '42501']);

/**
 * How a database takes what we ask of it: with each connection; with each transaction, behind a pooler that
 * passes connections on between them; or not at all, as the embedded one, and where no platform can notice.
 */
export type TakenSettings = 'connection' | 'transaction' | 'none';

/** What is asked of the server for the connections of a lane. */
export interface AskedSettings {
  /** Longest time of a statement; any, unless said. */
  readonly statementMs?: number;
  /** Whatever else, by name. */
  readonly others?: Readonly<Record<string, number | string>>;
}

/** Taken with a connection alone: a transaction that has begun has its isolation. */
const OF_A_CONNECTION = [['default_transaction_isolation', 'read committed']] as const;

/**
 * What is asked of the server: to end what nobody waits for any more, also where the end of the connection
 * cannot reach it; to plan statements that it keeps for the values of each time: a plan for any connector
 * or application would suit small ones, and take a large one long; and what a database or a role may have otherwise:
 * instants in the style in which they are read here, and waits for locks that end with the statement.
 */
function settingsFor({
  statementMs,
  others = {},
}: AskedSettings): readonly (readonly [string, number | string])[] {
  return [
    ['plan_cache_mode', 'force_custom_plan'],
    ['client_connection_check_interval', CHECK_EVERY_MS],
    ['idle_in_transaction_session_timeout', LONGEST_IDLE_MS],
    ['lock_timeout', 0],
    ['DateStyle', 'ISO'],
    ...(statementMs === undefined
      ? []
      : ([['statement_timeout', statementMs + AFTER_OURS_MS]] as const)),
    ...Object.entries(others),
  ];
}

/** What a pool is to be opened with; what the operator has set in the options of a connection wins. */
export function withSettings(
  options: PoolOptions,
  taken: TakenSettings,
  asked: AskedSettings = {},
): PoolOptions {
  const settings = settingsFor(asked);
  switch (taken) {
    case 'connection': {
      const { connection } = options;
      const ours = [...settings, ...OF_A_CONNECTION]
        .map(([name, value]) => `-c ${name}=${String(value).replaceAll(' ', String.raw`\ `)}`)
        .join(' ');
      const given = connection.options === undefined ? '' : ` ${connection.options}`;
      return { ...options, connection: { ...connection, options: ours + given } };
    }
    case 'transaction': {
      const statement = localSettings(settings.map(([name, value]) => `${name} = ${value}`));
      return { ...options, transactionSettings: statement };
    }
    case 'none':
      return options;
  }
}

/**
 * How such settings are taken: not every platform can notice, and not every pooler lets settings
 * through. To set them for a session would not do: behind a pooler they would pass to others.
 */
export async function howSettingsAreTaken(
  options: PoolOptions,
  signal?: AbortSignal,
): Promise<TakenSettings> {
  for (const taken of ['connection', 'transaction'] as const)
    if (await isTaken(withSettings(options, taken, { statementMs: 1_000 }), signal)) return taken;
  return 'none';
}

/**
 * Whether a connection is a session of the server's: then the server itself has told which of its processes
 * serves it. A pooler tells a number of its own, and may pass on what follows to any session.
 */
export async function isSession(options: PoolOptions, signal?: AbortSignal): Promise<boolean> {
  return await withPoolOfOne(options, async (pool) => {
    const client = await pool.connect(signal);
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid', []);
    client.release();
    return rows[0]?.pid === client.processId;
  });
}

async function isTaken(options: PoolOptions, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await withPoolOfOne(options, async (pool) => {
      const client = await pool.connect(signal);
      await client.send('begin', []);
      await client.send('rollback', []);
      client.release();
    });
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { cause = error } = error;
  return cause instanceof Error && 'code' in cause && REFUSALS.has(String(cause.code));
}
