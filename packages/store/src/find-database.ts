import { sql } from 'kysely';
import { withPoolOfOne } from './connection-pool.ts';
import type { DatabaseProfile } from './contract/store.ts';
import type { CopyTables } from './copies/copy-table.ts';
import type { CopyPaces } from './copies/open-copy.ts';
import { reconcileTables } from './copies/reconcile.ts';
import { SHARED_SEARCH_PACE } from './copies/search-pace.ts';
import type { Database } from './database.ts';
import { distributeDatabase, requireExtension } from './distribution/distribute-database.ts';
import { isDistributed, spreadNewTables } from './distribution/distribute-tables.ts';
import { databaseNotWritable } from './embedded/data-folder.ts';
import { folderState } from './embedded/database-folder.ts';
import { SHARED_STATISTICS_TARGET } from './embedded/maintenance.ts';
import { openEmbedded } from './embedded/open-embedded.ts';
import { databaseOn, EMBEDDED_LANES, SERVER_LANES, type LanesPlace } from './lanes.ts';
import { MIGRATIONS } from './migrations/all.ts';
import { hasSchema, holdSchema, migrate } from './migrations/migrate.ts';
import type { ResourceStack } from './resource-stack.ts';
import { parseDatabaseUrl } from './server-connection.ts';
import { isSession, howSettingsAreTaken, withSettings } from './server-settings.ts';
import { removeAllInstances, removeLongDeadInstances } from './statements/instances.ts';
import { StoreError } from './store-error.ts';
import type { LaneSizes, StoreLogger, StoreOptions } from './store-options.ts';
import { releaseAllLeases } from './sync/leases.ts';
import { TimedPace, type Pace } from './pace.ts';
import { settle } from './sync-queue.ts';

/** The oldest server whose SQL we speak. */
const OLDEST_SERVER = 150_000;

const SETTINGS_REFUSED =
  'The database takes no settings with a connection, so statements that were given up may run on in it, at least those outside of transactions; set client_connection_check_interval and statement_timeout for its user.';

/** Of less in one transaction, the transaction itself costs more: of records that are written, of rows that are read. */
const LEAST_CHARACTERS = 20_000;
const LEAST_ROWS = 20;

const SILENT: StoreLogger = { info: () => undefined, warn: () => undefined };

/** A database, and how to connect to it. */
export interface FoundDatabase extends LanesPlace {
  readonly profile: DatabaseProfile;
  readonly sizes: LaneSizes;
  readonly paces?: CopyPaces;
  /** How many rows of something large are read at a time, where that is done for long; all at once unless said. */
  readonly makePace?: () => Pace;
  /** To be called once the schema is up to date: until then statements may take long. */
  readonly onPrepared?: () => void;
  /** What an error means there, where that is more than the database itself knows. */
  readonly explain?: (error: unknown) => StoreError | undefined;
}

/**
 * Does something over a connection of its own, on which a statement may take its time: an index of a
 * large copy does.
 */
export async function onOneConnection<T>(
  found: FoundDatabase,
  signal: AbortSignal | undefined,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const named = {
    ...found,
    connection: { ...found.connection, application_name: 'patchbay start' },
  };
  return await withPoolOfOne(withSettings(named, found.settings), (pool) =>
    work(databaseOn(signal === undefined ? pool : pool.until(signal))),
  );
}

/** Checks the server, and brings its schema up to date; tells what is known of the database then. */
export async function prepare(
  found: FoundDatabase,
  tables: CopyTables,
  options: StoreOptions,
): Promise<DatabaseProfile> {
  const { profile, description } = found;
  return await onOneConnection(found, options.signal, async (database) => {
    await checkServer(database, description);
    const { distribute } = options;
    if (distribute !== undefined) await requireExtension({ database, description });
    if (options.mustExist === true && !(await hasSchema(database))) throw absent(description);
    options.onProgress?.('migrating');
    const applied = await migrate(database, MIGRATIONS, spreadNewTables);
    if (applied.length > 0) options.logger?.info({ applied }, 'The database schema was changed.');
    const reconciled = await reconcileTables(database, tables, spreadNewTables);
    if (reconciled.length > 0) options.logger?.info({ reconciled }, 'Tables of copies were made.');
    if (distribute !== undefined)
      await distributeDatabase({ database, description }, holdSchema, distribute);
    await (profile.isExclusive ? forgetProcesses(database) : removeLongDeadInstances(database));
    return { ...profile, isDistributed: await isDistributed(database) };
  });
}

