import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Begun } from '../src/contract/consents.ts';
import { isStoreError } from '../src/index.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { addApplication, addConnector, sampleConnectSession } from './support/sample-rows.ts';
import { TEST_DATABASES } from './support/test-databases.ts';

const MOST = { perExternalUser: 100, perApplication: 100 };
const BROWSER = createHash('sha256').update('browser').digest();
const isEnded = (error: unknown) => isStoreError(error, 'begun_ended');

interface Owner {
  readonly applicationId: string;
  readonly externalUserId: string;
}

for (const database of TEST_DATABASES) {
  describe(`what has been begun on ${database.name}`, { skip: database.skip }, () => {
    let store: TestStore;
    before(async () => {
      store = await openTestStore(database);
    });
    after(() => store.close());

    const addOwner = async (): Promise<Owner> => ({
      applicationId: (await addApplication(store)).id,
      externalUserId: 'alice',
    });
    const takenConsent = async (owner: Owner): Promise<Begun> => {
      const stateHash = createHash('sha256').update(randomUUID()).digest();
      await store.consents.open(
        {
          ...owner,
          stateHash,
          browserHash: BROWSER,
          kind: 'chat-workspace',
          request: {},
          sealedVerifier: null,
        },
        { ...MOST, lifeMs: 60_000 },
      );
      assert.ok(await store.consents.take(stateHash, BROWSER));
      return { of: 'consent', stateHash };
    };
    const session = async (owner: Owner): Promise<Begun> => {
      const { id } = await store.connectSessions.create(sampleConnectSession(owner), {
        secretHash: randomUUID(),
        livesMs: 60_000,
        most: MOST,
      });
      return { of: 'session', id };
    };
    const make = (owner: Owner, begun?: Begun) => addConnector(store, owner, MOST, begun);
    const connectorsOf = async ({ applicationId }: Owner) =>
      (await store.connectors.list({ applicationId }, { limit: 100 })).map(({ id }) => id);

    /** What ends what has been begun for an external user. */
    const ENDS: Readonly<Record<string, (owner: Owner) => Promise<unknown>>> = {
      'their deletion': (owner) => store.connectSessions.deleteOf(owner),
      'a revocation': ({ applicationId }) => store.applications.revoke(applicationId),
      'a deletion of the application': ({ applicationId }) =>
        store.applications.delete(applicationId, randomUUID()),
    };

    for (const [what, begin] of Object.entries({ consent: takenConsent, session })) {
      for (const [end, endFor] of Object.entries(ENDS)) {
        test(`a ${what} makes and changes no connector after ${end}`, async () => {
          const owner = await addOwner();
          const another = { ...(await addOwner()), externalUserId: 'bob' };
          const { id } = await make(owner);
          const [begun, others] = [await begin(owner), await begin(another)];
          await endFor(owner);
          await assert.rejects(make(owner, begun), isEnded);
          await assert.rejects(store.connectors.update(id, { name: 'Late' }, { begun }), isEnded);
          assert.deepEqual(await connectorsOf(owner), [id]);
          assert.equal((await store.connectors.find(id))?.revision, 1);
          await make(another, others);
        });

        test(`${end} finds what a ${what} makes at that moment, or ends it before`, async () => {
          for (let round = 0; round < 8; round++) {
            const owner = await addOwner();
            const begun = await begin(owner);
            const [made, found] = await Promise.allSettled([
              make(owner, begun),
              endFor(owner).then(() => connectorsOf(owner)),
            ]);
            assert.ok(found.status === 'fulfilled');
            if (made.status === 'rejected') assert.ok(isEnded(made.reason), String(made.reason));
            assert.deepEqual(found.value, await connectorsOf(owner));
          }
        });
      }
    }

    test('a consent is over once a connector has come of it, a session goes on', async () => {
      const owner = await addOwner();
      const { id } = await make(owner);
      const [used, changing, open] = [
        await takenConsent(owner),
        await takenConsent(owner),
        await session(owner),
      ];
      await make(owner, used);
      await assert.rejects(make(owner, used), isEnded);
      const late = { begun: changing, ifRevision: 7 };
      assert.equal(await store.connectors.update(id, { name: 'Late' }, late), undefined);
      assert.ok(await store.connectors.update(id, { name: 'Given' }, { begun: changing }));
      const again = store.connectors.update(id, { name: 'Again' }, { begun: changing });
      await assert.rejects(again, isEnded);
      await make(owner, open);
      await make(owner, open);
      assert.equal((await connectorsOf(owner)).length, 4);
      await assert.rejects(make(owner, { of: 'session', id: 'no id' }), isEnded);
    });

    test('no connector is made in an application that is revoked, also at that moment', async () => {
      for (let round = 0; round < 8; round++) {
        const owner = await addOwner();
        const [made, found] = await Promise.allSettled([
          make(owner),
          store.applications.revoke(owner.applicationId).then(() => connectorsOf(owner)),
        ]);
        assert.ok(found.status === 'fulfilled');
        if (made.status === 'rejected')
          assert.ok(isStoreError(made.reason, 'application_revoked'), String(made.reason));
        assert.deepEqual(found.value, await connectorsOf(owner));
        await assert.rejects(make(owner), { code: 'application_revoked' });
      }
    });
  });
}
