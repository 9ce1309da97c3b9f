import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { ConnectorRow } from '../src/contract/store.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { addApplication, addConnector } from './support/sample-rows.ts';
import { TEST_DATABASES } from './support/test-databases.ts';

const LEASE = { limit: 100, leaseMs: 60_000 };
const ACCOUNT = { id: 'T1', name: 'Acme', principal: 'U1' };
const OTHERS = {
  authMethod: 'oauth',
  sealedCredentials: 'others..iv.text.tag',
  credentialsDigest: 'others',
};

for (const database of TEST_DATABASES) {
  describe(`revocations on ${database.name}`, { skip: database.skip }, () => {
    let store: TestStore;
    before(async () => {
      store = await openTestStore(database);
    });
    after(() => store.close());
    beforeEach(() => store.revocations.expire(-60_000, 100));

    const add = (changes = {}) => addConnector(store, { isRevocable: true, ...changes });
    const remove = (row: ConnectorRow, leavesCredentials = false) =>
      store.connectors.delete(row.id, randomUUID(), { leavesCredentials });
    const take = (
      owner: string = randomUUID(),
      options: Parameters<TestStore['revocations']['take']>[1] = LEASE,
    ) => store.revocations.take(owner, options);

    test('a connector that is deleted leaves what is to be revoked, and nothing else', async () => {
      const row = await add({ account: ACCOUNT, config: { subdomain: 'acme' } });
      await remove(row);
      await remove(await add({ isRevocable: false }));
      await remove(await add(), true);
      assert.deepEqual(await remove(row), undefined, 'it is gone, and revoked once');
      const [left, ...others] = await take('me');
      assert.deepEqual(others, []);
      assert.ok(left?.createdAt instanceof Date);
      assert.partialDeepStrictEqual(left, {
        connectorId: row.id,
        kind: row.kind,
        config: { subdomain: 'acme' },
        authMethod: row.authMethod,
        sealedCredentials: row.sealedCredentials,
        account: ACCOUNT,
        failures: 0,
        owner: 'me',
      });
    });

    test('of many that take at once, one gets it, until the lease ends', async () => {
      await remove(await add());
      const taken = await Promise.all(Array.from({ length: 20 }, () => take()));
      assert.equal(taken.flat().length, 1);
      assert.deepEqual(await take(), []);
      const [first] = taken.flat();
      assert.ok(first !== undefined);
      await store.revocations.fail(first, 0);
      const [second] = await take(randomUUID(), { ...LEASE, leaseMs: 1 });
      assert.equal(second?.failures, 1);
      await setTimeout(20);
      const [third] = await take();
      assert.equal(third?.id, first.id);
      await store.revocations.end(second);
      await store.revocations.fail(second, 0);
      assert.equal(await store.revocations.keep(second, 'late'), false);
      assert.deepEqual(await take(), [], 'whoever was too late changes nothing');
      assert.equal(await store.revocations.keep(third, 'renewed'), true);
      await store.revocations.fail(third, 0);
      const [fourth] = await take();
      assert.equal(fourth?.sealedCredentials, 'renewed');
      await store.revocations.end(fourth);
      assert.equal(await store.revocations.expire(-60_000, 100), 0, 'nothing is left of it');
    });

    test('of many applications each has its turn, however much one of them has', async () => {
      const [flooding, other] = [await addApplication(store), await addApplication(store)];
      const owners = [...Array.from({ length: 10 }, () => flooding.id), other.id, other.id];
      for (const applicationId of owners) await remove(await add({ applicationId }));
      const ofEach = (all: Awaited<ReturnType<typeof take>>) =>
        [flooding, other].map(
          ({ id }) => all.filter(({ applicationId }) => applicationId === id).length,
        );
      assert.deepEqual(ofEach(await take('a', { ...LEASE, limit: 3 })), [2, 1]);
      const bounds = { ...LEASE, limit: 5, ofApplication: 2 };
      assert.deepEqual(ofEach(await take('b', { ...bounds, but: [other.id] })), [2, 0]);
      assert.deepEqual(ofEach(await take('c', bounds)), [2, 1]);
      assert.deepEqual(ofEach(await take('d')), [4, 0]);
    });

    test('what failed is due after its pause; what waited for too long is erased', async () => {
      await remove(await add());
      const [revocation] = await take();
      assert.ok(revocation !== undefined);
      await store.revocations.fail(revocation, 60_000);
      assert.deepEqual(await take(), []);
      assert.equal(await store.revocations.expire(60_000, 100), 0);
      await setTimeout(20);
      assert.equal(await store.revocations.expire(1, 100), 1);
    });

    test('what a renewal brings for a connector that is gone is revoked, too, unless it was left', async () => {
      const renewed = {
        sealedCredentials: 'late',
        renewAt: null,
        tokenEndsAt: null,
        tokenDigest: null,
      };
      for (const [changes, leaves, wanted] of [
        [{}, false, ['late', 'sealed']],
        [{}, true, []],
        [{ isRevocable: false }, false, []],
      ] as const) {
        const row = await add(changes);
        const { id, credentialsEpoch, sealedCredentials } = row;
        const renewal = { connectorId: id, credentialsEpoch, sealedCredentials, owner: 'me' };
        assert.equal((await store.renewals.begin(renewal, 60_000)).turn, 'granted');
        await remove(row, leaves);
        assert.equal(await store.renewals.finish(renewal, renewed), false);
        const kept = (await take())
          .map((each) => (each.sealedCredentials === 'late' ? 'late' : 'sealed'))
          .toSorted();
        assert.deepEqual(kept, wanted);
      }
    });

    test('credentials that others replace are revoked where that is said, if the change happens', async () => {
      const row = await add({ account: ACCOUNT });
      const { revision: ifRevision } = row;
      const change = { credentials: { ...OTHERS, isRevocable: true }, account: null };
      const replaced = { ...change, revokesReplaced: true } as const;
      assert.equal(
        await store.connectors.update(row.id, replaced, { ifRevision: ifRevision + 1 }),
        undefined,
      );
      assert.deepEqual(await take(), []);
      await store.connectors.update(row.id, replaced, { ifRevision });
      const [replacedOnes] = await take();
      assert.partialDeepStrictEqual(replacedOnes, {
        sealedCredentials: row.sealedCredentials,
        account: ACCOUNT,
      });
      await store.connectors.update(row.id, { ...change, credentials: OTHERS });
      await store.connectors.update(row.id, replaced);
      assert.deepEqual(await take(), [], 'those were typed in');
    });

    test('a holder is whoever has credentials of the account, as long as the connector lives', async () => {
      const row = await add({ account: { ...ACCOUNT, id: 'T2' } });
      const held = (changes = {}) =>
        store.revocations.isHeld({
          kind: row.kind,
          accountId: 'T2',
          connectorId: randomUUID(),
          ...changes,
        });
      assert.equal(await held(), true);
      assert.equal(await held({ principal: 'U1' }), true);
      assert.equal(await held({ principal: 'U2' }), false);
      assert.equal(await held({ accountId: 'T3' }), false);
      assert.equal(await held({ kind: 'another' }), false);
      await remove(row);
      assert.equal(await held(), false);
    });

    test('a connector whose account nobody knows counts for what was meant for it', async () => {
      const row = await add({ account: null });
      const held = (connectorId: string) =>
        store.revocations.isHeld({ kind: row.kind, accountId: randomUUID(), connectorId });
      assert.deepEqual([await held(row.id), await held(randomUUID())], [true, false]);
      await remove(row);
      assert.equal(await held(row.id), false);
    });

    test('a token is held by whoever has it by now, as long as the connector lives', async () => {
      const row = await add({ tokenDigest: 'given' });
      const isHeld = (digest: string, kind = row.kind) =>
        store.revocations.isTokenHeld(kind, digest);
      assert.deepEqual(
        [await isHeld('given'), await isHeld('another'), await isHeld('given', 'another')],
        [true, false, false],
      );
      const renewal = { ...row, connectorId: row.id, owner: 'me' };
      await store.renewals.begin(renewal, 60_000);
      const renewed = {
        sealedCredentials: 'renewed..iv.text.tag',
        renewAt: null,
        tokenEndsAt: null,
        tokenDigest: 'renewed',
      };
      assert.equal(await store.renewals.finish(renewal, renewed), true);
      assert.deepEqual([await isHeld('given'), await isHeld('renewed')], [false, true]);
      await store.connectors.update(row.id, { credentials: { ...OTHERS, tokenDigest: 'typed' } });
      assert.deepEqual([await isHeld('renewed'), await isHeld('typed')], [false, true]);
      await remove(row);
      assert.equal(await isHeld('typed'), false);
    });

    test('a connector uses the credentials of its digest, as long as it is there', async () => {
      const row = await add({ credentialsDigest: 'a digest' });
      assert.equal(await store.revocations.isUsed(row.id, 'a digest'), true);
      assert.equal(await store.revocations.isUsed(row.id, 'another'), false);
      assert.equal(await store.revocations.isUsed(randomUUID(), 'a digest'), false);
      await remove(row);
      assert.equal(await store.revocations.isUsed(row.id, 'a digest'), false);
    });

    test('what no connector ever had is revoked like the rest', async () => {
      const { id: applicationId } = await addApplication(store);
      const added = {
        connectorId: randomUUID(),
        applicationId,
        kind: 'chat-workspace',
        config: { b: 1, a: 2 },
        authMethod: 'oauth',
        sealedCredentials: 'never used',
        account: null,
      };
      await store.revocations.add(added);
      const [taken] = await take();
      assert.partialDeepStrictEqual(taken, { ...added, failures: 0 });
    });
  });
}
