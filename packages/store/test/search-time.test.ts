import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { Client } from 'pg';
import { EMBEDDED_LANES, Lanes } from '../src/lanes.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';

const QUICK_MS = 200;

describe('a search of the embedded database', () => {
  let store: TestStore;
  let lanes: Lanes;
  before(async () => {
    store = await openTestStore();
    const logger = { info: () => undefined, warn: () => undefined };
    const { connection } = store;
    const place = { connection, description: 'test', logger, settings: 'none' } as const;
    lanes = new Lanes({ ...place, searchedMs: () => store.searchedMs() }, EMBEDDED_LANES);
  });
  after(async () => {
    await lanes.end();
    await store.close();
  });

  const scans = () => {
    const { inUse, idle } = lanes.use().scans;
    return inUse + idle;
  };

  const begin = () => {
    const told = { isLong: false };
    const onLong = () => {
      told.isLong = true;
    };
    return { told, search: lanes.oneSearch(undefined, { quickMs: QUICK_MS, onLong }) };
  };

  test('that waits for somebody else’s transaction is not a long one for it', async () => {
    await using other = await connected(store.connection);
    await other.client.query('begin');
    const { search, told } = begin();
    const begunAt = performance.now();
    const searching = sql`select 1`.execute(search);
    // The transaction has the database for twice as long as a search is a quick one.
    while (performance.now() - begunAt < 2 * QUICK_MS) await other.client.query('select 1');
    await other.client.query('commit');
    await searching;
    await sql`select 1`.execute(search);
    assert.equal(told.isLong, false);
    assert.equal(scans(), 0);
  });

  test('that has had the database for so long is one', async () => {
    const begunAt = performance.now();
    const searchedBefore = store.searchedMs();
    const { search, told } = begin();
    for (let rows = 100_000; store.searchedMs() - searchedBefore < QUICK_MS; rows *= 2)
      await sql`select count(*) from generate_series(1, ${sql.lit(rows)})`.execute(search);
    await sql`select 1`.execute(search);
    assert.equal(told.isLong, true);
    assert.equal(scans(), 1);
    assert.ok(store.searchedMs() - searchedBefore <= performance.now() - begunAt);
  });
});

async function connected(connection: TestStore['connection']) {
  const client = new Client(connection);
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
}
