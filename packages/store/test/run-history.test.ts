import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Lease } from '../src/contract/syncs.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { addConnector } from './support/sample-rows.ts';
import { END, FULL, page, startRun, takeLease, users } from './support/sample-syncs.ts';
import { TEST_DATABASES } from './support/test-databases.ts';

const PROBLEM = { code: 'upstream_timeout', message: 'Too slow.', entity: 'channels' };

for (const database of TEST_DATABASES)
  describe(`the history of runs on ${database.name}`, { skip: database.skip }, () => {
    let store: TestStore;
    before(async () => {
      store = await openTestStore(database);
    });
    after(() => store.close());

    const end = async (lease: Lease, runId: string, problem?: typeof PROBLEM) =>
      store.syncs.finishRun(lease, {
        runId,
        state: problem === undefined ? 'succeeded' : 'failed',
        nextInMs: null,
        ...(problem === undefined ? {} : { problem }),
      });

    const runOnce = async (lease: Lease) => {
      const { id } = await startRun(store, lease);
      await end(lease, id);
      return id;
    };

    const idsOf = async (connectorId: string, limit = 1_000) => {
      const runs = await store.syncs.runHistory(connectorId, { limit });
      return runs.map(({ id }) => id);
    };

    test('is told newest first, page by page', async () => {
      const lease = await takeLease(store);
      const { connectorId } = lease;
      const ended = [await runOnce(lease), await runOnce(lease), await runOnce(lease)];
      const { id: running } = await startRun(store, lease);
      // Of the same millisecond, the ids decide.
      await store.query(
        `update patchbay.sync_runs set requested_at = '2026-01-01' where id = any($1::uuid[])`,
        [ended],
      );
      const sorted = [running, ...ended.toSorted().toReversed()];
      assert.deepEqual(await idsOf(connectorId), sorted);
      const seen = [];
      let position: { readonly requestedAt: Date; readonly id: string } | undefined;
      for (;;) {
        const [run] = await store.syncs.runHistory(connectorId, {
          limit: 1,
          ...(position === undefined ? {} : { before: position }),
        });
        if (run === undefined) break;
        seen.push(run.id);
        position = run;
      }
      assert.deepEqual(seen, sorted);
      assert.deepEqual(await store.syncs.runHistory('nobody', { limit: 1 }), []);
      const nowhere = { limit: 1, before: { requestedAt: new Date(), id: 'nothing' } };
      assert.deepEqual(await store.syncs.runHistory(connectorId, nowhere), []);
    });

    test('keeps the last 100 that have ended, of each connector', async () => {
      const lease = await takeLease(store);
      const other = await takeLease(store);
      const otherId = await runOnce(other);
      const first = await runOnce(lease);
      await store.query(
        `insert into patchbay.sync_runs
          (id, connector_id, application_id, cause, state, requested_at, started_at, finished_at)
        select gen_random_uuid(), connector_id, application_id, cause, state, requested_at,
          started_at, finished_at + n * interval '1 millisecond'
        from patchbay.sync_runs cross join generate_series(1, 99) as n where id = $1`,
        [first],
      );
      assert.equal((await idsOf(lease.connectorId)).length, 100);
      // By a clock that was wrong the others are later, and the one that ends now is kept all the same.
      await store.query(
        `update patchbay.sync_runs set finished_at = to_timestamp(extract(epoch from finished_at - to_timestamp(0)) + 86400)
        where connector_id = $1 and id <> $2`,
        [lease.connectorId, first],
      );
      const last = await runOnce(lease);
      const kept = await idsOf(lease.connectorId);
      assert.ok(kept.includes(last) && !kept.includes(first));
      assert.deepEqual(await idsOf(other.connectorId), [otherId]);
      const { id: waiting } = await startRun(store, lease);
      assert.ok((await idsOf(lease.connectorId)).includes(waiting));
    });

    test('tells what a run has read, written and deleted, and why it failed', async () => {
      const lease = await takeLease(store);
      await runOnce(lease);
      const { id } = await startRun(store, lease);
      await store.syncs.beginRead(lease, FULL);
      await store.syncs.commitBatch(lease, page('one', { records: users(0, 5) }));
      await store.syncs.commitBatch(
        lease,
        page('two', { records: users(5, 7), deletedKeys: ['U0'] }),
      );
      await store.syncs.beginRead(lease, FULL);
      await store.syncs.finishRead(lease, END);
      // U0 is gone; the next full read sees all but one of those that are left.
      await store.syncs.beginRead(lease, FULL);
      await store.syncs.commitBatch(lease, page('one', { records: users(1, 6) }));
      await store.syncs.finishRead(lease, END);
      await store.syncs.failRead(lease, {
        entity: 'channels',
        problem: PROBLEM,
        keepsPosition: false,
      });
      await end(lease, id, { ...PROBLEM, message: 'NUL \0' });
      const [run, earlier] = await store.syncs.runHistory(lease.connectorId, { limit: 10 });
      assert.ok(run !== undefined && earlier !== undefined);
      assert.partialDeepStrictEqual(run, {
        id,
        state: 'failed',
        entities: ['users', 'channels'],
        recordsRead: 12,
        recordsWritten: 7,
        recordsDeleted: 2,
        problem: { ...PROBLEM, message: 'NUL \ufffd' },
      });
      assert.partialDeepStrictEqual(earlier, { entities: [], recordsRead: 0, problem: null });
    });

    test('of a read that goes on under another lease counts on', async () => {
      const lost = await takeLease(store, { ttlMs: 0 });
      await startRun(store, lost);
      const lease = await takeLease(store, { connectorId: lost.connectorId });
      const run = await store.syncs.startRun(lease);
      await store.syncs.beginRead(lease, FULL);
      await store.syncs.commitBatch(lease, page('one', { records: users(0, 3) }));
      await store.syncs.releaseLease(lease);
      const next = await takeLease(store, { connectorId: lost.connectorId });
      await store.syncs.beginRead(next, FULL);
      await store.syncs.commitBatch(next, page('two', { records: users(3, 5) }));
      const { current } = await store.syncs.runs(lost.connectorId);
      assert.deepEqual([current?.id, current?.recordsRead], [run?.id, 5]);
      assert.deepEqual(current?.entities, ['users']);
    });

    test('goes with its connector', async () => {
      const { id } = await addConnector(store);
      const lease = await takeLease(store, { connectorId: id });
      await runOnce(lease);
      await store.connectors.delete(id, crypto.randomUUID());
      while (await store.syncs.clearSome({ connectorId: id, kind: END.kind }, 100));
      assert.deepEqual(await idsOf(id), []);
    });
  });
