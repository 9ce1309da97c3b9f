import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ConnectionPool } from '../src/connection-pool.ts';
import { isStoreError } from '../src/store-error.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { SHARED, TEST_DATABASES } from './support/test-databases.ts';

const LOGGER = { info: () => undefined, warn: () => undefined };
const IS_POOLED = process.env['TEST_POOLER'] !== undefined;

function openPool({ connection }: TestStore): ConnectionPool {
  const options = { description: 'the test database', logger: LOGGER, keepsStatements: true };
  return new ConnectionPool({ ...options, connection, connections: 1 });
}

async function ask(pool: ConnectionPool, text: string, values: readonly unknown[]) {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(text, values);
    return rows;
  } finally {
    client.release();
  }
}

function isUnreachable(error: unknown): boolean {
  return isStoreError(error, 'database_unreachable');
}

for (const database of TEST_DATABASES)
  test(
    `a store tells whether connections of ${database.name} keep statements`,
    {
      skip: database.skip,
    },
    async () => {
      await using store = await openTestStore(database);
      const { keepsStatements, sharesOneSession } = store.profile;
      assert.equal(keepsStatements, !sharesOneSession && !IS_POOLED);
    },
  );

describe('statements that a server keeps', { skip: SHARED.skip }, () => {
  let store: TestStore;
  let pool: ConnectionPool;
  before(async () => {
    store = await openTestStore(SHARED);
    await store.query('create table patchbay.numbers as select 1::integer as value');
    pool = openPool(store);
  });
  after(async () => {
    await pool.end();
    await store.close();
  });

  const kept = () => ask(pool, 'select statement from pg_prepared_statements', []);

  test('are those that came often; what fails is asked as before', async () => {
    const double = 'select $1::integer * 2 as value';
    for (let value = 0; value < 5; value++) await ask(pool, double, [value]);
    assert.deepEqual(await kept(), []);
    await assert.rejects(ask(pool, double, ['no number']), { code: '22P02' });
    for (let value = 0; value < 3; value++)
      assert.deepEqual(await ask(pool, double, [value]), [{ value: 2 * value }]);
    assert.deepEqual(await kept(), [{ statement: double }]);
  });

  test('and give way to others', async () => {
    for (let index = 0; index < 60; index++)
      for (let times = 0; times < 6; times++)
        await ask(pool, `select $1::integer + ${index} as value`, [times]);
    const statements = await kept();
    assert.equal(statements.length, 50);
    const last = statements.some(({ statement }) => String(statement).includes('+ 59 '));
    assert.ok(last, JSON.stringify(statements));
    assert.deepEqual(await ask(pool, 'select $1::integer + 0 as value', [7]), [{ value: 7 }]);
  });

  test('are prepared anew where a newer process has changed the table', async () => {
    const read = 'select value from patchbay.numbers where $1';
    for (let times = 0; times < 7; times++)
      assert.deepEqual(await ask(pool, read, [true]), [{ value: 1 }]);
    await store.query('alter table patchbay.numbers alter column value type text');
    await assert.rejects(ask(pool, read, [true]), isUnreachable);
    // Over another connection.
    assert.deepEqual(await ask(pool, read, [true]), [{ value: '1' }]);
    for (let times = 0; times < 7; times++) await ask(pool, read, [true]);
    await ask(pool, 'deallocate all', []);
    await assert.rejects(ask(pool, read, [true]), isUnreachable);
    assert.deepEqual(await ask(pool, read, [true]), [{ value: '1' }]);
  });
});
