import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { Client } from 'pg';
import { Lanes, SERVER_LANES } from '../src/lanes.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { SHARED } from './support/test-databases.ts';
import { until } from './support/until.ts';

describe('lanes', { skip: SHARED.skip }, () => {
  let store: TestStore;
  let locker: Client;
  before(async () => {
    store = await openTestStore(SHARED, { connections: { calls: 2 } });
    locker = new Client(store.connection);
    await locker.connect();
  });
  after(async () => {
    await locker.end();
    await store.close();
  });

  const waiting = () =>
    store.query(
      "select application_name from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );

  test('have connections of their own, as many as were said, and do not wait for each other', async () => {
    await locker.query('begin; lock table patchbay.connectors in access exclusive mode');
    const finding = Promise.all([1, 2, 3, 4].map(() => store.connectors.find(randomUUID())));
    await until(async () => (await waiting()).length === 2);
    await store.ping();
    assert.deepEqual(await store.applications.list(), []);
    assert.deepEqual(
      (await waiting()).map(({ application_name }) => application_name),
      ['patchbay calls', 'patchbay calls'],
    );
    await locker.query('rollback');
    assert.deepEqual(await finding, Array(4).fill(undefined));
  });

  test('a search that has taken long goes on where others do not wait for it', async () => {
    const { connection } = store;
    const logger = { info: () => undefined, warn: () => undefined };
    const place = { connection, description: 'test', logger, settings: 'connection' } as const;
    const lanes = new Lanes(place, { ...SERVER_LANES, searches: 1, scans: 1 });
    try {
      const workersOf = async (quickMs: number) => {
        const { rows } = await sql<{ workers: string }>`
          select current_setting('max_parallel_workers_per_gather') as workers
        `.execute(lanes.oneSearch(undefined, { quickMs }));
        return rows[0]?.workers;
      };
      const long = lanes.oneSearch(undefined);
      assert.equal(await askedBy(long), 'patchbay searches');
      assert.equal(await askedBy(long), 'patchbay scans');
      assert.equal(await askedBy(lanes.oneSearch(undefined, { quickMs: 0 })), 'patchbay scans');
      assert.deepEqual(await Promise.all([250, 0].map((ms) => workersOf(ms))), ['2', '0']);
    } finally {
      await lanes.end();
    }
  });
});

async function askedBy(search: ReturnType<Lanes['oneSearch']>): Promise<string | undefined> {
  const { rows } = await sql<{ lane: string }>`
    select current_setting('application_name') as lane, pg_sleep(0.3)
  `.execute(search);
  return rows[0]?.lane;
}