/** A process that has the database for itself need not wait until others are taken for dead. */
async function forgetProcesses(database: Database): Promise<void> {
  await removeAllInstances(database);
  for (const connectorId of await releaseAllLeases(database)) await settle(database, connectorId);
}

/** What the options name: the server is asked what it takes, the embedded database opened. */
export async function findDatabase(
  options: StoreOptions,
  resources: ResourceStack,
): Promise<FoundDatabase> {
  if (options.databaseUrl !== undefined) return await findOnServer(options.databaseUrl, options);
  if (options.dataFolder !== undefined)
    return await openInFolder(options.dataFolder, options, resources);
  throw new StoreError(
    'database_not_given',
    'Neither a database URL nor a data folder was given; the store needs one of them.',
  );
}

async function findOnServer(databaseUrl: string, options: StoreOptions): Promise<FoundDatabase> {
  const { logger = SILENT, signal } = options;
  const server = { ...parseDatabaseUrl(databaseUrl), logger };
  options.onProgress?.('connecting');
  const settings = await howSettingsAreTaken(server, signal);
  if (settings !== 'connection') logger.warn({ settings }, SETTINGS_REFUSED);
  return {
    ...server,
    settings,
    profile: {
      name: 'PostgreSQL',
      isExclusive: false,
      sharesOneSession: false,
      keepsStatements: settings === 'connection' && (await isSession(server, signal)),
      isDistributed: false,
    },
    sizes: { ...SERVER_LANES, ...options.connections },
  };
}

async function openInFolder(
  dataFolder: string,
  options: StoreOptions,
  resources: ResourceStack,
): Promise<FoundDatabase> {
  const logger = options.logger ?? SILENT;
  const description = `the embedded database in ${dataFolder}`;
  if (options.distribute !== undefined)
    throw new StoreError(
      'database_unsupported',
      `Cannot distribute ${description}: only a PostgreSQL server with Citus can be; move it to one first.`,
    );
  if (options.mustExist === true && folderState(dataFolder) === 'absent') throw absent(description);
  options.onProgress?.('connecting');
  const embedded = await openEmbedded({
    dataFolder,
    logger,
    onCreating: () => {
      options.onProgress?.('creating');
    },
    onBroken: (error) => {
      logger.warn({ err: error }, 'The embedded database has broken down.');
      options.onBroken?.(error);
    },
  });
  resources.add(() => embedded.close());
  const quietMs = () => embedded.signs.quietMs;
  return {
    profile: {
      name: 'embedded PGlite',
      isExclusive: true,
      sharesOneSession: true,
      keepsStatements: false,
      isDistributed: false,
    },
    connection: embedded.connection,
    description,
    settings: 'none',
    sizes: EMBEDDED_LANES,
    logger,
    onPrepared: () => embedded.watch(),
    explain: (error) => databaseNotWritable(dataFolder, error),
    searchedMs: () => embedded.signs.searchedMs,
    paces: {
      pace: SHARED_SEARCH_PACE,
      commitPace: new TimedPace(quietMs, LEAST_CHARACTERS),
      statisticsTarget: SHARED_STATISTICS_TARGET,
    },
    makePace: () => new TimedPace(quietMs, LEAST_ROWS),
  };
}

function absent(description: string): StoreError {
  return new StoreError(
    'database_absent',
    `There is nothing of Patchbay yet in ${description}; the first start of the service makes it.`,
  );
}

/** @throws `database_unsupported` */
export async function checkServer(database: Database, description: string): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`
    select current_setting('server_version_num')::int as version,
      current_setting('server_encoding') as encoding
  `.execute(database);
  const [server] = rows;
  if (server !== undefined && server.version >= OLDEST_SERVER && server.encoding === 'UTF8') return;
  throw new StoreError(
    'database_unsupported',
    `Cannot use ${description} (version number ${server?.version}, encoding ${server?.encoding}): PostgreSQL 15 or newer with encoding UTF8 is needed.`,
  );
}
