import { Kysely, PostgresDialect, sql } from 'kysely';
import { ConnectionPool, type PoolOptions } from './connection-pool.ts';
import { SCHEMA, type Database, type Tables } from './database.ts';
import { openEmbedded } from './embedded/open-embedded.ts';
import { migrate } from './migrations/migrate.ts';
import { repeatedRead } from './repeated-read.ts';
import { ResourceStack } from './resource-stack.ts';
import { parseDatabaseUrl } from './server-connection.ts';
import { StoreError } from './store-error.ts';
import type { CopyId } from './contract/copies.ts';
import { CopyTables, standardTables } from './copies/copy-table.ts';
import { mergeRecord } from './copies/merge-record.ts';
import { TimedCommitPace } from './copies/commit-pace.ts';
import { makeCopyContext, openCopy, type CopyContext, type CopyPaces } from './copies/open-copy.ts';
import { reconcileTables } from './copies/reconcile.ts';
import { findParents } from './copies/search/find-parents.ts';
import { SHARED_SEARCH_PACE } from './copies/search-pace.ts';
import { searchCopy } from './copies/search/search-copy.ts';
import type { JobQueue } from './contract/jobs.ts';
import { openJobs } from './jobs/open-jobs.ts';
import { releaseAllLeases } from './sync/leases.ts';
import { openSyncs } from './sync/open-syncs.ts';
import type { StoreLogger, StoreOptions } from './store-options.ts';
import type { DatabaseProfile, Store } from './contract/store.ts';
import {
  createApplication,
  ensureApplication,
  findApplicationByClientId,
  findApplicationById,
  listApplications,
  revokeApplication,
} from './statements/applications.ts';
import {
  createConnector,
  deleteConnector,
  findConnector,
  listConnectors,
  listExternalUsers,
  updateConnector,
} from './statements/connectors.ts';
import {
  deleteIdempotencyKeysOlderThan,
  findIdempotencyRecord,
  finishIntent,
  insertIntent,
  releaseIntent,
} from './statements/idempotency-keys.ts';
import {
  beatInstance,
  removeAllInstances,
  removeInstance,
  removeLongDeadInstances,
} from './statements/instances.ts';
import { createOrganization, listOrganizations } from './statements/organizations.ts';
import { ensureSetting, findSetting } from './statements/settings.ts';
import {
  createSigningKey,
  deleteSucceededSigningKeys,
  listSigningKeys,
} from './statements/signing-keys.ts';

/** The oldest server whose SQL we speak. */
const OLDEST_SERVER = 150_000;

const SILENT: StoreLogger = { info: () => undefined, warn: () => undefined };

/** A database, and what to call it. */
interface OpenDatabase {
  readonly profile: DatabaseProfile;
  readonly description: string;
  readonly pool: ConnectionPool;
  readonly database: Database;
  readonly paces?: CopyPaces;
  /** To be called once the schema is up to date: until then statements may take long. */
  readonly onPrepared?: () => void;
}

/**
 * Opens the storage of the service, and brings its schema up to date: the PostgreSQL database at
 * `databaseUrl`, or else the embedded one in `dataFolder`, which this process then has for itself.
 * The first start in a folder takes about 3 s, later ones well under one.
 *
 * @throws Every code of `StoreErrorCode` but `text_not_storable` and `lease_lost`.
 */
export async function openStore(options: StoreOptions): Promise<Store & AsyncDisposable> {
  const resources = new ResourceStack();
  try {
    const opened = await openDatabase(options, resources);
    const tables = options.kinds === undefined ? standardTables() : new CopyTables(options.kinds);
    await prepare(opened, tables, options);
    opened.onPrepared?.();
    const jobs = openJobs({ ...opened, logger: options.logger ?? SILENT });
    resources.add(() => jobs.close());
    const close = () => resources.close();
    return storeOn({ ...opened, copies: makeCopyContext(tables, opened.paces), jobs, close });
  } catch (error) {
    await resources.close();
    throw error;
  }
}

async function prepare(
  opened: OpenDatabase,
  tables: CopyTables,
  options: StoreOptions,
): Promise<void> {
  const { database, profile, description } = opened;
  await checkServer(database, description);
  options.onProgress?.('migrating');
  const applied = await migrate(database);
  if (applied.length > 0) options.logger?.info({ applied }, 'The database schema was changed.');
  const reconciled = await reconcileTables(database, tables);
  if (reconciled.length > 0) options.logger?.info({ reconciled }, 'Tables of copies were made.');
  await (profile.isExclusive ? forgetProcesses(database) : removeLongDeadInstances(database));
}

/** A process that has the database for itself need not wait until others are taken for dead. */
async function forgetProcesses(database: Database): Promise<void> {
  await removeAllInstances(database);
  await releaseAllLeases(database);
}

