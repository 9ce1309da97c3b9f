import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isStoreError } from '../src/index.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { addConnector } from './support/sample-rows.ts';
import {
  countRecords,
  END,
  FULL,
  LONG_MS,
  page,
  startRun,
  takeLease,
  users,
} from './support/sample-syncs.ts';
import { TEST_DATABASES } from './support/test-databases.ts';

const ALICE = { id: 'T1', name: 'Acme', principal: 'U1' };
const BOB = { id: 'T1', name: 'Acme', principal: 'U2' };
const GIVEN = {
  authMethod: 'token',
  sealedCredentials: 'bob..sealed.text.tag',
  credentialsDigest: 'of-bob',
};
const REPLACED = { credentials: GIVEN, account: BOB, replacesAccount: true } as const;

const copyOf = (connectorId: string) => ({ connectorId, kind: END.kind, entity: END.entity });
const isLost = (error: unknown) => isStoreError(error, 'lease_lost');

/** A page of one record, which has that path. */
const profiled = (name: string) =>
  page('end', {
    records: [{ key: 'U1', values: { id: 'U1', profile: { [name]: 1, both: 1 } } }],
  });

for (const database of TEST_DATABASES) {
  describe(`an account that is replaced on ${database.name}`, { skip: database.skip }, () => {
    let store: TestStore;
    before(async () => {
      store = await openTestStore(database);
    });
    after(() => store.close());

    const copied = async () => {
      const { id } = await addConnector(store);
      await store.connectors.update(id, { account: ALICE });
      const lease = await takeLease(store, { connectorId: id });
      const run = await startRun(store, lease);
      await store.syncs.beginRead(lease, FULL);
      await store.syncs.commitBatch(lease, page('end', { records: users(0, 3, 'Adaline') }));
      return { id, lease, run };
    };
    const clear = async (connectorId: string) => {
      const connector = { connectorId, kind: END.kind };
      while (await store.syncs.clearSome(connector, 2));
    };
    const isUncleared = async (id: string) =>
      (await store.syncs.uncleared(1_000)).some(({ connectorId }) => connectorId === id);
    const wordsOf = async (id: string) => {
      const rows = await store.query(
        'select word from patchbay.copy_words where connector_id = $1',
        [id],
      );
      return rows.map((row) => row['word']);
    };

    test('is stored, and found with the connector; the epoch rises with another one', async () => {
      const { id } = await addConnector(store, { account: ALICE });
      assert.deepEqual((await store.connectors.find(id))?.account, ALICE);
      const same = await store.connectors.update(id, { credentials: GIVEN, account: ALICE });
      assert.deepEqual([same?.credentialsEpoch, same?.credentialsDigest], [1, 'of-bob']);
      const other = await store.connectors.update(id, REPLACED);
      assert.deepEqual([other?.credentialsEpoch, other?.account], [2, BOB]);
    });

    test('is not learnt from credentials that are others by then', async () => {
      const { id } = await addConnector(store);
      await store.connectors.update(id, REPLACED);
      const late = await store.connectors.update(id, { account: ALICE }, { ifEpoch: 1 });
      assert.equal(late, undefined);
      assert.deepEqual((await store.connectors.find(id))?.account, BOB);
    });

    test('takes what is known of reads, and the lease, in the same transaction', async () => {
      const { id, lease, run } = await copied();
      const updated = await store.connectors.update(id, REPLACED);
      assert.equal(updated?.lastSyncedAt, null);
      const [sync] = await store.syncs.entities(id, [END.entity]);
      assert.deepEqual([sync?.state, sync?.hasPage, sync?.recordCount], ['never', false, 0]);
      const late = page('late', { records: users(5, 6) });
      await assert.rejects(store.syncs.commitBatch(lease, late), isLost);
      await assert.rejects(store.syncs.finishRead(lease, END), isLost);
      const end = { runId: run.id, state: 'succeeded', nextInMs: null } as const;
      await assert.rejects(store.syncs.finishRun(lease, end), isLost);
      assert.equal(await countRecords(store, copyOf(id)), 3);
    });

    test('is synced once nothing is left of the old copy, and then from the beginning', async () => {
      const { id, run } = await copied();
      await store.connectors.update(id, REPLACED);
      const request = { connectorId: id, owner: 'me', ttlMs: LONG_MS };
      assert.equal(await store.syncs.takeLease(request), undefined);
      const due = await store.syncs.dueConnectors(1_000);
      assert.ok(due.every(({ connectorId }) => connectorId !== id));
      assert.ok(await isUncleared(id));
      await clear(id);
      assert.deepEqual([await countRecords(store, copyOf(id)), await wordsOf(id)], [0, []]);
      assert.equal(await isUncleared(id), false);
      const lease = await takeLease(store, { connectorId: id });
      assert.equal((await store.syncs.startRun(lease))?.id, run.id);
      assert.equal((await store.syncs.beginRead(lease, FULL)).position, null);
    });

    test('has the words of its own copy, also those that the old one had', async () => {
      const { id } = await copied();
      const words = await wordsOf(id);
      assert.ok(words.includes('adaline'));
      await store.connectors.update(id, REPLACED);
      await clear(id);
      const lease = await takeLease(store, { connectorId: id });
      await store.syncs.beginRead(lease, FULL);
      await store.syncs.commitBatch(lease, page('end', { records: users(0, 3, 'Adaline') }));
      assert.deepEqual(await wordsOf(id), words);
    });

    test('shows the paths of its own copy only, also those that the old one had', async () => {
      const pathsOf = async (connectorId: string) => {
        const found = (await store.copies.paths(connectorId)).get(END.entity) ?? [];
        return found.map(({ segments }) => segments.join('.'));
      };
      const { id } = await addConnector(store);
      const read = async (name: string) => {
        const lease = await takeLease(store, { connectorId: id, owner: 'me' });
        await store.syncs.beginRead(lease, FULL);
        await store.syncs.commitBatch(lease, profiled(name));
        await store.syncs.finishRead(lease, END);
      };
      await read('alice');
      const profile = (await pathsOf(id)).filter((path) => path.includes('.'));
      assert.deepEqual(profile, ['profile.alice', 'profile.both']);
      await store.connectors.update(id, REPLACED);
      assert.deepEqual(await pathsOf(id), []);
      await clear(id);
      await read('bob');
      const others = (await pathsOf(id)).filter((path) => path.includes('.'));
      assert.deepEqual(others, ['profile.bob', 'profile.both']);
    });

    test('gets no record of a write that the old one made', async () => {
      const { id } = await copied();
      const [record] = users(7, 8);
      assert.ok(record !== undefined);
      await store.connectors.update(id, REPLACED);
      await store.copies.merge(copyOf(id), record, { ifEpoch: 2 });
      assert.equal(await countRecords(store, copyOf(id)), 3, 'while the old copy is deleted');
      await clear(id);
      await store.copies.merge(copyOf(id), record, { ifEpoch: 1 });
      assert.equal(await countRecords(store, copyOf(id)), 0, 'of the old credentials');
      await store.copies.merge(copyOf(id), record, { ifEpoch: 2 });
      assert.equal(await countRecords(store, copyOf(id)), 1, 'of the new ones');
    });

    test('goes with its connector, whose deletion clears the rest', async () => {
      const { id } = await copied();
      await store.connectors.update(id, REPLACED);
      await store.connectors.delete(id, '00000000-0000-4000-8000-000000000000');
      await clear(id);
      assert.equal(await isUncleared(id), false);
      const rows = await store.query(
        `select account, (select count(*)::int from patchbay.connector_syncs where connector_id = c.id) as syncs
        from patchbay.connectors as c where id = $1`,
        [id],
      );
      assert.deepEqual(rows, [{ account: null, syncs: 0 }]);
    });
  });
}
