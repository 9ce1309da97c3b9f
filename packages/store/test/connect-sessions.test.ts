import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { NewConnectSession } from '../src/contract/connect-sessions.ts';
import { isStoreError, openStore } from '../src/index.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { addApplication, addConnector, sampleConnectSession } from './support/sample-rows.ts';
import { SHARED, TEST_DATABASES } from './support/test-databases.ts';

const HALF_AN_HOUR = 1_800_000;
const MOST = { perExternalUser: 100, perApplication: 100 };
const GIVEN = {
  kind: 'chat-workspace',
  name: 'Slack',
  config: {},
  authMethod: 'token',
  sealedCredentials: 'header..iv.text.tag',
  tokenDigest: 'digest',
  account: { id: 'T1', name: null, principal: 'U1' },
  isConsented: true,
};
const PROBLEM = { code: 'credentials_rejected', message: 'No.' };

for (const database of TEST_DATABASES) {
  describe(`connect sessions on ${database.name}`, { skip: database.skip }, () => {
    let store: TestStore;
    before(async () => {
      store = await openTestStore(database);
    });
    after(() => store.close());

    const newSession = async (changes: Partial<NewConnectSession> = {}) =>
      sampleConnectSession({
        applicationId: changes.applicationId ?? (await addApplication(store)).id,
        kinds: ['chat-workspace', 'support-chat'],
        config: { subdomain: 'acme' },
        returnUrl: 'https://app.example.com/back',
        branding: { name: 'Acme', logo_url: null, accent: null },
        ...changes,
      });
    const add = async (changes: Partial<NewConnectSession> = {}, livesMs = HALF_AN_HOUR) => {
      const secretHash = randomUUID();
      const session = await newSession(changes);
      const made = await store.connectSessions.create(session, { secretHash, livesMs, most: MOST });
      return { ...made, secretHash };
    };
    const find = async (id: string) => {
      const found = await store.connectSessions.find(id);
      assert.ok(found !== undefined);
      return found;
    };
    /** Takes what is to be revoked of some sessions, for good. */
    const revocationsOf = async (sessions: readonly { readonly connectorId: string }[]) => {
      const ids = sessions.map(({ connectorId }) => connectorId);
      const taken = await store.revocations.take(randomUUID(), { limit: 100, leaseMs: 60_000 });
      await Promise.all(taken.map((each) => store.revocations.end(each)));
      return taken.filter(({ connectorId }) => ids.includes(connectorId));
    };
    const expire = (id: string, agoMs = 0) =>
      store.query(
        `update patchbay.connect_sessions set expires_at = now() - $2 * interval '1 ms' where id = $1`,
        [id, agoMs],
      );

    test('one is as it was made, and absent where its id is none', async () => {
      const session = await newSession();
      const options = { secretHash: randomUUID(), livesMs: HALF_AN_HOUR, most: MOST };
      const made = await store.connectSessions.create(session, options);
      assert.partialDeepStrictEqual(made, {
        ...session,
        status: 'open',
        isExpired: false,
        browserHash: null,
        problem: null,
        given: null,
        confirmedAt: null,
      });
      assert.deepEqual(await find(session.id), made);
      assert.equal(await store.connectSessions.find(randomUUID()), undefined);
      assert.equal(await store.connectSessions.find('no-uuid'), undefined);
    });

    test('of many browsers that open it at once, one is bound, and stays so', async () => {
      const { secretHash } = await add();
      const browsers = Array.from({ length: 20 }, () => randomUUID());
      const opened = await Promise.all(
        browsers.map((browser) => store.connectSessions.bind(secretHash, browser)),
      );
      const bound = new Set(opened.map((session) => session?.browserHash));
      assert.equal(bound.size, 1);
      const later = await store.connectSessions.bind(secretHash, randomUUID());
      assert.ok(bound.has(later?.browserHash));
      assert.equal(await store.connectSessions.bind('another', randomUUID()), undefined);
    });

    test('of many things that are given at once, one is taken', async () => {
      const { id } = await add();
      const given = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          store.connectSessions.give(id, { ...GIVEN, name: `Slack ${index}` }),
        ),
      );
      const [taken, ...others] = given.filter((session) => session !== undefined);
      assert.equal(others.length, 0);
      assert.deepEqual((await find(id)).given, taken?.given);
      assert.equal(taken?.status, 'given');
      assert.equal(taken.confirmedAt, null);
    });

    test('what needs no confirmation is confirmed as it is given', async () => {
      const { id } = await add({ needsConfirmation: false });
      const given = await store.connectSessions.give(id, GIVEN);
      assert.ok(given?.confirmedAt instanceof Date);
    });

    test('a confirmation keeps the instant of the first one; without anything given there is none', async () => {
      const { id } = await add();
      assert.equal(await store.connectSessions.confirm(id), undefined);
      await store.connectSessions.give(id, GIVEN);
      const first = await store.connectSessions.confirm(id);
      assert.deepEqual(first?.given, GIVEN);
      await expire(id);
      const second = await store.connectSessions.confirm(id);
      assert.deepEqual(second?.confirmedAt, first.confirmedAt);
    });

    test('a success erases the credentials, and is final', async () => {
      const { id } = await add();
      await store.connectSessions.give(id, GIVEN);
      await store.connectSessions.confirm(id);
      const done = await store.connectSessions.succeed(id);
      assert.equal(done?.status, 'succeeded');
      assert.deepEqual(done.given, { ...GIVEN, sealedCredentials: null, tokenDigest: null });
      await store.connectSessions.reopen(id, PROBLEM);
      assert.equal(await store.connectSessions.give(id, GIVEN), undefined);
      assert.equal(await store.connectSessions.confirm(id), undefined);
      const found = await find(id);
      assert.equal(found.status, 'succeeded');
      assert.equal(found.problem, null);
    });

    test('what came to nothing waits on, or is erased where nobody has to confirm', async () => {
      const { id: waiting } = await add();
      const { id: direct } = await add({ needsConfirmation: false });
      for (const id of [waiting, direct]) {
        await store.connectSessions.give(id, GIVEN);
        await store.connectSessions.confirm(id);
        await store.connectSessions.reopen(id, { ...PROBLEM, message: 'No\0 \ud800' });
        assert.deepEqual((await find(id)).problem, { ...PROBLEM, message: 'No\ufffd \ufffd' });
        assert.equal((await find(id)).confirmedAt, null);
      }
      assert.deepEqual((await find(waiting)).given, GIVEN);
      assert.partialDeepStrictEqual(await find(direct), { status: 'open', given: null });
      assert.ok((await store.connectSessions.give(direct, GIVEN)) !== undefined);
    });

    test('a problem is noted while it is open only, and ends with what goes well', async () => {
      const { id } = await add();
      await store.connectSessions.noteProblem(id, PROBLEM);
      assert.deepEqual((await find(id)).problem, PROBLEM);
      await store.connectSessions.give(id, GIVEN);
      await store.connectSessions.noteProblem(id, PROBLEM);
      assert.equal((await find(id)).problem, null);
    });

    test('attempts are counted up to the most there may be', async () => {
      const { id } = await add();
      const counted = await Promise.all(
        Array.from({ length: 10 }, () => store.connectSessions.countAttempt(id, 3)),
      );
      assert.equal(counted.filter(Boolean).length, 3);
    });

    test('an expired one is bound to nobody, takes nothing, and is confirmed no more', async () => {
      const { id: unopened, secretHash } = await add();
      const { id: waiting } = await add();
      await store.connectSessions.give(waiting, GIVEN);
      for (const id of [unopened, waiting]) {
        await expire(id);
        assert.equal((await find(id)).isExpired, true);
      }
      const bound = await store.connectSessions.bind(secretHash, 'a browser');
      assert.equal(bound?.browserHash, null);
      assert.equal(await store.connectSessions.give(unopened, GIVEN), undefined);
      assert.equal(await store.connectSessions.confirm(waiting), undefined);
    });

    test('credentials that come to nothing are erased; those that are confirmed an hour later', async () => {
      const sessions = await Promise.all([add(), add(), add(), add()]);
      for (const { id } of sessions) await store.connectSessions.give(id, GIVEN);
      const [waiting, confirmed, forgotten, lively] = sessions;
      await store.connectSessions.confirm(confirmed.id);
      await store.connectSessions.confirm(forgotten.id);
      await expire(waiting.id);
      await expire(confirmed.id);
      await expire(forgotten.id, 3_600_001);
      await store.connectSessions.eraseExpired(100);
      const found = await Promise.all(
        [waiting, confirmed, forgotten, lively].map(({ id }) => find(id)),
      );
      assert.deepEqual(
        found.map(({ given }) => given?.sealedCredentials),
        [null, GIVEN.sealedCredentials, null, GIVEN.sealedCredentials],
      );
      assert.equal(await store.connectSessions.eraseExpired(100), 0);
    });

    test('what a person consented to and nobody confirmed is to be revoked, and nothing else', async () => {
      const present = await addConnector(store);
      // Of a cluster, on all nodes.
      const more = await Promise.all(
        Array.from({ length: 8 }, async (_, index) => [`unused-${index}`, await add()] as const),
      );
      const sessions = {
        ...Object.fromEntries(more),
        unused: await add(),
        typed: await add(),
        lively: await add(),
        made: await add({ connectorId: present.id }),
        reconnection: await add({ connectorId: present.id, isReconnection: true }),
      };
      for (const [name, { id }] of Object.entries(sessions)) {
        const given = { ...GIVEN, config: { subdomain: name }, sealedCredentials: `sealed-${id}` };
        await store.connectSessions.give(id, { ...given, isConsented: name !== 'typed' });
        if (name !== 'lively') await expire(id);
      }
      await Promise.all([
        store.connectSessions.eraseExpired(100),
        store.connectSessions.eraseExpired(100),
      ]);
      const revocations = await revocationsOf(Object.values(sessions));
      assert.deepEqual(
        new Set(revocations.map(({ config }) => config['subdomain'])),
        new Set(['reconnection', 'unused', ...more.map(([name]) => name)]),
      );
      const { id, connectorId, applicationId } = sessions.unused;
      assert.partialDeepStrictEqual(
        revocations.find((each) => each.connectorId === connectorId),
        {
          applicationId,
          kind: GIVEN.kind,
          authMethod: GIVEN.authMethod,
          account: GIVEN.account,
          sealedCredentials: `sealed-${id}`,
        },
      );
      await store.connectSessions.eraseExpired(100);
      assert.deepEqual(await revocationsOf(Object.values(sessions)), [], 'once');
    });

    test('what a person consented to and is refused is to be revoked where it does not wait on', async () => {
      const [waiting, direct] = [await add(), await add({ needsConfirmation: false })];
      for (const { id } of [waiting, direct]) {
        await store.connectSessions.give(id, { ...GIVEN, sealedCredentials: `sealed-${id}` });
        await store.connectSessions.reopen(id, PROBLEM);
        await store.connectSessions.reopen(id, PROBLEM);
      }
      const revocations = await revocationsOf([waiting, direct]);
      assert.deepEqual(
        revocations.map(({ sealedCredentials }) => sealedCredentials),
        [`sealed-${direct.id}`],
      );
    });

    test('what waits holds its account, as long as it waits', async () => {
      const { id, connectorId } = await add();
      const { id: unknown, connectorId: ofUnknown } = await add();
      const account = { id: randomUUID(), name: null, principal: 'U1' };
      await store.connectSessions.give(id, { ...GIVEN, account });
      await store.connectSessions.give(unknown, { ...GIVEN, account: null });
      const held = (changes = {}) =>
        store.revocations.isHeld({
          kind: GIVEN.kind,
          accountId: account.id,
          connectorId: randomUUID(),
          ...changes,
        });
      assert.equal(await held(), true);
      assert.equal(await held({ principal: 'U1' }), true);
      assert.equal(await held({ principal: 'U2' }), false);
      assert.equal(await held({ accountId: 'T3', connectorId }), false);
      assert.equal(await held({ accountId: 'T3', connectorId: ofUnknown }), true, 'nobody knows');
      await expire(id);
      await store.connectSessions.eraseExpired(100);
      assert.equal(await held(), false);
    });

    test('what waits holds its token, as long as it waits', async () => {
      const sessions = [await add(), await add(), await add({ needsConfirmation: false })] as const;
      const digests = sessions.map(() => randomUUID());
      for (const [index, { id }] of sessions.entries())
        await store.connectSessions.give(id, { ...GIVEN, tokenDigest: digests[index] ?? null });
      const held = (kind = GIVEN.kind) =>
        Promise.all(digests.map((digest) => store.revocations.isTokenHeld(kind, digest)));
      assert.deepEqual(await held(), [true, true, true]);
      assert.deepEqual(await held('another'), [false, false, false]);
      const [expired, used, refused] = sessions;
      await expire(expired.id);
      await store.connectSessions.eraseExpired(100);
      await store.connectSessions.succeed(used.id);
      await store.connectSessions.reopen(refused.id, PROBLEM);
      assert.deepEqual(await held(), [false, false, false]);
      const left = await store.query(
        'select from patchbay.connect_sessions where given_token_digest = any($1)',
        [digests],
      );
      assert.equal(left.length, 0);
    });

    test('a token whose credentials an older process erased is held by nobody', async () => {
      const { id } = await add();
      const tokenDigest = randomUUID();
      await store.connectSessions.give(id, { ...GIVEN, tokenDigest });
      await store.query(
        'update patchbay.connect_sessions set sealed_credentials = null where id = $1',
        [id],
      );
      assert.equal(await store.revocations.isTokenHeld(GIVEN.kind, tokenDigest), false);
    });

    test('an application that is revoked or deleted has no sessions, and what waits is to be revoked', async () => {
      for (const end of ['revoke', 'delete'] as const) {
        const { id: applicationId } = await addApplication(store);
        const [waiting, open] = [await add({ applicationId }), await add({ applicationId })];
        const other = await add();
        await store.connectSessions.give(waiting.id, GIVEN);
        if (end === 'revoke') await store.applications.revoke(applicationId);
        else await store.applications.delete(applicationId, randomUUID());
        for (const { id } of [waiting, open])
          assert.equal(await store.connectSessions.find(id), undefined);
        assert.ok((await find(other.id)).status === 'open');
        const [left, ...others] = await revocationsOf([waiting, open, other]);
        assert.deepEqual(others, []);
        assert.equal(left?.connectorId, waiting.connectorId);
      }
    });

    test('sessions are deleted a while after their end, once nothing waits in them', async () => {
      const [old, recent, unerased] = [await add(), await add(), await add()];
      await store.connectSessions.give(unerased.id, GIVEN);
      await expire(unerased.id, 90_000);
      await expire(old.id, 90_000);
      await expire(recent.id, 10_000);
      await store.connectSessions.deleteOlderThan(60_000, 100);
      assert.equal(await store.connectSessions.find(old.id), undefined);
      assert.ok((await find(recent.id)).isExpired);
      assert.ok((await find(unerased.id)).isExpired);
      await store.connectSessions.eraseExpired(100);
      await store.connectSessions.deleteOlderThan(60_000, 100);
      assert.equal(await store.connectSessions.find(unerased.id), undefined);
    });

    test('a list has those of an application, newest first, page by page, and by how far they are', async () => {
      const { id: applicationId } = await addApplication(store);
      await add();
      // At one instant, so that their ids decide.
      const sessions = await Promise.all(Array.from({ length: 5 }, () => add({ applicationId })));
      await store.query('update patchbay.connect_sessions set created_at = $2 where id = any($1)', [
        sessions.map(({ id }) => id),
        '2026-01-01T00:00:00Z',
      ]);
      const newest = await add({ applicationId });
      const ids = sessions.map(({ id }) => id).toSorted((a, b) => (a < b ? 1 : -1));
      const idsOf = async (...asked: Parameters<typeof store.connectSessions.list>) =>
        (await store.connectSessions.list(...asked)).map(({ id }) => id);
      const filter = { applicationId };
      assert.deepEqual(await idsOf(filter, { limit: 10 }), [newest.id, ...ids]);
      const [, , third] = await store.connectSessions.list(filter, { limit: 3 });
      assert.ok(third !== undefined);
      assert.deepEqual(await idsOf(filter, { limit: 3, after: third }), ids.slice(2));
      assert.equal((await idsOf({}, { limit: 1_000 })).filter((id) => ids.includes(id)).length, 5);
      assert.ok((await idsOf({}, { limit: 1_000 })).length > 6, 'of all applications');
      assert.deepEqual(await idsOf({ applicationId: 'no-uuid' }, { limit: 10 }), []);
      const nowhere = { id: 'no-uuid', createdAt: new Date() };
      assert.deepEqual(await idsOf(filter, { limit: 10, after: nowhere }), []);
    });

    test('what each is shown as follows from what was given, confirmed and over, and is found by', async () => {
      const { id: applicationId } = await addApplication(store);
      const session = async (needsConfirmation: boolean, steps: readonly string[]) => {
        const { id } = await add({ applicationId, needsConfirmation });
        for (const step of steps) {
          if (step === 'give') await store.connectSessions.give(id, GIVEN);
          if (step === 'confirm') await store.connectSessions.confirm(id);
          if (step === 'succeed') await store.connectSessions.succeed(id);
          if (step === 'refuse') await store.connectSessions.reopen(id, PROBLEM);
          if (step === 'expire') await expire(id);
          if (step === 'erase') await store.connectSessions.eraseExpired(100);
        }
        return id;
      };
      const cases = [
        [true, [], 'open'],
        [true, ['expire'], 'expired'],
        [true, ['give'], 'unconfirmed'],
        [true, ['give', 'confirm'], 'unconfirmed'],
        [true, ['give', 'confirm', 'expire'], 'unconfirmed'],
        [true, ['give', 'confirm', 'refuse'], 'unconfirmed'],
        [true, ['give', 'confirm', 'refuse', 'expire'], 'expired'],
        [true, ['give', 'expire'], 'expired'],
        [true, ['give', 'expire', 'erase'], 'expired'],
        [true, ['give', 'confirm', 'succeed'], 'succeeded'],
        [true, ['give', 'confirm', 'succeed', 'expire'], 'succeeded'],
        [false, ['give'], 'open'],
        [false, ['give', 'expire'], 'open'],
        [false, ['give', 'refuse'], 'open'],
        [false, ['give', 'succeed'], 'succeeded'],
      ] as const;
      const made = new Map<string, string>();
      for (const [needsConfirmation, steps, expected] of cases) {
        const id = await session(needsConfirmation, steps);
        made.set(id, expected);
        const what = `${needsConfirmation}: ${steps.join(', ')}`;
        assert.equal((await find(id)).shownStatus, expected, what);
      }
      for (const shownStatus of ['open', 'unconfirmed', 'succeeded', 'expired'] as const) {
        const found = await store.connectSessions.list(
          { applicationId, shownStatus },
          { limit: 100 },
        );
        const expected = [...made].filter(([, status]) => status === shownStatus);
        assert.deepEqual(
          new Set(found.map(({ id }) => id)),
          new Set(expected.map(([id]) => id)),
          shownStatus,
        );
      }
    });

    test('there are no more open ones than there may be, of an application and of a user', async () => {
      const { id: applicationId } = await addApplication(store);
      const most = { perExternalUser: 2, perApplication: 3 };
      const create = async (externalUserId: string) => {
        const session = await newSession({ applicationId, externalUserId });
        const options = { secretHash: randomUUID(), livesMs: HALF_AN_HOUR, most };
        return await store.connectSessions.create(session, options);
      };
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => create('alice')));
      const [one, two, ...more] = outcomes.flatMap((each) =>
        each.status === 'fulfilled' ? [each.value] : [],
      );
      assert.ok(one !== undefined && two !== undefined && more.length === 0);
      for (const each of outcomes)
        if (each.status === 'rejected')
          assert.ok(isStoreError(each.reason, 'external_user_full'), String(each.reason));
      await create('bob');
      await assert.rejects(create('carol'), { code: 'application_full' });
      await expire(one.id);
      await create('carol');
      await store.connectSessions.succeed(two.id);
      await create('alice');
    });
  });
}

test('over two processes, one browser and one success', { skip: SHARED.skip }, async () => {
  await using first = await openTestStore(SHARED);
  const url = 'connectionString' in first.connection ? first.connection.connectionString : '';
  await using second = await openStore({ databaseUrl: url ?? '' });
  const stores = [first, second];
  const { id: applicationId } = await addApplication(first);
  for (let round = 0; round < 10; round++) {
    const id = randomUUID();
    const secretHash = randomUUID();
    await first.connectSessions.create(
      sampleConnectSession({ id, applicationId, needsConfirmation: false }),
      { secretHash, livesMs: HALF_AN_HOUR, most: MOST },
    );
    const bound = await Promise.all(
      stores.map((each, index) => each.connectSessions.bind(secretHash, `browser ${index}`)),
    );
    assert.equal(new Set(bound.map((session) => session?.browserHash)).size, 1);
    const given = await Promise.all(stores.map((each) => each.connectSessions.give(id, GIVEN)));
    assert.equal(given.filter((session) => session !== undefined).length, 1);
  }
});
