import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, type PoolConfig } from 'pg';
import type { StoreOptions } from '../../src/store-options.ts';
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
  make(): Promise<TestPlace>;
}

const serverUrl = process.env['TEST_DATABASE_URL'];

export const EMBEDDED: TestDatabase = { name: 'embedded PGlite', skip: false, make: makeFolder };

/** Its tests make and drop databases of their own on the server at `TEST_DATABASE_URL`. */
export const SERVER: TestDatabase = {
  name: 'PostgreSQL',
  skip:
    serverUrl === undefined &&
    'no PostgreSQL server; npm run test:postgres uses that of TEST_DATABASE_URL, by default postgres://postgres@127.0.0.1:5432/test',
  make: makeServerDatabase,
};

/** Both, where both are there; with `TEST_DATABASE=server` the server alone. */
export const TEST_DATABASES: readonly TestDatabase[] =
  process.env['TEST_DATABASE'] === 'server' ? [SERVER] : [EMBEDDED, SERVER];

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

async function makeServerDatabase(): Promise<TestPlace> {
  const name = `store_test_${randomUUID().replaceAll('-', '')}`;
  await onServer(`create database ${name} ${TURKISH}`);
  const url = new URL(serverUrl ?? '');
  url.pathname = `/${name}`;
  return {
    options: { databaseUrl: url.href },
    connection: () => Promise.resolve({ connectionString: url.href }),
    remove: () => onServer(`drop database ${name} with (force)`),
  };
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
