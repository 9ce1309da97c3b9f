import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { array, asyncProperty, assert as check, constantFrom } from 'fast-check';
import { Client } from 'pg';
import { sizeOf } from '@patchbay/connectors/testing';
import { isStoreError } from '../src/index.ts';
import { SERVER_LANES } from '../src/lanes.ts';
import type { Lease } from '../src/contract/syncs.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { addConnector } from './support/sample-rows.ts';
import { END, FULL, LONG_MS, page, startRun, takeLease } from './support/sample-syncs.ts';
import { EMBEDDED, TEST_DATABASES } from './support/test-databases.ts';

for (const database of TEST_DATABASES) {
  describe(`leases on ${database.name}`, { skip: database.skip }, () => {
    let store: TestStore;
    before(async () => {
      store = await openTestStore(database);
    });
    after(() => store.close());

    test('go to one of many that want them at once', async () => {
      const { id } = await addConnector(store);
      const taken = await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          store.syncs.takeLease({ connectorId: id, owner: `worker-${index}`, ttlMs: LONG_MS }),
        ),
      );
      const leases = taken.filter((lease) => lease !== undefined);
      assert.equal(leases.length, 1);
      assert.equal(leases[0]?.epoch, 1);
    });

    test('are there for connectors that exist', async () => {
      for (const connectorId of [randomUUID(), 'nobody']) {
        const request = { connectorId, owner: 'a', ttlMs: LONG_MS };
        assert.equal(await store.syncs.takeLease(request), undefined);
      }
    });

    test('are taken again by their owner, who then has the newer one only', async () => {
      const first = await takeLease(store, { owner: 'a' });
      const { connectorId } = first;
      const second = await takeLease(store, { connectorId, owner: 'a' });
      assert.deepEqual(second, { connectorId, owner: 'a', epoch: 2, copyNumber: 1 });
      await assert.rejects(store.syncs.renewLease(first, LONG_MS), isLost);
      await store.syncs.releaseLease(first);
      assert.equal(await tryToTake(connectorId), undefined);
      await store.syncs.renewLease(second, LONG_MS);
    });

    test('are free once released, and their numbers never come again', async () => {
      const lease = await takeLease(store);
      await store.syncs.releaseLease(lease);
      await store.syncs.releaseLease(lease);
      await assert.rejects(store.syncs.renewLease(lease, LONG_MS), isLost);
      assert.equal((await tryToTake(lease.connectorId))?.epoch, 2);
    });

    test('are free once they have run out, and live again if renewed before', async () => {
      const lease = await takeLease(store, { ttlMs: 0 });
      await store.syncs.renewLease(lease, LONG_MS);
      assert.equal(await tryToTake(lease.connectorId), undefined);
      await store.syncs.renewLease(lease, 0);
      assert.equal((await tryToTake(lease.connectorId))?.epoch, 2);
    });

    test(
      'are renewed after what is written under them, and keep no connection waiting',
      {
        skip:
          database.name === EMBEDDED.name &&
          'the embedded database serves one transaction at a time; npm run test:postgres has it',
      },
      async () => {
        const held = await takeLease(store, { ttlMs: 0 });
        const lost = await takeLease(store, { ttlMs: 0 });
        const client = new Client(store.connection);
        await client.connect();
        await client.query('begin');
        await client.query(
          'select from patchbay.connector_syncs where connector_id = $1 for share',
          [held.connectorId],
        );
        await client.query(
          'update patchbay.connector_syncs set lease_epoch = lease_epoch + 1 where connector_id = $1',
          [lost.connectorId],
        );
        const settled: string[] = [];
        const renewals = Array.from({ length: 2 * SERVER_LANES.control }, (_, index) =>
          store.syncs.renewLease(index % 2 === 0 ? held : lost, LONG_MS).then(
            () => settled.push('renewed'),
            (error: unknown) => settled.push(isLost(error) ? 'lost' : String(error)),
          ),
        );
        await store.ping();
        await store.ping();
        assert.deepEqual(settled, []);
        await client.query('commit');
        await client.end();
        await Promise.all(renewals);
        const all = { renewed: SERVER_LANES.control, lost: SERVER_LANES.control };
        for (const [end, count] of Object.entries(all))
          assert.equal(settled.filter((each) => each === end).length, count, end);
        assert.equal(await tryToTake(held.connectorId), undefined);
      },
    );

    test('that were lost allow nothing any more', async () => {
      const stalled = await takeLease(store, { ttlMs: 0 });
      const run = await startRun(store, stalled);
      await store.syncs.beginRead(stalled, FULL);
      await store.syncs.commitBatch(stalled, page('first'));
      const { connectorId } = stalled;
      const lease = await takeLease(store, { connectorId });
      const read = await store.syncs.beginRead(lease, FULL);

      for (const late of lateChanges(stalled, run.id)) await assert.rejects(late(), isLost);
      await store.syncs.releaseLease(stalled);

      const [entity] = await store.syncs.entities(connectorId, ['users']);
      const { resumedAt, isResumed, drift, ...progress } = read;
      assert.ok(entity !== undefined);
      assert.deepEqual(entity.progress, progress);
      assert.equal(entity.state, 'syncing');
      assert.equal(progress.position, 'first');
      assert.equal(drift, null);
      assert.equal(isResumed, true);
      assert.ok(resumedAt >= progress.startedAt);
      assert.equal((await store.syncs.runs(connectorId)).current?.state, 'running');
      assert.equal((await store.connectors.find(connectorId))?.lastSyncedAt, null);
      await store.syncs.renewLease(lease, LONG_MS);
    });

    test('end with their connector', async () => {
      const lease = await takeLease(store);
      const run = await startRun(store, lease);
      await store.syncs.beginRead(lease, FULL);
      await store.connectors.delete(lease.connectorId, randomUUID());
      for (const late of lateChanges(lease, run.id)) await assert.rejects(late(), isLost);
      assert.equal(await tryToTake(lease.connectorId), undefined);
    });

    // Every page says how many there were before it, as its reader knows. A page that is committed
    // after another reader has begun would bring number and count apart.
    test('let only the pages of one reader count, however the readers interleave', async () => {
      const acts = array(constantFrom(...ACTS), { minLength: 5, maxLength: 25 });
      await check(
        asyncProperty(array(acts, { minLength: 2, maxLength: 4 }), async (readers) => {
          const { id } = await addConnector(store);
          const counts = await Promise.all(
            readers.map((each, index) => actAsReader(id, `reader-${index}`, each)),
          );
          const committed = counts.reduce((sum, count) => sum + count, 0);
          const [entity] = await store.syncs.entities(id, ['users']);
          assert.equal(entity?.progress?.pages ?? 0, committed);
          assert.equal(entity?.progress?.position ?? 0, committed);
        }),
        { numRuns: sizeOf('readers of one copy') },
      );
    });

    /** A lease of nobody who has had one before. */
    function tryToTake(connectorId: string): Promise<Lease | undefined> {
      return store.syncs.takeLease({ connectorId, owner: randomUUID(), ttlMs: LONG_MS });
    }

    function lateChanges(lease: Lease, runId: string): readonly (() => Promise<unknown>)[] {
      const { syncs } = store;
      const problem = { code: 'late', message: 'late' };
      return [
        () => syncs.renewLease(lease, LONG_MS),
        () => syncs.startRun(lease),
        () => syncs.finishRun(lease, { runId, state: 'succeeded', nextInMs: 0 }),
        () => syncs.finishRun(lease, { runId, state: 'failed', nextInMs: null }),
        () => syncs.beginRead(lease, FULL),
        () => syncs.beginRead(lease, { ...FULL, mode: 'increment' }),
        () => syncs.commitBatch(lease, page('late')),
        () => syncs.finishRead(lease, END),
        () => syncs.failRead(lease, { entity: 'users', problem, keepsPosition: false }),
        () => syncs.failRead(lease, { entity: 'new', problem, keepsPosition: true }),
      ];
    }

    /** Leases run out at once, so that any reader may take over at any moment. */
    async function actAsReader(
      connectorId: string,
      owner: string,
      acts: readonly Act[],
    ): Promise<number> {
      let lease: Lease | undefined;
      let position = 0;
      let committed = 0;
      for (const act of acts) {
        try {
          if (act === 'take' || lease === undefined) {
            lease = await store.syncs.takeLease({ connectorId, owner, ttlMs: 0 });
            if (lease === undefined) continue;
            position = Number((await store.syncs.beginRead(lease, FULL)).position);
          } else if (act === 'renew') {
            await store.syncs.renewLease(lease, 0);
          } else if (act === 'release') {
            await store.syncs.releaseLease(lease);
            lease = undefined;
          } else {
            await store.syncs.commitBatch(lease, page(position + 1));
            position += 1;
            committed += 1;
          }
        } catch (error) {
          if (!isLost(error)) throw error;
          lease = undefined;
        }
      }
      return committed;
    }
  });
}

type Act = (typeof ACTS)[number];

const ACTS = ['take', 'commit', 'commit', 'commit', 'renew', 'release'] as const;

function isLost(error: unknown): boolean {
  return isStoreError(error, 'lease_lost');
}
