import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { NewConsoleSession } from '../src/contract/console-sessions.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { addApplication } from './support/sample-rows.ts';
import { TEST_DATABASES } from './support/test-databases.ts';

const HOUR_MS = 3_600_000;
const BOUNDS = { livesMs: 12 * HOUR_MS, most: 100 };
const OPERATOR: NewConsoleSession = { operatorKeyDigest: 'digest of a key' };
const ofApplication = (applicationId: string) => ({ applicationId, clientSecretHash: 'hash' });

for (const database of TEST_DATABASES) {
  describe(`console sessions on ${database.name}`, { skip: database.skip }, () => {
    let store: TestStore;
    before(async () => {
      store = await openTestStore(database);
    });
    after(() => store.close());

    const open = async (session: NewConsoleSession, bounds = BOUNDS) => {
      const secretHash = randomUUID();
      const opened = await store.consoleSessions.open(secretHash, session, bounds);
      assert.ok(opened !== undefined);
      return { secretHash, opened };
    };
    const use = (secretHash: string) => store.consoleSessions.use(secretHash, HOUR_MS);
    const isOpen = async (secretHash: string) => (await use(secretHash)) !== undefined;
    const letPass = (secretHash: string, column: string, interval: string) =>
      store.query(
        `update patchbay.console_sessions set ${column} = ${column} - $2::interval where secret_hash = $1`,
        [secretHash, interval],
      );

    test('are found by their secret alone, with whose they are', async () => {
      const { id: applicationId } = await addApplication(store);
      const own = await open(ofApplication(applicationId));
      const operators = await open(OPERATOR);
      const { expiresAt } = own.opened;
      assert.deepEqual(await use(own.secretHash), { applicationId, expiresAt });
      assert.deepEqual(await use(operators.secretHash), operators.opened);
      assert.equal(await use(randomUUID()), undefined);
      assert.equal(await use('\0'), undefined);
      await assert.rejects(store.consoleSessions.open(own.secretHash, OPERATOR, BOUNDS));
    });

    test('end by their time, while nobody uses them, and when they are ended', async () => {
      const [old, idle, used, left] = await Promise.all(
        Array.from({ length: 4 }, async () => (await open(OPERATOR)).secretHash),
      );
      assert.ok(old && idle && used && left);
      await letPass(old, 'expires_at', '12 hours');
      await letPass(idle, 'used_at', '60 minutes');
      await letPass(used, 'used_at', '59 minutes');
      await store.consoleSessions.end(left);
      await store.consoleSessions.end(left);
      assert.deepEqual(await Promise.all([old, idle, used, left].map(isOpen)), [
        false,
        false,
        true,
        false,
      ]);
      await letPass(used, 'used_at', '59 minutes');
      assert.ok(await isOpen(used), 'using it began the hour anew');
      assert.equal(await store.consoleSessions.deleteEnded(HOUR_MS, 100), 2);
      assert.equal(await store.consoleSessions.deleteEnded(HOUR_MS, 100), 0);
      assert.ok(await isOpen(used));
    });

    test('of an application end with the secret that opened them, and need one that is there', async () => {
      const { id: applicationId } = await addApplication(store);
      const secret = { id: randomUUID(), secretHash: 'another hash' };
      await store.applications.addSecret(applicationId, secret, 10);
      const first = await open(ofApplication(applicationId));
      const second = await open({ applicationId, clientSecretHash: secret.secretHash });
      await store.applications.deleteSecret(applicationId, secret.id);
      assert.deepEqual(await Promise.all([first, second].map((each) => isOpen(each.secretHash))), [
        true,
        false,
      ]);
      for (const session of [
        { applicationId, clientSecretHash: secret.secretHash },
        { applicationId: randomUUID(), clientSecretHash: 'hash' },
        { applicationId: 'no UUID', clientSecretHash: 'hash' },
      ])
        assert.equal(await store.consoleSessions.open(randomUUID(), session, BOUNDS), undefined);
    });

    test('of an application end with it', async () => {
      for (const end of ['revoke', 'delete'] as const) {
        const { id } = await addApplication(store);
        const { secretHash } = await open(ofApplication(id));
        const { secretHash: other } = await open(OPERATOR);
        if (end === 'revoke') await store.applications.revoke(id);
        else await store.applications.delete(id, randomUUID());
        assert.deepEqual(await Promise.all([secretHash, other].map(isOpen)), [false, true]);
      }
    });

    test('beyond the most that one may have, the longest unused gives way', async () => {
      const { id } = await addApplication(store);
      const { id: otherId } = await addApplication(store);
      const bounds = { ...BOUNDS, most: 2 };
      const { secretHash: other } = await open(ofApplication(otherId));
      const { secretHash: first } = await open(ofApplication(id), bounds);
      const { secretHash: second } = await open(ofApplication(id), bounds);
      await letPass(second, 'used_at', '1 minute');
      const { secretHash: third } = await open(ofApplication(id), bounds);
      assert.deepEqual(await Promise.all([first, second, third, other].map(isOpen)), [
        true,
        false,
        true,
        true,
      ]);
    });
  });
}
