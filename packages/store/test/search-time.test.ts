import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as passed } from 'node:timers/promises';
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

  test('that waits for somebody else’s transaction is not a long one for it', async () => {
    await using other = await connected(store.connection);
    await other.client.query('begin');
    const search = lanes.oneSearch(undefined, QUICK_MS);
    const searching = sql`select 1`.execute(search);
    await passed(2 * QUICK_MS);
    await other.client.query('commit');
    await searching;
    await sql`select 1`.execute(search);
    assert.equal(scans(), 0);
  });

  test('that has had the database for so long is one, also while its statement lasts', async () => {
    const begunAt = performance.now();
    const searchedBefore = store.searchedMs();
    const search = lanes.oneSearch(undefined, QUICK_MS);
    const counting = sql`select count(*) from generate_series(1, 5000000)`.execute(search);
    while (store.searchedMs() - searchedBefore < QUICK_MS) await passed(5);
    await sql`select 1`.execute(search);
    assert.equal(scans(), 1);
    await counting;
    assert.ok(store.searchedMs() - searchedBefore <= performance.now() - begunAt);
  });
});

async function connected(connection: TestStore['connection']) {
  const client = new Client(connection);
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
}
