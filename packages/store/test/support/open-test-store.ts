import { Client, type PoolConfig } from 'pg';
import { openStore } from '../../src/open-store.ts';
import type { Store } from '../../src/contract/store.ts';
import type { StoreOptions } from '../../src/store-options.ts';
import { EMBEDDED, type TestDatabase } from './test-databases.ts';

/** A store on a fresh database, which goes when the store closes. */
export interface TestStore extends Store, AsyncDisposable {
  /** How to connect beside the store. */
  readonly connection: PoolConfig;
  /** Runs SQL beside the store, for what it has no method for, such as letting time pass. */
  query(sql: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
}

/**
 * Opens a store on a fresh, migrated database in about half a second, for tests here and in other
 * packages (as `@patchbay/store/testing`). Close it, or write `await using`, and the database goes.
 *
 * @param database The embedded one by default; tests of the store itself pass each in turn.
 * @param options.kinds Whose records are copied, other than those the program knows.
 */
export async function openTestStore(
  database: TestDatabase = EMBEDDED,
  options: Pick<StoreOptions, 'kinds' | 'connections'> = {},
): Promise<TestStore> {
  const place = await database.makeMigrated();
  const store = await openStore({ ...place.options, ...options });
  const connection = await place.connection();
  const close = async (): Promise<void> => {
    await store.close();
    await place.remove();
  };
  return {
    ...store,
    connection,
    query: (sql, values) => queryOnce(connection, sql, values),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Keeps everybody else from a table until disposed of. */
export async function lockTable(connection: PoolConfig, table: string): Promise<AsyncDisposable> {
  const client = new Client(connection);
  await client.connect();
  await client.query(`begin; lock table patchbay.${table} in access exclusive mode`);
  return {
    [Symbol.asyncDispose]: async () => {
      await client.query('rollback');
      await client.end();
    },
  };
}

/** Runs one statement over a connection of its own. */
export async function queryOnce(
  connection: PoolConfig,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Record<string, unknown>[]> {
  const client = new Client(connection);
  await client.connect();
  try {
    const result = await client.query<Record<string, unknown>>(sql, [...values]);
    return result.rows;
  } finally {
    await client.end();
  }
}