async function openDatabase(
  options: StoreOptions,
  resources: ResourceStack,
): Promise<OpenDatabase> {
  if (options.databaseUrl !== undefined)
    return openOnServer(options.databaseUrl, options, resources);
  if (options.dataFolder !== undefined)
    return await openInFolder(options.dataFolder, options, resources);
  throw new StoreError(
    'database_not_given',
    'Neither a database URL nor a data folder was given; the store needs one of them.',
  );
}

function openOnServer(
  databaseUrl: string,
  options: StoreOptions,
  resources: ResourceStack,
): OpenDatabase {
  const { connection, description } = parseDatabaseUrl(databaseUrl);
  options.onProgress?.('connecting');
  const logger = options.logger ?? SILENT;
  return {
    profile: { name: 'PostgreSQL', isExclusive: false, sharesOneSession: false },
    description,
    ...connect({ connection, description, logger }, resources),
  };
}

async function openInFolder(
  dataFolder: string,
  options: StoreOptions,
  resources: ResourceStack,
): Promise<OpenDatabase> {
  const logger = options.logger ?? SILENT;
  const description = `the embedded database in ${dataFolder}`;
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
  return {
    profile: { name: 'embedded PGlite', isExclusive: true, sharesOneSession: true },
    description,
    onPrepared: () => embedded.watch(),
    paces: {
      pace: SHARED_SEARCH_PACE,
      commitPace: new TimedCommitPace(() => embedded.signs.quietMs),
    },
    ...connect({ connection: embedded.connection, description, logger }, resources),
  };
}

function connect(
  options: PoolOptions,
  resources: ResourceStack,
): Pick<OpenDatabase, 'pool' | 'database'> {
  const pool = new ConnectionPool(options);
  resources.add(() => pool.end());
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return { pool, database: kysely.withSchema(SCHEMA) };
}

async function checkServer(database: Database, description: string): Promise<void> {
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

interface StoreParts extends OpenDatabase {
  readonly copies: CopyContext;
  readonly jobs: JobQueue;
  readonly close: () => Promise<void>;
}

function storeOn(parts: StoreParts): Store & AsyncDisposable {
  const { database, profile, copies, jobs, close } = parts;
  const open = (copy: CopyId) => openCopy(database, copies, copy);
  return {
    profile,
    organizations: {
      create: (organization) => createOrganization(database, organization),
      list: () => repeatedRead(() => listOrganizations(database)),
    },
    applications: {
      create: (application) => createApplication(database, application),
      ensure: (application) => ensureApplication(database, application),
      findByClientId: (clientId) =>
        repeatedRead(() => findApplicationByClientId(database, clientId)),
      findById: (id) => repeatedRead(() => findApplicationById(database, id)),
      list: () => repeatedRead(() => listApplications(database)),
      revoke: (id) => revokeApplication(database, id),
    },
    connectors: {
      create: (connector, most) => createConnector(database, connector, most),
      find: (id) => repeatedRead(() => findConnector(database, id)),
      list: (filter, page) => repeatedRead(() => listConnectors(database, filter, page)),
      update: (id, change, condition) => updateConnector(database, id, { ...change, ...condition }),
      delete: (id, jobId) => deleteConnector(database, id, jobId),
      externalUsers: (applicationId, userOptions) =>
        repeatedRead(() => listExternalUsers(database, applicationId, userOptions)),
    },
    signingKeys: {
      create: (key) => createSigningKey(database, key),
      list: () => repeatedRead(() => listSigningKeys(database)),
      deleteSucceeded: (ageMs) => deleteSucceededSigningKeys(database, ageMs),
    },
    idempotency: {
      begin: (intent) => beginIntent(database, intent),
      finish: (connectorId, key, answer) => finishIntent(database, { connectorId, key, answer }),
      release: (connectorId, key) => releaseIntent(database, connectorId, key),
      deleteOlderThan: (ageMs) => deleteIdempotencyKeysOlderThan(database, ageMs),
    },
    instances: {
      beat: (id) => beatInstance(database, id),
      remove: (id) => removeInstance(database, id),
    },
    settings: {
      get: (name) => repeatedRead(() => findSetting(database, name)),
      ensure: (name, value) => ensureSetting(database, name, value),
    },
    copies: {
      search: (copy, search, options) =>
        repeatedRead(async () => searchCopy(open(copy), search, options?.signal)),
      parents: (copy, query) => repeatedRead(async () => findParents(open(copy), query)),
      merge: async (copy, record, options) => mergeRecord(open(copy), record, options),
    },
    syncs: openSyncs({ database, copies }),
    jobs,
    ping: async () => {
      await repeatedRead(() => sql`select 1`.execute(database));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function beginIntent(
  database: Database,
  intent: Parameters<Store['idempotency']['begin']>[0],
): ReturnType<Store['idempotency']['begin']> {
  for (;;) {
    if (await insertIntent(database, intent)) return undefined;
    const record = await findIdempotencyRecord(database, intent.connectorId, intent.key);
    if (record !== undefined) return record;
    // Released or aged out between the two statements: the key is free again, so ask again.
  }
}
