import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { addApplication, addConnector, sampleIntent } from './support/sample-rows.ts';
import { CITUS, TEST_DATABASES } from './support/test-databases.ts';

for (const database of [...TEST_DATABASES, CITUS])
  describe(`several connectors at once on ${database.name}`, { skip: database.skip }, () => {
    let store: TestStore;
    let applicationId: string;
    before(async () => {
      store = await openTestStore(database);
    });
    after(() => store.close());
    beforeEach(async () => {
      ({ id: applicationId } = await addApplication(store));
    });

    const add = (externalUserId = 'user-1') =>
      addConnector(store, { applicationId, externalUserId, isRevocable: true });
    const addSome = async (count: number) => {
      const rows = [];
      for (let number = 0; number < count; number++) rows.push(await add());
      return rows.map(({ id }) => id);
    };
    const ofUser = () => ({ applicationId, externalUserId: 'user-1' });

    test('are deleted as each by itself would be', async () => {
      const ids = await addSome(2);
      const renewed = await add();
      ids.push(renewed.id);
      const another = await add('user-2');
      for (const [connectorId = '', key = ''] of [
        [ids[0], 'a key'],
        [another.id, 'a key'],
      ])
        await store.idempotency.begin(sampleIntent({ scope: connectorId, key }));
      const { credentialsEpoch, sealedCredentials } = renewed;
      const renewal = { connectorId: renewed.id, owner: 'o', credentialsEpoch, sealedCredentials };
      assert.equal((await store.renewals.begin(renewal, 60_000)).turn, 'granted');
      const jobId = randomUUID();
      const { ids: deleted, ...rest } = await store.connectors.deleteSome(ofUser(), jobId, {
        limit: 10,
      });
      assert.deepEqual(deleted.toSorted(), ids.toSorted());
      assert.deepEqual(rest, { deleted: 3 });
      for (const id of ids) assert.equal(await store.connectors.find(id), undefined);
      assert.equal((await store.connectors.find(another.id))?.id, another.id);
      assert.deepEqual(await store.deletions.find(jobId), {
        applicationId,
        connectors: 3,
        connectorsLeft: 3,
      });
      assert.deepEqual(await store.query('select * from patchbay.credential_renewals'), []);
      const due = await store.revocations.take('owner', { limit: 100, leaseMs: 60_000 });
      const ofThese = due.filter((each) => each.applicationId === applicationId);
      assert.deepEqual(ofThese.map((each) => each.connectorId).toSorted(), ids.toSorted());
      for (const id of ids) {
        assert.equal(
          await store.syncs.takeLease({ connectorId: id, owner: 'o', ttlMs: 1_000 }),
          undefined,
        );
        while (await store.syncs.clearSome({ connectorId: id, kind: 'chat-workspace' }, 10));
      }
      assert.equal((await store.deletions.find(jobId))?.connectorsLeft, 0);
      const keys = await store.query('select connector_id from patchbay.idempotency_keys');
      assert.deepEqual(keys, [{ connector_id: another.id }]);
    });

    test('are deleted however many keys their writes have, which go in pieces afterwards', async () => {
      const [id = ''] = await addSome(1);
      await store.query(
        `insert into patchbay.idempotency_keys (connector_id, key, fingerprint, instance_id)
        select $1::uuid, 'key ' || n, 'f', 'i' from generate_series(1, 25) as n`,
        [id],
      );
      const jobId = randomUUID();
      await store.connectors.deleteSome(ofUser(), jobId, { limit: 10 });
      const keysLeft = async () => {
        const [row] = await store.query(
          'select count(*)::int as n from patchbay.idempotency_keys where connector_id = $1',
          [id],
        );
        return row?.['n'];
      };
      const connector = { connectorId: id, kind: 'chat-workspace' };
      for (const left of [15, 5, 0]) {
        assert.ok(await store.syncs.clearSome(connector, 10));
        assert.equal(await keysLeft(), left);
        assert.equal((await store.deletions.find(jobId))?.connectorsLeft, 1);
      }
      assert.equal(await store.syncs.clearSome(connector, 10), false);
      assert.equal((await store.deletions.find(jobId))?.connectorsLeft, 0);
    });

    test('leave their credentials where that is asked for', async () => {
      await addSome(2);
      const options = { limit: 10, leavesCredentials: true };
      await store.connectors.deleteSome(ofUser(), randomUUID(), options);
      const [row] = await store.query(
        `select count(*)::int as n from patchbay.revocations where application_id = $1`,
        [applicationId],
      );
      assert.deepEqual(row, { n: 0 });
    });

    test('are so many at most, the oldest first, until there are none', async () => {
      const ids = await addSome(5);
      const found: string[] = [];
      for (const most of [2, 2, 1, 0]) {
        const some = await store.connectors.deleteSome({ applicationId }, randomUUID(), {
          limit: 2,
        });
        assert.equal(some.deleted, most);
        found.push(...some.ids);
      }
      assert.deepEqual(found.toSorted(), ids.toSorted());
      for (const none of [{ applicationId: 'no-uuid' }, { applicationId, externalUserId: '\0' }])
        assert.deepEqual(await store.connectors.deleteSome(none, randomUUID(), { limit: 2 }), {
          ids: [],
          deleted: 0,
        });
    });

    test('are deleted once by calls at the same moment, each by one of them', async () => {
      await addSome(20);
      const calls = await Promise.all(
        Array.from({ length: 5 }, () =>
          store.connectors.deleteSome(ofUser(), randomUUID(), { limit: 20 }),
        ),
      );
      assert.equal(
        calls.reduce((all, { deleted }) => all + deleted, 0),
        20,
      );
    });

    test('are cleared, too, where an older process made them, which knew of no queue', async () => {
      const ids = await addSome(3);
      await store.query('delete from patchbay.sync_queue where connector_id = any($1)', [
        ids.slice(1),
      ]);
      await store.connectors.deleteSome(ofUser(), randomUUID(), { limit: 10 });
      const uncleared = await store.syncs.uncleared(1_000);
      const ofThese = uncleared.filter((each) => ids.includes(each.connectorId));
      assert.equal(ofThese.length, 3);
    });
  });
