import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import {
  Kysely,
  PostgresDialect,
  type CompiledQuery,
  type KyselyPlugin,
  type LogEvent,
} from 'kysely';
import type { Pool } from 'pg';
import type { DueConnector } from '../src/contract/syncs.ts';
import type { Tables } from '../src/database.ts';
import { databaseOn } from '../src/lanes.ts';
import { settle } from '../src/sync-queue.ts';
import { DueConnectors } from '../src/sync/due-connectors.ts';
import { nodesOf, openPool, rowsOf, type PlanNode, type PlanRow } from './support/plan.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { addConnector } from './support/sample-rows.ts';
import { LONG_MS, startRun, takeLease } from './support/sample-syncs.ts';
import { TEST_DATABASES } from './support/test-databases.ts';

for (const database of TEST_DATABASES) {
  describe(`the queue on ${database.name}`, { skip: database.skip }, () => {
    let store: TestStore;
    before(async () => {
      store = await openTestStore(database);
    });
    beforeEach(() => store.query('delete from patchbay.sync_queue'));
    after(() => store.close());

    const dueIds = async () => idsOf(await store.syncs.dueConnectors(10));
    const demand = (id: string) =>
      store.syncs.requestRun(id, { id: randomUUID(), cause: 'demand' });

    test('has what was asked for while somebody was at work, once that one is done', async () => {
      const lease = await takeLease(store);
      const run = await startRun(store, lease);
      const waiting = await demand(lease.connectorId);
      await store.syncs.finishRun(lease, {
        runId: run.id,
        state: 'succeeded',
        nextInMs: LONG_MS,
      });
      await store.syncs.releaseLease(lease);
      assert.deepEqual(await dueIds(), [lease.connectorId]);
      const next = await takeLease(store, { connectorId: lease.connectorId });
      assert.equal((await store.syncs.startRun(next))?.id, waiting);
    });

    test('loses nothing that is asked for while somebody finds that there is nothing', async () => {
      for (let round = 0; round < 20; round += 1) {
        const lease = await takeLease(store);
        const { id } = await startRun(store, lease);
        await store.syncs.finishRun(lease, { runId: id, state: 'succeeded', nextInMs: LONG_MS });
        await Promise.all([store.syncs.releaseLease(lease), demand(lease.connectorId)]);
        assert.ok((await dueIds()).includes(lease.connectorId));
        await store.query('delete from patchbay.sync_queue');
      }
    });

    test('shows a connector to nobody while its lease is kept, and to others when it runs out', async () => {
      const lease = await takeLease(store);
      await startRun(store, lease);
      await store.syncs.renewLease(lease, LONG_MS);
      assert.deepEqual(await dueIds(), []);
      await store.syncs.renewLease(lease, 0);
      assert.deepEqual(await dueIds(), [lease.connectorId]);
    });

    test('shows to nobody what was asked for of a connector that somebody is at', async () => {
      const lease = await takeLease(store);
      await demand(lease.connectorId);
      assert.deepEqual(await dueIds(), []);
      assert.equal(await store.syncs.isDue(lease.connectorId), false);
      await store.syncs.releaseLease(lease);
      assert.deepEqual(await dueIds(), [lease.connectorId]);
      assert.equal(await store.syncs.isDue(lease.connectorId), true);
    });

    test('leaves a connector to its holder whom it does not know of', async () => {
      const lease = await takeLease(store);
      // As if the holder had not come to that yet.
      await store.query('update patchbay.sync_queue set look_at = now(), is_taken = false');
      const other = { connectorId: lease.connectorId, owner: 'another', ttlMs: LONG_MS };
      assert.equal(await store.syncs.takeLease(other), undefined);
      assert.deepEqual(await dueIds(), []);
    });

    test('looks at a connector when its lease ends, which was paused and resumed meanwhile', async () => {
      const lease = await takeLease(store);
      const { connectorId } = lease;
      await store.connectors.update(connectorId, { isPaused: true });
      const other = { connectorId, owner: 'another', ttlMs: LONG_MS };
      assert.equal(await store.syncs.takeLease(other), undefined);
      await store.connectors.update(connectorId, { isPaused: false });
      const [queued] = await store.query(
        `select look_at = lease_expires_at as "isAtTheEnd"
         from patchbay.sync_queue join patchbay.connector_syncs using (connector_id)`,
      );
      assert.deepEqual(queued, { isAtTheEnd: true });
    });

    test('is not put back to where it was by whoever read it before the holder was done', async () => {
      const lease = await takeLease(store);
      await store.connectors.update(lease.connectorId, { isPaused: true });
      await settleWith(lease.connectorId, () => store.syncs.releaseLease(lease));
      await store.connectors.update(lease.connectorId, { isPaused: false });
      assert.deepEqual(await dueIds(), [lease.connectorId]);
    });

    test('is not taken from a holder by whoever read it before', async () => {
      const { id: connectorId } = await addConnector(store);
      await settleWith(connectorId, async () => {
        await takeLease(store, { connectorId });
      });
      assert.deepEqual(await dueIds(), []);
    });

    test('takes in a connector that was made without it, once anything is asked of that', async () => {
      const { id, kind } = await addConnector(store);
      const forget = () => store.query('delete from patchbay.sync_queue');
      await forget();
      await demand(id);
      assert.deepEqual(await dueIds(), [id]);
      await forget();
      await store.connectors.update(id, { isPaused: true });
      await store.connectors.update(id, { isPaused: false });
      assert.deepEqual(await dueIds(), [id]);
      await forget();
      await store.connectors.delete(id, randomUUID());
      assert.deepEqual(await store.syncs.uncleared(10), [{ connectorId: id, kind }]);
    });

    test('leaves out those that it is told', async () => {
      const { id } = await addConnector(store);
      const { id: other } = await addConnector(store);
      assert.deepEqual(await store.syncs.dueConnectors(10, [id]).then(idsOf), [other]);
      assert.deepEqual(await store.syncs.dueConnectors(10, [id, other]), []);
    });

    test('gives each connector to clear to one, for a time', async () => {
      const { id, kind } = await addConnector(store);
      await store.connectors.delete(id, randomUUID());
      const connector = { connectorId: id, kind };
      const taken = await Promise.all(
        Array.from({ length: 5 }, () => store.syncs.takeUncleared(LONG_MS)),
      );
      assert.deepEqual(
        taken.filter((each) => each !== undefined),
        [connector],
      );
      assert.deepEqual(await store.syncs.uncleared(10), [connector]);
      await store.syncs.keepUncleared(id, 0);
      assert.deepEqual(await store.syncs.takeUncleared(LONG_MS), connector);
      assert.equal(await store.syncs.clearSome(connector, 10), false);
      assert.deepEqual(await store.syncs.uncleared(10), []);
      assert.deepEqual(await store.query('select from patchbay.sync_queue'), []);
    });

    test('has a connector synced again whose former account is cleared', async () => {
      const { id, kind } = await addConnector(store);
      await store.connectors.update(id, { replacesAccount: true });
      assert.deepEqual(await dueIds(), []);
      assert.deepEqual(await store.syncs.takeUncleared(LONG_MS), { connectorId: id, kind });
      assert.equal(await store.syncs.clearSome({ connectorId: id, kind }, 10), false);
      assert.deepEqual(await dueIds(), [id]);
    });

    test('gives what somebody waits for before what is deleted, and to one process alone', async () => {
      const deleted = [await addConnector(store), await addConnector(store)];
      for (const { id } of deleted) {
        await store.syncs.requestRun(id, { id: randomUUID(), cause: 'demand' });
        await store.connectors.delete(id, randomUUID());
      }
      const replaced = await addConnector(store);
      await store.connectors.update(replaced.id, { replacesAccount: true });
      const request = () =>
        store.syncs.requestRun(replaced.id, { id: randomUUID(), cause: 'credentials' });
      await request();
      const taken = async () => (await store.syncs.takeUncleared(LONG_MS))?.connectorId;
      assert.equal(await taken(), replaced.id);
      // Whoever asks for it again meanwhile hands it to nobody else.
      await request();
      const others = [await taken(), await taken()];
      assert.deepEqual(new Set(others), new Set(deleted.map(({ id }) => id)));
      assert.equal(await taken(), undefined);
      const { id: connectorId, kind } = replaced;
      assert.equal(await store.syncs.clearSome({ connectorId, kind }, 10), false);
      assert.deepEqual(await dueIds(), [connectorId]);
    });

    test('comes to every application in turn, and reads only so many rows for that', async () => {
      await addMany({ count: 40_000, applications: 250 });
      const statements: CompiledQuery[] = [];
      await using pool = openPool(store.connection);
      const dialect = new PostgresDialect({ pool });
      const log = ({ query }: LogEvent) => {
        statements.push(query);
      };
      const kysely = new Kysely<Tables>({ dialect, log });
      const due = new DueConnectors(kysely);
      const seen = new Set<string>();
      const found: string[] = [];
      for (let look = 0; look < 3; look += 1)
        for (const { applicationId, connectorId } of await due.list(100, found)) {
          seen.add(applicationId);
          found.push(connectorId);
        }
      assert.equal(seen.size, 250);
      const selects = statements.filter(({ sql }) => sql.includes('sync_queue'));
      assert.ok(selects.length >= 12);
      for (const statement of selects) {
        const nodes = await explain(pool, statement);
        const scans = nodes.filter((node) => node['Relation Name'] === 'sync_queue');
        assert.ok(scans.length > 0);
        const read = scans.reduce((sum, node) => sum + rowsOf(node), 0);
        assert.ok(read < 3_000, `${read} rows for ${statement.sql}`);
      }
    });

    test('has as many as asked for where one application has all that is due', async () => {
      await addMany({ count: 4_000, applications: 250 });
      await store.query(
        `update patchbay.sync_queue set look_at = now() + interval '1 hour'
        where application_id <> $1`,
        [CROWD],
      );
      for (let look = 0; look < 3; look += 1)
        assert.equal((await store.syncs.dueConnectors(100)).length, 100);
      await store.query(`update patchbay.sync_queue set look_at = now() where connector_id in (
        select connector_id from patchbay.sync_queue where application_id <> '${CROWD}' limit 1
      )`);
      const due = await store.syncs.dueConnectors(100);
      assert.equal(new Set(due.map(({ connectorId }) => connectorId)).size, 100);
    });

    /** Settles a connector; something happens once its tables have been read, and before the queue is written. */
    async function settleWith(connectorId: string, happen: () => Promise<void>): Promise<void> {
      await using pool = openPool(store.connection);
      let hasHappened = false;
      const meanwhile: KyselyPlugin = {
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => {
          const isDuty = result.rows.some((row) => 'lookAt' in row);
          if (isDuty && !hasHappened) {
            hasHappened = true;
            await happen();
          }
          return result;
        },
      };
      await settle(databaseOn(pool).withPlugin(meanwhile), connectorId);
      assert.ok(hasHappened);
    }

    /** Half of them due, of as many applications; the first has half of all. */
    async function addMany(many: { readonly count: number; readonly applications: number }) {
      await store.query(
        `insert into patchbay.sync_queue (connector_id, application_id, kind, look_at, is_urgent)
         select gen_random_uuid(),
           ('00000000-0000-4000-8000-'
             || lpad((case when n % 2 = 0 then 0 else n / 2 % $2 end)::text, 12, '0'))::uuid,
           'chat-workspace', now() + (n - $1 / 2) * interval '1 second', n % 3 = 0
         from generate_series(1, $1) as n`,
        [many.count, many.applications],
      );
    }
  });
}

/** The first application of `addMany`. */
const CROWD = '00000000-0000-4000-8000-000000000000';

function idsOf(due: readonly DueConnector[]): readonly string[] {
  return due.map(({ connectorId }) => connectorId);
}

/** All nodes of the statement's plan, as it was run with the hints of the service. */
async function explain(
  pool: Pool,
  { sql, parameters }: CompiledQuery,
): Promise<readonly PlanNode[]> {
  await pool.query(
    'begin; set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off',
  );
  const { rows } = await pool.query<PlanRow>(`explain (analyze, format json) ${sql}`, [
    ...parameters,
  ]);
  await pool.query('commit');
  return nodesOf(rows);
}
