import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { ConnectionPool } from '../src/connection-pool.ts';
import { databaseOn } from '../src/lanes.ts';
import { openTestStore } from './support/open-test-store.ts';
import { SHARED } from './support/test-databases.ts';

test(
  'a transaction whose settings fail leaves nothing open to whoever has the connection next',
  { skip: SHARED.skip },
  async () => {
    await using store = await openTestStore(SHARED);
    const pool = new ConnectionPool({
      connection: store.connection,
      connections: 1,
      description: 'the test database',
      logger: { info: () => undefined, warn: () => undefined },
      // As one that was refused, or cancelled.
      transactionSettings: 'select 1 / 0',
    });
    const database = databaseOn(pool);
    await assert.rejects(
      database.transaction().execute(() => Promise.resolve()),
      /division by zero/,
    );
    assert.deepEqual((await sql`select 1 as one`.execute(database)).rows, [{ one: 1 }]);
    await pool.end();
  },
);
