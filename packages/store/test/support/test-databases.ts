import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, type PoolConfig } from 'pg';
import type { StoreOptions } from '../../src/store-options.ts';
import { makeCitusDatabase } from './citus-databases.ts';
import { PG_BOUNCER_SKIP, startPgBouncer, type PgBouncer } from './pg-bouncer.ts';
import { ensureServerTemplate, HAS_SERVER_TEMPLATE } from './server-template.ts';
import { makeDataFolder } from './template-folder.ts';

/** A database of one test's own. */
export interface TestPlace {
  readonly options: StoreOptions;
  /** How to connect to it beside the store, while a store has it open. */
  connection(): Promise<PoolConfig>;
  remove(): Promise<void>;
}

/** A kind of database that every test of the store runs against. */
export interface TestDatabase {
  readonly name: string;
  /** Why it is not here, or false. */
  readonly skip: string | false;
  /** One for a store to make its schema in, where that is not there already. */
  make(): Promise<TestPlace>;
  /** One with the schema of now, and no rows: the fastest there is. */
  makeMigrated(): Promise<TestPlace>;
}

const serverUrl = process.env['TEST_DATABASE_URL'];
const citusUrl = process.env['TEST_CITUS_URL'];

export const EMBEDDED: TestDatabase = {
  name: 'embedded PGlite',
  skip: false,
  make: makeFolder,
  makeMigrated: makeFolder,
};

/** Whether the stores of the tests, but nothing beside them, reach the server through a pooler. */
const isPooled = process.env['TEST_POOLER'] === 'pgbouncer';

/** Its tests make and drop databases of their own on the server at `TEST_DATABASE_URL`. */
export const SERVER: TestDatabase = {
  name: isPooled ? 'PostgreSQL behind PgBouncer' : 'PostgreSQL',
  skip:
    (serverUrl === undefined &&
      'no PostgreSQL server; npm run test:postgres uses that of TEST_DATABASE_URL, by default postgres://postgres@127.0.0.1:5432/test') ||
    (isPooled && PG_BOUNCER_SKIP),
  make: () => makeServerDatabase(TURKISH),
  makeMigrated: makeMigratedOnServer,
};

/** Its tests make and drop databases of their own on every node of the cluster at `TEST_CITUS_URL`. */
export const CITUS: TestDatabase = {
  name: 'Citus',
  skip:
    citusUrl === undefined &&
    'no Citus cluster; npm run test:citus uses that of TEST_CITUS_URL, the coordinator',
  make: makeOnCluster,
  makeMigrated: makeOnCluster,
};

/** A server that several connections or processes share: PostgreSQL, with `TEST_DATABASE=citus` the cluster. */
export const SHARED: TestDatabase = process.env['TEST_DATABASE'] === 'citus' ? CITUS : SERVER;

/** Both, where both are there; with `TEST_DATABASE` the `server` or `citus` alone. */
export const TEST_DATABASES: readonly TestDatabase[] = chosenDatabases();

/** The one of `TEST_DATABASE`; the embedded one unless said. */
export const CHOSEN_DATABASE: TestDatabase = TEST_DATABASES[0] ?? EMBEDDED;

function chosenDatabases(): readonly TestDatabase[] {
  switch (process.env['TEST_DATABASE']) {
    case 'server':
      return [SERVER];
    case 'citus':
      return [CITUS];
    default:
      return [EMBEDDED, SERVER];
  }
}

async function makeFolder(): Promise<TestPlace> {
  const dataFolder = await makeDataFolder();
  return {
    options: { dataFolder },
    connection: () => embeddedConnection(dataFolder),
    remove: () => rm(dataFolder, { recursive: true }),
  };
}

/** The way into the embedded database that a process has open. */
export async function embeddedConnection(dataFolder: string): Promise<PoolConfig> {
  const host = await readFile(join(dataFolder, 'run-folder'), 'utf8');
  return { host, port: 5432, user: 'postgres', database: 'postgres', password: '', ssl: false };
}

/** There `lower('I')` is not `i`: what is to be compared by code point must not depend on that. */
const TURKISH =
  "template template0 encoding 'UTF8' locale_provider icu icu_locale 'tr-TR' locale 'C.UTF-8'";

async function makeOnCluster(): Promise<TestPlace> {
  const { url, remove } = await makeCitusDatabase(citusUrl ?? '', TURKISH);
  return {
    options: { databaseUrl: url },
    connection: () => Promise.resolve({ connectionString: url }),
    remove,
  };
}

let template: Promise<string> | undefined;

/** A copy of the run's template, a tenth of a second in place of one; without a run of many, migrated by who opens it. */
async function makeMigratedOnServer(): Promise<TestPlace> {
  if (!HAS_SERVER_TEMPLATE) return await makeServerDatabase(TURKISH);
  template ??= ensureServerTemplate(serverUrl ?? '', TURKISH);
  return await makeServerDatabase(`template ${await template}`);
}

/** @param creation What follows the name in `create database`. */
async function makeServerDatabase(creation: string): Promise<TestPlace> {
  const name = `store_test_${randomUUID().replaceAll('-', '')}`;
  await onServer(`create database ${name} ${creation}`);
  const url = new URL(serverUrl ?? '');
  url.pathname = `/${name}`;
  return {
    options: { databaseUrl: isPooled ? await pooled(url.href) : url.href },
    connection: () => Promise.resolve({ connectionString: url.href }),
    remove: () => onServer(`drop database ${name} with (force)`),
  };
}

/** Fewer connections than a store opens: they are passed on between any two transactions. */
const POOL_SIZE = 6;

let pooler: Promise<PgBouncer> | undefined;

async function pooled(databaseUrl: string): Promise<string> {
  pooler ??= startPgBouncer(databaseUrl, { poolSize: POOL_SIZE });
  return (await pooler).urlOf(databaseUrl);
}

async function onServer(sql: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
