import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { EntitySync, Lease } from '../src/contract/syncs.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { addConnector } from './support/sample-rows.ts';
import { END, FULL, INCREMENT, LONG_MS, page, takeLease } from './support/sample-syncs.ts';
import { TEST_DATABASES } from './support/test-databases.ts';

const PROBLEM = { code: 'upstream_failed', message: 'The upstream answered 500.' } as const;

for (const database of TEST_DATABASES) {
  describe(`reads on ${database.name}`, { skip: database.skip }, () => {
    let store: TestStore;
    before(async () => {
      store = await openTestStore(database);
    });
    after(() => store.close());

    test('leave entities that nobody has begun as never read, in the order asked for', async () => {
      const { id } = await addConnector(store);
      for (const connectorId of [id, 'nobody']) {
        const entities = await store.syncs.entities(connectorId, ['users', 'channels']);
        assert.deepEqual(
          entities.map(({ entity, state, hasPage, progress }) => [
            entity,
            state,
            hasPage,
            progress,
          ]),
          [
            ['users', 'never', false, null],
            ['channels', 'never', false, null],
          ],
        );
      }
    });

    test('begin at the beginning', async () => {
      const lease = await takeLease(store);
      const { startedAt, resumedAt, ...read } = await store.syncs.beginRead(lease, FULL);
      assert.deepEqual(read, {
        mode: 'full',
        records: 0,
        pages: 0,
        position: null,
        drift: null,
        isResumed: false,
      });
      assert.ok(resumedAt >= startedAt);
      const entity = await find(lease);
      assert.equal(entity.state, 'syncing');
      assert.equal(entity.hasPage, false);
    });

    test('store each position as it was given', async () => {
      const lease = await takeLease(store);
      await store.syncs.beginRead(lease, FULL);
      const positions = [{ b: [1, null], a: '\0 \ud800' }, 'text', 7, null, undefined];
      for (const position of positions) {
        await store.syncs.commitBatch(lease, page(position));
        const { progress } = await find(lease);
        const expected: unknown = JSON.parse(JSON.stringify(position ?? null));
        assert.deepEqual(progress?.position, expected);
      }
      const { progress, ...entity } = await find(lease);
      assert.deepEqual([progress?.pages, progress?.records], [positions.length, 0]);
      assert.deepEqual(
        [entity.state, entity.hasPage, entity.isComplete, entity.asOf, entity.recordCount],
        ['syncing', true, false, null, 0],
      );
    });

    test('tell the clock of the database, which goes on with every page', async () => {
      const lease = await takeLease(store);
      let { resumedAt: at } = await store.syncs.beginRead(lease, FULL);
      for (let index = 0; index < 5; index += 1) {
        const { committedAt } = await store.syncs.commitBatch(lease, page(index));
        assert.ok(committedAt >= at);
        at = committedAt;
      }
    });

    test('that were interrupted go on where they were, under another lease', async () => {
      const lost = await takeLease(store, { ttlMs: 0 });
      const { resumedAt: first, ...begun } = await store.syncs.beginRead(lost, FULL);
      await store.syncs.commitBatch(lost, page('half way', { pages: 3 }));
      assert.equal((await find(lost)).state, 'idle', 'nobody reads it at the moment');
      const lease = await takeLease(store, { connectorId: lost.connectorId });
      await assert.rejects(store.syncs.commitBatch(lease, page('too soon')), /no read of users/);
      const { resumedAt, ...resumed } = await store.syncs.beginRead(lease, FULL);
      assert.deepEqual(resumed, { ...begun, pages: 3, position: 'half way', isResumed: true });
      assert.ok(resumedAt >= first);
    });

    const FOO = { unknownFields: ['foo', '"\u2028'], lostValues: 2, lostFields: ['age'] };
    const BAR = { unknownFields: ['bar'], lostValues: 0, lostFields: [] };

    test('keep what they found that is not copied, across leases, and show it as they go on', async () => {
      const lost = await takeLease(store, { ttlMs: 0 });
      assert.equal((await store.syncs.beginRead(lost, FULL)).drift, null);
      await store.syncs.commitBatch(lost, page(1, { drift: FOO }));
      assert.deepEqual((await find(lost)).drift, FOO);
      const lease = await takeLease(store, { connectorId: lost.connectorId });
      assert.deepEqual((await store.syncs.beginRead(lease, FULL)).drift, FOO);
      await store.syncs.commitBatch(lease, page(2));
      await store.syncs.finishRead(lease, END);
      assert.deepEqual((await find(lease)).drift, FOO);
    });

    test('without any leave what earlier ones found; a full one shows that it is over', async () => {
      const lease = await takeLease(store);
      await store.syncs.beginRead(lease, FULL);
      await store.syncs.commitBatch(lease, page(1, { drift: FOO }));
      await store.syncs.finishRead(lease, END);
      assert.deepEqual((await store.syncs.beginRead(lease, INCREMENT)).drift, FOO);
      await store.syncs.commitBatch(lease, page(1));
      await store.syncs.finishRead(lease, END);
      assert.deepEqual((await find(lease)).drift, FOO, 'a quiet increment changes nothing');
      await store.syncs.beginRead(lease, INCREMENT);
      await store.syncs.commitBatch(lease, page(1, { drift: BAR }));
      await store.syncs.finishRead(lease, END);
      assert.deepEqual((await find(lease)).drift, BAR);
      assert.equal((await store.syncs.beginRead(lease, FULL)).drift, null);
      await store.syncs.commitBatch(lease, page(1));
      assert.deepEqual((await find(lease)).drift, BAR, 'nobody knows yet');
      await store.syncs.finishRead(lease, END);
      assert.equal((await find(lease)).drift, null);
    });

    test('that fail for good leave what was known', async () => {
      const lease = await takeLease(store);
      await store.syncs.beginRead(lease, FULL);
      await store.syncs.commitBatch(lease, page(1, { drift: FOO }));
      await store.syncs.finishRead(lease, END);
      await store.syncs.beginRead(lease, FULL);
      await store.syncs.commitBatch(lease, page(1, { drift: BAR }));
      await store.syncs.failRead(lease, {
        entity: 'users',
        problem: PROBLEM,
        keepsPosition: false,
      });
      assert.deepEqual((await find(lease)).drift, FOO);
    });

    const others = [
      { ...FULL, definitionHash: 'second' },
      { ...FULL, mode: 'increment' },
    ] as const;
    for (const other of others) {
      test(`begin anew as ${other.mode} by the ${other.definitionHash} definition`, async () => {
        const lease = await takeLease(store);
        await readAll(lease, FULL);
        await store.syncs.beginRead(lease, FULL);
        await store.syncs.commitBatch(lease, page('half way'));
        const complete = await find(lease);
        const read = await store.syncs.beginRead(lease, other);
        assert.deepEqual(
          [read.mode, read.position, read.pages, read.records],
          [other.mode, null, 0, 0],
        );
        const { progress, updatedAt, ...rest } = await find(lease);
        const { progress: _former, updatedAt: _earlier, ...former } = complete;
        assert.deepEqual(rest, former, 'the copy stays what it was until the read is complete');
        assert.ok(progress?.startedAt !== undefined && progress.startedAt <= updatedAt);
      });
    }

    test('that are complete say so, from when they began', async () => {
      const lease = await takeLease(store);
      const full = await readAll(lease, FULL);
      const first = await find(lease);
      assert.deepEqual(first, {
        entity: 'users',
        state: 'idle',
        hasPage: true,
        isComplete: true,
        asOf: full.startedAt,
        lastReadAt: full.startedAt,
        lastFullAt: full.startedAt,
        isForbidden: false,
        problem: null,
        recordCount: 0,
        losses: 0,
        settledLosses: null,
        definitionHash: 'first',
        progress: null,
        drift: null,
        updatedAt: first.updatedAt,
      });
      const increment = await store.syncs.beginRead(lease, INCREMENT);
      await store.syncs.finishRead(lease, END);
      const second = await find(lease);
      const { updatedAt } = second;
      const { startedAt } = increment;
      assert.deepEqual(second, { ...first, asOf: startedAt, lastReadAt: startedAt, updatedAt });
    });

    test('make a copy searchable even where there was no page', async () => {
      const lease = await takeLease(store);
      await store.syncs.beginRead(lease, FULL);
      await store.syncs.finishRead(lease, END);
      const { hasPage, isComplete, state } = await find(lease);
      assert.deepEqual([hasPage, isComplete, state], [true, true, 'idle']);
    });

    test('that increments alone have completed leave the copy incomplete', async () => {
      const lease = await takeLease(store);
      await readAll(lease, INCREMENT);
      const { isComplete, lastFullAt, definitionHash } = await find(lease);
      assert.deepEqual([isComplete, lastFullAt, definitionHash], [false, null, null]);
    });

    test('end once', async () => {
      const lease = await takeLease(store);
      await readAll(lease, FULL);
      await assert.rejects(store.syncs.finishRead(lease, END), /no read of users/);
      await assert.rejects(store.syncs.commitBatch(lease, page('late')), /no read of users/);
    });

    test('that failed say why, and go on from their position', async () => {
      const lease = await takeLease(store);
      await readAll(lease, FULL);
      const {
        resumedAt,
        drift: _,
        isResumed: __,
        ...begun
      } = await store.syncs.beginRead(lease, FULL);
      await store.syncs.commitBatch(lease, page('half way'));
      await store.syncs.failRead(lease, {
        entity: 'users',
        problem: PROBLEM,
        keepsPosition: true,
      });
      const failed = await find(lease);
      assert.deepEqual([failed.state, failed.problem], ['failed', PROBLEM]);
      assert.deepEqual(failed.progress, { ...begun, pages: 1, position: 'half way' });
      assert.equal(failed.isComplete, true);
      await assert.rejects(store.syncs.commitBatch(lease, page('late')), /no read of users/);

      const resumed = await store.syncs.beginRead(lease, FULL);
      assert.ok(resumed.resumedAt >= resumedAt);
      assert.equal(resumed.position, 'half way');
      const again = await find(lease);
      assert.deepEqual([again.state, again.problem], ['syncing', PROBLEM]);
      await store.syncs.commitBatch(lease, page('end'));
      assert.equal((await find(lease)).problem, null);
    });

    test('that wait say what for, and go on', async () => {
      const lease = await takeLease(store);
      const trouble = { entity: 'users', problem: PROBLEM };
      await assert.rejects(store.syncs.noteTrouble(lease, trouble), /no read of users/);
      await store.syncs.beginRead(lease, FULL);
      await store.syncs.noteTrouble(lease, trouble);
      const waiting = await find(lease);
      assert.deepEqual([waiting.state, waiting.problem], ['syncing', PROBLEM]);
      await store.syncs.commitBatch(lease, page('on'));
      const { state, problem } = await find(lease);
      assert.deepEqual([state, problem], ['syncing', null]);
    });

    test('that failed may be told to begin anew', async () => {
      const lease = await takeLease(store);
      await store.syncs.beginRead(lease, FULL);
      await store.syncs.commitBatch(lease, page('half way'));
      await store.syncs.failRead(lease, {
        entity: 'users',
        problem: { ...PROBLEM, message: 'NUL \0 and half \ud800' },
        keepsPosition: false,
      });
      const failed = await find(lease);
      assert.equal(failed.problem?.message, 'NUL \ufffd and half \ufffd');
      assert.deepEqual([failed.progress, failed.hasPage], [null, true]);
      assert.equal((await store.syncs.beginRead(lease, FULL)).position, null);
    });

    test('that could not even begin say why', async () => {
      const lease = await takeLease(store);
      const failure = { entity: 'users', problem: PROBLEM, keepsPosition: true };
      await store.syncs.failRead(lease, { ...failure, isForbidden: true });
      const forbidden = await find(lease);
      assert.deepEqual(
        [forbidden.state, forbidden.isForbidden, forbidden.hasPage, forbidden.progress],
        ['failed', true, false, null],
      );
      await store.syncs.beginRead(lease, FULL);
      assert.equal((await find(lease)).isForbidden, true, 'until a page shows otherwise');
      await store.syncs.commitBatch(lease, page('one'));
      const { isForbidden, problem } = await find(lease);
      assert.deepEqual([isForbidden, problem], [false, null]);
    });

    test('of other entities and connectors are apart', async () => {
      const lease = await takeLease(store);
      const other = await takeLease(store);
      for (const each of [lease, other]) {
        for (const entity of ['users', 'channels']) {
          await store.syncs.beginRead(each, { ...FULL, entity });
        }
      }
      await store.syncs.commitBatch(lease, page('mine'));
      const positions = [];
      for (const { connectorId } of [lease, other]) {
        const entities = await store.syncs.entities(connectorId, ['users', 'channels']);
        positions.push(entities.map(({ progress }) => progress?.position));
      }
      assert.deepEqual(positions, [
        ['mine', null],
        [null, null],
      ]);
    });

    test('of several entities of a connector go on side by side', async () => {
      const lease = await takeLease(store);
      const names = ['users', 'channels', 'threads'];
      await Promise.all(
        names.map(async (entity) => {
          await store.syncs.beginRead(lease, { ...FULL, entity });
          for (let index = 1; index <= 20; index += 1) {
            await store.syncs.commitBatch(lease, page(index, { entity }));
            await store.syncs.renewLease(lease, LONG_MS);
          }
          await store.syncs.finishRead(lease, { ...END, entity });
        }),
      );
      const entities = await store.syncs.entities(lease.connectorId, names);
      assert.ok(entities.every(({ isComplete }) => isComplete));
    });

    async function readAll(lease: Lease, read: typeof FULL | typeof INCREMENT) {
      const begun = await store.syncs.beginRead(lease, read);
      await store.syncs.commitBatch(lease, page('end'));
      await store.syncs.finishRead(lease, END);
      return begun;
    }

    async function find(lease: Lease): Promise<EntitySync> {
      const [entity] = await store.syncs.entities(lease.connectorId, ['users']);
      assert.ok(entity !== undefined);
      return entity;
    }
  });
}
