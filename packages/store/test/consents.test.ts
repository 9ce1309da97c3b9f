import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { ConsentBounds, ConsentRow } from '../src/contract/consents.ts';
import { isStoreError } from '../src/index.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { addApplication } from './support/sample-rows.ts';
import { TEST_DATABASES } from './support/test-databases.ts';

const BOUNDS: ConsentBounds = { lifeMs: 60_000, perExternalUser: 3, perApplication: 5 };
const hashOf = (text: string) => createHash('sha256').update(text).digest();
const isFull = (error: unknown) => isStoreError(error, 'consents_full');

/** Hashes as text, to compare them. */
function plain(row: ConsentRow | undefined) {
  return (
    row && {
      ...row,
      stateHash: Buffer.from(row.stateHash).toString('hex'),
      browserHash: row.browserHash === null ? null : Buffer.from(row.browserHash).toString('hex'),
    }
  );
}

for (const database of TEST_DATABASES) {
  describe(`consents on ${database.name}`, { skip: database.skip }, () => {
    let store: TestStore;
    let applicationId: string;
    before(async () => {
      store = await openTestStore(database);
      ({ id: applicationId } = await addApplication(store));
    });
    after(() => store.close());

    const consent = (changes: Partial<ConsentRow> = {}): ConsentRow => ({
      stateHash: hashOf(randomUUID()),
      browserHash: null,
      applicationId,
      externalUserId: randomUUID(),
      kind: 'chat-workspace',
      request: { purpose: { for: 'connector', name: 'n' } },
      sealedVerifier: null,
      ...changes,
    });
    test('end with their application', async () => {
      for (const end of ['revoke', 'delete'] as const) {
        const { id } = await addApplication(store);
        const { stateHash } = await open({ applicationId: id });
        const { stateHash: other } = await open();
        if (end === 'revoke') await store.applications.revoke(id);
        else await store.applications.delete(id, randomUUID());
        assert.equal(await store.consents.find(stateHash), undefined);
        assert.ok((await store.consents.find(other)) !== undefined);
      }
    });

    const open = async (changes?: Partial<ConsentRow>, bounds = BOUNDS) => {
      const row = consent(changes);
      await store.consents.open(row, bounds);
      return row;
    };

    test('one is good once, for the browser it is bound to', async () => {
      const row = await open({ sealedVerifier: 'header..iv.text.tag' });
      const [one, other] = [hashOf('one'), hashOf('other')];
      assert.deepEqual(plain(await store.consents.find(row.stateHash)), {
        ...plain(row),
        isExpired: false,
      });
      assert.equal(await store.consents.take(row.stateHash, one), undefined, 'not bound yet');
      assert.equal(await store.consents.bind(row.stateHash, other), true);
      assert.equal(await store.consents.bind(row.stateHash, one), true);
      assert.equal(await store.consents.take(row.stateHash, other), undefined);
      const taken = await Promise.all(
        Array.from({ length: 10 }, () => store.consents.take(row.stateHash, one)),
      );
      const got = taken.filter((each) => each !== undefined);
      assert.deepEqual(got.map(plain), [plain({ ...row, browserHash: one })]);
      assert.equal(await store.consents.find(row.stateHash), undefined);
      assert.equal(await store.consents.bind(row.stateHash, one), false);
    });

    test('one that has expired is good for nothing, and is known until it is deleted', async () => {
      const browserHash = hashOf('browser');
      const { stateHash } = await open({ browserHash }, { ...BOUNDS, lifeMs: -10_000 });
      const young = await open({ browserHash });
      assert.equal((await store.consents.find(stateHash))?.isExpired, true);
      assert.equal(await store.consents.bind(stateHash, browserHash), false);
      assert.equal(await store.consents.take(stateHash, browserHash), undefined);
      await store.consents.deleteExpired(60_000, 100);
      assert.ok(await store.consents.find(stateHash));
      assert.equal(await store.consents.deleteExpired(5_000, 100), 1);
      assert.equal(await store.consents.find(stateHash), undefined);
      assert.ok(await store.consents.find(young.stateHash));
    });

    test('one that is taken is deleted as if it had expired then, and no older process takes it again', async () => {
      const browserHash = hashOf('browser');
      const { stateHash } = await open({ browserHash });
      assert.ok(await store.consents.take(stateHash, browserHash));
      const left = () =>
        store.query('select from patchbay.consents where state_hash = $1', [stateHash]);
      // As version 0.2 has it.
      const again = await store.query(
        'delete from patchbay.consents where state_hash = $1 and expires_at > patchbay.clock() returning kind',
        [stateHash],
      );
      assert.equal(again.length, 0);
      await store.consents.deleteExpired(60_000, 100);
      assert.equal((await left()).length, 1);
      await store.consents.deleteExpired(0, 100);
      assert.equal((await left()).length, 0);
    });

    test('so many are open at once, of a user and of an application; expired and taken ones do not count', async () => {
      const mine = { applicationId: (await addApplication(store)).id, externalUserId: 'greedy' };
      await open(mine, { ...BOUNDS, lifeMs: -1 });
      const taken = await open({ ...mine, browserHash: hashOf('browser') });
      await store.consents.take(taken.stateHash, hashOf('browser'));
      for (let count = 0; count < 3; count++) await open(mine);
      await assert.rejects(open(mine), isFull);
      await open({ ...mine, externalUserId: 'second' });
      await open({ ...mine, externalUserId: 'third' });
      await assert.rejects(open({ ...mine, externalUserId: 'fourth' }), isFull);
      await open({ externalUserId: 'greedy' });
      const { length } = await store.query(
        'select from patchbay.consents where application_id = $1',
        [mine.applicationId],
      );
      assert.equal(length, 7);
    });

    test('an application has one app of a kind, which keeps its id', async () => {
      const other = (await addApplication(store)).id;
      const put = (id: string, kind: string, sealedApp: string) =>
        store.oauthApps.put({ id, applicationId, kind, sealedApp });
      const [first, second] = [randomUUID(), randomUUID()];
      const made = await put(first, 'support-chat', 'a..b');
      const replaced = await put(second, 'support-chat', 'c..d');
      assert.equal(replaced.id, first);
      assert.equal(replaced.sealedApp, 'c..d');
      assert.deepEqual(replaced.createdAt, made.createdAt);
      await put(second, 'chat-workspace', 'e..f');
      const kinds = (await store.oauthApps.list(applicationId)).map(({ kind }) => kind);
      assert.deepEqual(kinds, ['chat-workspace', 'support-chat']);
      assert.deepEqual(await store.oauthApps.list(other), []);
      assert.equal(await store.oauthApps.find(other, 'support-chat'), undefined);
      await store.oauthApps.delete(other, 'support-chat');
      assert.deepEqual(await store.oauthApps.find(applicationId, 'support-chat'), replaced);
      await store.oauthApps.delete(applicationId, 'support-chat');
      await store.oauthApps.delete(applicationId, 'support-chat');
      assert.equal(await store.oauthApps.find(applicationId, 'support-chat'), undefined);
      assert.equal(await store.oauthApps.find('no-uuid', 'support-chat'), undefined);
    });
  });
}
