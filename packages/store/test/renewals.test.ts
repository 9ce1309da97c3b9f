import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { ConnectorRow } from '../src/contract/store.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { addConnector } from './support/sample-rows.ts';
import { takeLease } from './support/sample-syncs.ts';
import { TEST_DATABASES } from './support/test-databases.ts';

const LEASE_MS = 60_000;
const PAST = new Date(0);
/** What rows show of what was issued. */
const SHOWN = {
  sealedCredentials: 'renewed..iv.text.tag',
  renewAt: new Date('2030-01-01T00:00:00.000Z'),
  tokenEndsAt: new Date('2030-01-01T00:05:00.000Z'),
};
const RENEWED = { ...SHOWN, tokenDigest: null };

/** Credentials that take the place of those that are renewed. */
const OTHERS = {
  authMethod: 'api_token',
  sealedCredentials: 'other..iv.text.tag',
  credentialsDigest: 'other',
};

/** A renewal of the credentials that a row has, by somebody new. */
function renewalOf({ id, credentialsEpoch, sealedCredentials }: ConnectorRow) {
  return { connectorId: id, credentialsEpoch, sealedCredentials, owner: randomUUID() };
}

for (const database of TEST_DATABASES) {
  describe(`renewals on ${database.name}`, { skip: database.skip }, () => {
    let store: TestStore;
    before(async () => {
      store = await openTestStore(database);
    });
    after(() => store.close());

    const due = (changes = {}) =>
      addConnector(store, { renewAt: PAST, tokenEndsAt: PAST, ...changes });
    const begin = (row: ConnectorRow, leaseMs = LEASE_MS) =>
      store.renewals.begin(renewalOf(row), leaseMs);
    const granted = { turn: 'granted', unanswered: 0, failures: 0 };

    test('of many that begin at once, one has the turn', async () => {
      const row = await due();
      const turns = await Promise.all(Array.from({ length: 20 }, () => begin(row)));
      assert.deepEqual(turns.map(({ turn }) => turn).toSorted(), [
        ...Array<string>(19).fill('busy'),
        'granted',
      ]);
    });

    test('one that is over leaves nobody a turn for the credentials before', async () => {
      const row = await due();
      const renewal = renewalOf(row);
      assert.deepEqual(await store.renewals.begin(renewal, LEASE_MS), granted);
      const waiting = Array.from({ length: 10 }, () => begin(row));
      assert.equal(await store.renewals.finish(renewal, RENEWED), true);
      for (const { turn } of await Promise.all(waiting)) assert.notEqual(turn, 'granted');
      assert.deepEqual(await begin(row), { turn: 'over' });
      const now = await store.connectors.find(row.id);
      assert.partialDeepStrictEqual(now, SHOWN);
      assert.equal(now?.credentialsEpoch, row.credentialsEpoch);
      assert.equal(now.revision, row.revision + 1);
      assert.ok(now.renewedAt instanceof Date);
      assert.deepEqual(await begin(now), granted, 'what was noted was of the old ones');
    });

    test('a turn whose owner is gone goes to another, who learns that an answer is missing', async () => {
      const row = await due();
      await begin(row, 1);
      await setTimeout(20);
      assert.deepEqual(await begin(row, 1), { ...granted, unanswered: 1 });
      await setTimeout(20);
      assert.deepEqual(await begin(row), { ...granted, unanswered: 2 });
      assert.deepEqual(await begin(row), { turn: 'busy' });
    });

    test('what failed for certain is not missing; the next turn is after the pause', async () => {
      const row = await due();
      const renewal = renewalOf(row);
      await store.renewals.begin(renewal, LEASE_MS);
      await store.renewals.fail(renewal, { pauseMs: 60_000, isCertain: true });
      assert.deepEqual(await begin(row), { turn: 'busy' });
      await store.renewals.fail(renewal, { pauseMs: 0, isCertain: false });
      assert.deepEqual(await begin(row), { ...granted, failures: 2 });
    });

    test('what was issued is stored whoever has the turn, unless other credentials were given', async () => {
      const row = await due();
      const late = renewalOf(row);
      await store.renewals.begin(late, 1);
      await setTimeout(20);
      const other = renewalOf(row);
      await store.renewals.begin(other, LEASE_MS);
      assert.equal(await store.renewals.refuse(other, 'The grant is gone.'), true);
      const refused = await store.connectors.find(row.id);
      assert.partialDeepStrictEqual(refused, {
        state: 'reauth_required',
        stateReason: 'The grant is gone.',
        renewAt: null,
      });
      assert.equal(await store.renewals.finish(late, RENEWED), true);
      const rescued = await store.connectors.find(row.id);
      assert.partialDeepStrictEqual(rescued, { ...SHOWN, state: 'active', stateReason: null });
      await store.connectors.update(row.id, { credentials: OTHERS });
      assert.equal(await store.renewals.finish(renewalOf(rescued ?? row), RENEWED), false);
      assert.equal(await store.renewals.refuse(renewalOf(rescued ?? row), 'No.'), false);
      assert.partialDeepStrictEqual(await store.connectors.find(row.id), {
        sealedCredentials: OTHERS.sealedCredentials,
        renewAt: null,
        renewedAt: null,
      });
    });

    test('what was issued for credentials that another account replaces is to be revoked like them', async () => {
      const row = await due({
        isRevocable: true,
        account: { id: 'T1', name: null, principal: 'U1' },
      });
      const renewal = renewalOf(row);
      await store.renewals.begin(renewal, LEASE_MS);
      await store.connectors.update(row.id, { credentials: OTHERS, revokesReplaced: true });
      assert.equal(await store.renewals.finish(renewal, RENEWED), false);
      const revoked = await store.revocations.take('test', { limit: 10, leaseMs: LEASE_MS });
      assert.deepEqual(
        revoked.map((each) => [each.connectorId, each.sealedCredentials, each.account?.id]),
        [row.sealedCredentials, RENEWED.sealedCredentials].map((each) => [row.id, each, 'T1']),
      );
    });

    test('what another account replaces is not revoked before it is known what was issued for it', async () => {
      const row = await due({ isRevocable: true });
      const renewal = renewalOf(row);
      await store.renewals.begin(renewal, LEASE_MS);
      await store.connectors.update(row.id, { credentials: OTHERS, revokesReplaced: true });
      const revokeAll = async () => {
        const revoked = await store.revocations.take('test', { limit: 10, leaseMs: LEASE_MS });
        const own = revoked.filter(({ connectorId }) => connectorId === row.id);
        for (const each of own) await store.revocations.end(each);
        return own.map(({ sealedCredentials }) => sealedCredentials);
      };
      const early = await revokeAll();
      assert.equal(await store.renewals.finish(renewal, RENEWED), false);
      assert.deepEqual(
        [...early, ...(await revokeAll())].toSorted(),
        [row.sealedCredentials, RENEWED.sealedCredentials].toSorted(),
      );
    });

    test('what another account replaces is revoked though what was to renew it is never told of', async () => {
      const row = await due({ isRevocable: true });
      await begin(row, 50);
      await store.connectors.update(row.id, { credentials: OTHERS, revokesReplaced: true });
      await setTimeout(70);
      const revoked = await store.revocations.take('test', { limit: 10, leaseMs: LEASE_MS });
      assert.ok(revoked.some(({ connectorId }) => connectorId === row.id));
    });

    test('what was issued for replaced credentials is revoked as those, whatever the deleted connector had by then', async () => {
      const row = await due({ isRevocable: true });
      const renewal = renewalOf(row);
      await store.renewals.begin(renewal, LEASE_MS);
      const credentials = { ...OTHERS, authMethod: 'another_method', isRevocable: true };
      await store.connectors.update(row.id, { credentials, revokesReplaced: true });
      await store.connectors.delete(row.id, randomUUID());
      assert.equal(await store.renewals.finish(renewal, RENEWED), false);
      const revoked = await store.revocations.take('test', { limit: 10, leaseMs: LEASE_MS });
      const issued = revoked.filter(
        (each) =>
          each.connectorId === row.id && each.sealedCredentials === RENEWED.sealedCredentials,
      );
      assert.deepEqual(
        issued.map(({ authMethod }) => authMethod),
        [row.authMethod],
      );
    });

    test('keeps others from changing what it renews, if they want that, until it is over', async () => {
      const row = await due();
      const change = () => store.connectors.update(row.id, { name: 'x' }, { ifNotRenewed: true });
      assert.equal(await store.renewals.isUnderWay(row.id), false);
      const first = renewalOf(row);
      const [{ turn }, changed] = await Promise.all([
        store.renewals.begin(first, LEASE_MS),
        change(),
      ]);
      assert.equal(turn, 'granted');
      // Whichever came first.
      assert.ok(changed === undefined || changed.name === 'x');
      assert.equal(await store.renewals.isUnderWay(row.id), true);
      assert.equal(await change(), undefined);
      await store.renewals.fail(first, { pauseMs: LEASE_MS, isCertain: true });
      assert.equal(await store.renewals.isUnderWay(row.id), false);
      assert.ok((await change()) !== undefined);
      assert.equal((await begin(row)).turn, 'busy', 'it has to wait still');
    });

    test('has a connector synced again that waited for credentials', async () => {
      const row = await due();
      const renewal = renewalOf(row);
      await store.renewals.begin(renewal, LEASE_MS);
      await store.connectors.update(row.id, { state: 'reauth_required' });
      const lease = await takeLease(store, { connectorId: row.id });
      await store.syncs.releaseLease(lease);
      assert.equal(await store.syncs.isDue(row.id), false);
      assert.equal(await store.renewals.finish(renewal, RENEWED), true);
      assert.equal(await store.syncs.isDue(row.id), true);
    });

    test('due are those whose time has come and that nobody is at', async () => {
      const [now, later, busy, paused, refused, deleted] = [
        await due(),
        await due({ renewAt: RENEWED.renewAt }),
        await due(),
        await due(),
        await due(),
        await due(),
      ];
      const unknown = await addConnector(store);
      await begin(busy);
      const failing = renewalOf(paused);
      await store.renewals.begin(failing, LEASE_MS);
      await store.renewals.fail(failing, { pauseMs: LEASE_MS, isCertain: true });
      await store.renewals.refuse(renewalOf(refused), 'No.');
      await store.connectors.delete(deleted.id, randomUUID());
      const ids = (await store.renewals.due(1_000)).map(({ id }) => id);
      const isDue = (row: ConnectorRow) => ids.includes(row.id);
      assert.ok(isDue(now));
      assert.deepEqual(await store.renewals.due(1_000, [now.kind]), []);
      for (const row of [later, busy, paused, refused, deleted, unknown]) assert.ok(!isDue(row));
      assert.deepEqual(await begin(deleted), { turn: 'over' });
    });

    test('due are those that have not failed before those that have, of one application', async () => {
      const first = await due();
      const { applicationId } = first;
      const healthy = await due({ applicationId, renewAt: new Date(3) });
      const failing = await due({ applicationId, renewAt: new Date(1) });
      const renewal = renewalOf(failing);
      await store.renewals.begin(renewal, 60_000);
      await store.renewals.fail(renewal, { pauseMs: 0, isCertain: true });
      const found = (await store.renewals.due(1_000)).map(({ id }) => id);
      const placeOf = ({ id }: ConnectorRow) => found.indexOf(id);
      assert.ok(placeOf(healthy) >= 0 && placeOf(first) >= 0);
      assert.ok(placeOf(failing) > Math.max(placeOf(healthy), placeOf(first)), found.join());
    });

    test('due are those of all applications in turns, however much one has and however long', async () => {
      const first = await due();
      const { applicationId } = first;
      const own = [first, ...(await Promise.all([1, 2, 3].map(() => due({ applicationId }))))];
      const others = [await due({ renewAt: new Date(1) }), await due({ renewAt: new Date(2) })];
      const known = [...own, ...others].map(({ id }) => id);
      const found = (await store.renewals.due(1_000)).map(({ id }) => id);
      const ids = found.filter((id) => known.includes(id));
      assert.equal(ids.length, known.length);
      const [next, ...further] = ids.slice(0, 3);
      assert.ok(own.some(({ id }) => id === next));
      assert.deepEqual(
        further,
        others.map(({ id }) => id),
      );
    });
  });
}
