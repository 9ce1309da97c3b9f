import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { after, beforeEach, describe, test } from 'node:test';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
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

    test('say how long the copy is behind that is most, of those that are to be copied', async () => {
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
      await age(1, {});
      await age(2, { state: 'degraded' });
      await age(3, { isPaused: true });
      await age(4, { isDisabled: true });
      await age(5, { state: 'reauth_required' });
      const { lags } = await store.figures();
      assert.equal(lags.length, 1);
      assert.equal(lags[0]?.kind, 'chat-workspace');
      assert.equal(Math.round(lags[0].seconds / 60), 120);
      await store.applications.revoke(application.id);
      assert.deepEqual((await store.figures()).lags, []);
    });

    test('say what waits, and for how long', async () => {
      const { id } = await addConnector(store);
      await store.query(
        `update patchbay.connectors set renew_at = now() - interval '1 second' where id = $1`,
        [id],
      );
      await store.syncs.requestRun(id, { id: randomUUID(), cause: 'demand' });
      await store.query(
        `update patchbay.sync_runs set requested_at = requested_at - interval '90 seconds'`,
      );
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
