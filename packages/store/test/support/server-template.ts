import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { openStore } from '../../src/open-store.ts';

/** An arbitrary number: who has its lock makes the template. */
const LOCK_KEY = 7_281_642_290_402;

/** A run of many test files, which `.ci/test` begins, and whose template it drops at the end. */
const RUN = process.env['TEST_FOLDER'];

export const HAS_SERVER_TEMPLATE = RUN !== undefined;

const NAME = `store_test_template_${createHash('sha256')
  .update(RUN ?? '')
  .digest('hex')
  .slice(0, 12)}`;

/**
 * Makes the empty, migrated database that those of a run are copies of, where no other test file has.
 *
 * @param url Of a database of the server.
 * @param creation What follows the name in `create database`.
 * @returns The name of the template.
 */
export async function ensureServerTemplate(url: string, creation: string): Promise<string> {
  await using admin = await connect(url);
  await admin.client.query('select pg_advisory_lock($1)', [LOCK_KEY]);
  const { rows } = await admin.client.query('select from pg_database where datname = $1', [NAME]);
  if (rows.length > 0) return NAME;
  const draft = `${NAME}_draft`;
  await admin.client.query(`drop database if exists ${draft} with (force)`);
  await admin.client.query(`create database ${draft} ${creation}`);
  const databaseUrl = new URL(url);
  databaseUrl.pathname = `/${draft}`;
  const store = await openStore({ databaseUrl: databaseUrl.href });
  await store.close();
  // A connection that was closed takes the server a moment, in which it can neither be renamed nor copied.
  await admin.client.query(
    'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1',
    [draft],
  );
  await admin.client.query(`alter database ${draft} rename to ${NAME}`);
  return NAME;
}

/** Drops the template of this run, where there is one. */
export async function dropServerTemplate(url: string): Promise<void> {
  await using admin = await connect(url);
  for (const name of [NAME, `${NAME}_draft`])
    await admin.client.query(`drop database if exists ${name} with (force)`);
}

async function connect(url: string): Promise<AsyncDisposable & { readonly client: Client }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
}
