import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { CopyRecord } from '../src/contract/copies.ts';
import type { Lease } from '../src/contract/syncs.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { END, FULL, INCREMENT, page, takeLease } from './support/sample-syncs.ts';
import { TEST_DATABASES } from './support/test-databases.ts';
import { until } from './support/until.ts';

const KIND = 'chat-workspace';
const EMIAL = ['profile', 'emial'];

for (const database of TEST_DATABASES) {
  describe(`observed paths on ${database.name}`, { skip: database.skip }, () => {
    let store: TestStore;
    before(async () => {
      store = await openTestStore(database);
    });
    after(() => store.close());

    test('come with the records, with types and about how many records have them', async () => {
      const lease = await takeLease(store);
      await read(lease, FULL, [
        user(1, { email: 'a@b', 'plan.tier': 1 }),
        user(2, { email: null, list: [{ a: 1 }] }),
      ]);
      assert.deepEqual(await observed(lease), {
        'profile/email': ['string null', 2],
        'profile/list': ['array', 1],
        'profile/list/[]': ['object', 1],
        'profile/list/[]/a': ['integer', 1],
        'profile/plan.tier': ['integer', 1],
      });
    });

    test('are counted anew by every full read, and those that have gone are forgotten', async () => {
      const lease = await takeLease(store);
      await read(lease, FULL, [user(1, { a: 1, b: 1 }), user(2, { a: 1 })]);
      await read(lease, INCREMENT, [user(2, { a: 'x', c: 1 }), user(3, { a: 1 })]);
      assert.deepEqual(await observed(lease), {
        'profile/a': ['string integer', 3],
        'profile/b': ['integer', 1],
        'profile/c': ['integer', 0],
      });
      await begin(lease, FULL, [user(1, { a: 1 })]);
      // While it goes on, the count is at least what it was.
      assert.deepEqual((await observed(lease))['profile/a'], ['integer', 3]);
      await store.syncs.finishRead(lease, END);
      assert.deepEqual(await observed(lease), { 'profile/a': ['integer', 1] });
    });

    test('of a page that brings nothing new are not written again', async () => {
      const lease = await takeLease(store);
      const { resumedAt: askedAt } = await store.syncs.beginRead(lease, FULL);
      const commit = (number: number) =>
        store.syncs.commitBatch(
          lease,
          page(number, { records: [user(number, { a: 1 })], askedAt }),
        );
      for (const number of [1, 2, 3]) await commit(number);
      const stored = await versions(lease);
      for (const number of [4, 5, 6]) await commit(number);
      assert.deepEqual(await versions(lease), stored);
      await store.syncs.finishRead(lease, END);
      assert.deepEqual(await observed(lease), { 'profile/a': ['integer', 6] });
    });

    test('that no record has are told once a full read is complete, not before', async () => {
      const lease = await takeLease(store);
      const copy = { connectorId: lease.connectorId, kind: KIND, entity: FULL.entity };
      const asked = [['profile', 'email'], EMIAL, ['profile', 'list', '[]', 'b'], ['id', 'x']];
      const unseen = () => store.copies.unseenPaths(copy, asked);
      assert.deepEqual(await unseen(), []);
      await begin(lease, FULL, [user(1, { email: 'a@b', list: [{ a: 1 }] })]);
      assert.deepEqual(await unseen(), []);
      await store.syncs.finishRead(lease, END);
      assert.deepEqual(await unseen(), asked.slice(1));
      const tooDeep = ['profile', ...Array.from({ length: 20 }, () => 'x')];
      assert.deepEqual(await store.copies.unseenPaths(copy, [tooDeep, ['profile']]), []);
      await read(lease, FULL, []);
      assert.deepEqual(await unseen(), [], 'the copy is empty');
    });

    test('are not told of a copy whose read began before paths were observed', async () => {
      const lease = await takeLease(store);
      const copy = { connectorId: lease.connectorId, kind: KIND, entity: FULL.entity };
      await begin(lease, FULL, [user(1, { email: 'a@b' })]);
      await store.query(
        `update patchbay.entity_syncs set observes_paths = false
         where connector_id = '${lease.connectorId}'`,
      );
      await store.syncs.finishRead(lease, END);
      assert.deepEqual(await store.copies.unseenPaths(copy, [EMIAL]), []);
      await read(lease, FULL, [user(1, { email: 'a@b' })]);
      assert.deepEqual(await store.copies.unseenPaths(copy, [EMIAL]), [EMIAL]);
    });

    test('beyond 1,000 are left out, and then none is told to be missing', async () => {
      const lease = await takeLease(store);
      const copy = { connectorId: lease.connectorId, kind: KIND, entity: FULL.entity };
      const hostile = (number: number) =>
        user(
          number,
          Object.fromEntries(Array.from({ length: 700 }, (_, key) => [`${number} ${key}`, 1])),
        );
      await read(lease, FULL, [hostile(1)]);
      assert.deepEqual(await store.copies.unseenPaths(copy, [EMIAL]), [EMIAL]);
      for (const number of [2, 3, 4]) await read(lease, INCREMENT, [hostile(number)]);
      assert.equal(Object.keys(await observed(lease)).length, 1_000);
      assert.deepEqual(await store.copies.unseenPaths(copy, [EMIAL]), []);
      // A later read finds few: then it is known again.
      await read(lease, FULL, [user(1, { email: 'a@b' })]);
      await read(lease, FULL, [user(1, { email: 'a@b' })]);
      assert.deepEqual(await observed(lease), { 'profile/email': ['string', 1] });
      assert.deepEqual(await store.copies.unseenPaths(copy, [EMIAL]), [EMIAL]);
    });

    test('of our own writes count as well', async () => {
      const lease = await takeLease(store);
      const copy = { connectorId: lease.connectorId, kind: KIND, entity: FULL.entity };
      await read(lease, FULL, [user(1, { email: 'a@b' })]);
      await store.copies.merge(copy, user(2, { emial: 'a@b' }));
      assert.deepEqual(await store.copies.unseenPaths(copy, [EMIAL]), []);
      assert.deepEqual((await observed(lease))['profile/emial'], ['string', 1]);
    });

    test('go with the connector', async () => {
      const lease = await takeLease(store);
      const { connectorId } = lease;
      await read(lease, FULL, [user(1, { email: 'a@b' })]);
      await store.connectors.delete(connectorId, crypto.randomUUID());
      await until(async () => !(await store.syncs.clearSome({ connectorId, kind: KIND }, 100)));
      assert.deepEqual(await observed(lease), {});
    });

    async function begin(
      lease: Lease,
      how: typeof FULL | typeof INCREMENT,
      records: readonly CopyRecord[],
    ): Promise<void> {
      const { resumedAt: askedAt } = await store.syncs.beginRead(lease, how);
      await store.syncs.commitBatch(lease, page('end', { records, askedAt }));
    }

    async function read(...[lease, how, records]: Parameters<typeof begin>): Promise<void> {
      // Records that were written in the millisecond in which a full read begins stay.
      const tick = Date.now();
      await until(() => Promise.resolve(Date.now() > tick + 1));
      await begin(lease, how, records);
      await store.syncs.finishRead(lease, END);
    }

    async function observed({ connectorId }: Lease): Promise<Record<string, unknown>> {
      const paths = (await store.copies.paths(connectorId)).get(FULL.entity) ?? [];
      return Object.fromEntries(
        paths.map(({ segments, types, records }) => [
          segments.join('/'),
          [types.join(' '), records],
        ]),
      );
    }

    async function versions({ connectorId }: Lease): Promise<readonly unknown[]> {
      return await store.query(
        `select path, xmin::text from patchbay.copy_paths where connector_id = '${connectorId}'`,
      );
    }
  });
}

function user(number: number, profile: unknown): CopyRecord {
  const key = `U${number}`;
  return { key, values: { id: key, profile } };
}
