import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { after, beforeEach, describe, test } from 'node:test';
import { Kysely, PostgresDialect, type CompiledQuery, type LogEvent } from 'kysely';
import { SCHEMA, type Tables } from '../src/database.ts';
import { readFigures } from '../src/statements/figures.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { nodesOf, openPool, rowsOf, type PlanRow } from './support/plan.ts';
import { addApplication, addConnector } from './support/sample-rows.ts';
import { TEST_DATABASES } from './support/test-databases.ts';

for (const database of TEST_DATABASES) {
  describe(`figures on ${database.name}`, { skip: database.skip }, async () => {
    const store: TestStore = await openTestStore(database);
    after(() => store.close());
    beforeEach(async () => {
      for (const table of ['revocations', 'sync_runs', 'connector_syncs', 'connectors'])
        await store.query(`delete from patchbay.${table}`);
    });

    test('of an empty database are zero', async () => {
      assert.deepEqual(await store.figures(), {
        connectors: [],
        lags: [],
        work: {
          queuedSyncs: 0,
          runningSyncs: 0,
          oldestQueuedSeconds: 0,
          clearings: 0,
          renewals: 0,
          revocations: 0,
        },
        workers: 0,
      });
    });

    test('count connectors by kind and state, deleted ones no more', async () => {
      const { applicationId } = await addConnector(store);
      const { id } = await addConnector(store, { applicationId });
      const other = await addConnector(store, { applicationId, kind: 'support-chat' });
      await store.connectors.update(id, { state: 'degraded' });
      await store.connectors.delete(other.id, randomUUID());
      const { connectors, work } = await store.figures();
      const told = connectors.map(({ kind, state, count }) => `${kind} ${state} ${count}`);
      assert.deepEqual(told.toSorted(), ['chat-workspace degraded 1', 'chat-workspace pending 1']);
      assert.equal(work.clearings, 1);
    });

    test('say how long the copy is behind that is most, by state, of those that are to be copied', async () => {
      const application = await addApplication(store);
      const age = async (hours: number, change: object) => {
        const { id } = await addConnector(store, { applicationId: application.id });
        await store.connectors.update(id, change);
        await store.query(
          `update patchbay.connectors set last_synced_at = now() - $2 * interval '1 hour'
          where id = $1`,
          [id, hours],
        );
      };
      await age(1, { state: 'active' });
      await age(2, { state: 'active' });
      await age(6, { state: 'degraded' });
      await age(3, { isPaused: true });
      await age(4, { isDisabled: true });
      await age(5, { state: 'reauth_required' });
      const { lags } = await store.figures();
      const told = lags.map((lag) => `${lag.kind} ${lag.state} ${Math.round(lag.seconds / 60)}`);
      assert.deepEqual(told.toSorted(), [
        'chat-workspace active 120',
        'chat-workspace degraded 360',
      ]);
      await store.applications.revoke(application.id);
      assert.deepEqual((await store.figures()).lags, []);
    });

    test('say what waits, and for how long', async () => {
      await store.query('update patchbay.sync_queue set look_at = null');
      const { id } = await addConnector(store);
      await store.query(
        `update patchbay.connectors set renew_at = now() - interval '1 second' where id = $1`,
        [id],
      );
      await store.syncs.requestRun(id, { id: randomUUID(), cause: 'demand' });
      await store.query(`update patchbay.sync_queue set look_at = look_at - interval '90 seconds'`);
      const { work } = await store.figures();
      assert.equal(Math.round(work.oldestQueuedSeconds / 10), 9);
      assert.equal(work.queuedSyncs, 1);
      assert.equal(work.renewals, 1);
      const lease = await store.syncs.takeLease({ connectorId: id, owner: 'x', ttlMs: 60_000 });
      assert.ok(lease !== undefined);
      await store.syncs.startRun(lease);
      const later = (await store.figures()).work;
      assert.deepEqual([later.queuedSyncs, later.runningSyncs], [0, 1]);
      assert.equal(later.oldestQueuedSeconds, 0);
    });

    test('go through all connectors once, and of the queue through what is due', async () => {
      await store.query(
        `insert into patchbay.sync_queue (connector_id, application_id, kind, look_at, is_urgent)
         select gen_random_uuid(), gen_random_uuid(), 'chat-workspace',
           now() + (n - 20) * interval '1 minute', n % 10 = 0
         from generate_series(1, 20000) as n`,
      );
      await store.query('vacuum analyze patchbay.sync_queue');
      const statements: CompiledQuery[] = [];
      await using pool = openPool(store.connection);
      const log = ({ query }: LogEvent) => {
        statements.push(query);
      };
      const { work } = await readFigures(
        new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), log }).withSchema(SCHEMA),
      );
      assert.equal(String(work.queuedSyncs), '20');
      const everyone = statements.filter(({ sql }) =>
        /from patchbay\.connectors|from "patchbay"\."connectors"/.test(sql),
      );
      assert.equal(everyone.filter(({ sql }) => !sql.includes('renew_at')).length, 1);
      for (const { sql, parameters } of statements) {
        const text = `explain (analyze, format json) ${sql}`;
        const { rows } = await pool.query<PlanRow>(text, [...parameters]);
        const scans = nodesOf(rows).filter((node) => node['Relation Name'] === 'sync_queue');
        const read = scans.reduce((sum, node) => sum + rowsOf(node), 0);
        assert.ok(read <= 100, `${read} rows for ${sql}`);
      }
      await store.query('delete from patchbay.sync_queue');
    });

    test('of connections say how many are in use, and how many there may be', async () => {
      await store.ping();
      const { control } = store.connectionUse();
      assert.ok(control.idle >= 1 && control.idle <= control.most, JSON.stringify(control));
      assert.equal(control.inUse, 0);
      let inUse = 0;
      const asking = new AbortController();
      const asked = store.connectors.find(randomUUID()).finally(() => asking.abort());
      while (!asking.signal.aborted) {
        inUse = Math.max(inUse, store.connectionUse().calls.inUse);
        await setImmediate();
      }
      await asked;
      assert.equal(inUse, 1);
      assert.equal(store.connectionUse().calls.inUse, 0);
    });
  });
}
