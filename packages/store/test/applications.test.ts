import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Application, NewApplication, NewSecret } from '../src/contract/applications.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { addApplication, addConnector } from './support/sample-rows.ts';
import { TEST_DATABASES } from './support/test-databases.ts';

const MOST = 10;

for (const database of TEST_DATABASES) {
  describe(`applications on ${database.name}`, { skip: database.skip }, () => {
    let store: TestStore;
    before(async () => {
      store = await openTestStore(database);
    });
    after(() => store.close());

    const hashesOf = async ({ clientId }: Pick<Application, 'clientId'>) =>
      (await store.applications.findLogin(clientId))?.secretHashes;

    test('are found by id and by client id, and listed', async () => {
      const application = await addApplication(store);
      const { id, clientId } = application;
      assert.deepEqual(await store.applications.findById(id), application);
      assert.deepEqual(await store.applications.findByClientId(clientId), application);
      const login = await store.applications.findLogin(clientId);
      assert.deepEqual(login, { application, secretHashes: ['hash'] });
      assert.ok((await store.applications.list()).some((each) => each.id === id));
      assert.partialDeepStrictEqual(application, {
        allowedOrigins: [],
        allowedReturnUrls: [],
        callsPerMinute: null,
        revokedAt: null,
        updatedAt: application.createdAt,
      });
    });

    test('are created once per client id, and with all that was given', async () => {
      const first = await addApplication(store);
      const taken = { ...newApplication(first), clientId: first.clientId };
      await assert.rejects(store.applications.create(taken, newSecret()), { code: '23505' });
      const given = {
        ...newApplication(first),
        allowedOrigins: ['https://b.example', 'https://a.example'],
        allowedReturnUrls: ['https://a.example/back?q="'],
        callsPerMinute: 60,
      };
      const created = await store.applications.create(given, newSecret());
      assert.partialDeepStrictEqual(created, given);
      assert.deepEqual(await store.applications.findById(created.id), created);
    });

    test('come to be one, where processes that start at once find none', async () => {
      await using empty = await openTestStore(database);
      const organizationId = randomUUID();
      await empty.organizations.create({ id: organizationId, name: 'First' });
      const kept: number[] = [];
      const start = (number: number) =>
        empty.applications.createFirst(
          newApplication({ organizationId }),
          newSecret(),
          async () => {
            await Promise.resolve();
            kept.push(number);
          },
        );
      const made = (await Promise.all([1, 2, 3].map(start))).filter((each) => each !== undefined);
      assert.equal(kept.length, 1);
      assert.deepEqual(await empty.applications.list(), made);
      assert.equal(await start(4), undefined);
      await empty.applications.revoke(made[0]?.id ?? '');
      assert.ok(await start(5));
      assert.equal(kept.length, 2);
    });

    test('is not made first where its credentials cannot be kept', async () => {
      await using empty = await openTestStore(database);
      const organizationId = randomUUID();
      await empty.organizations.create({ id: organizationId, name: 'First' });
      const application = newApplication({ organizationId });
      await assert.rejects(
        empty.applications.createFirst(application, newSecret(), noRoom),
        /no room/,
      );
      assert.deepEqual(await empty.applications.list(), []);
    });

    test('refuse text that no database can hold', async () => {
      const first = await addApplication(store);
      const application = { ...newApplication(first), name: 'A\0' };
      const refused = { code: 'text_not_storable' };
      await assert.rejects(store.applications.create(application, newSecret()), refused);
      await assert.rejects(store.applications.update(first.id, { name: '\ud800' }), refused);
      await assert.rejects(store.applications.addSecret(first.id, newSecret('\0'), MOST), refused);
    });

    test('are absent under anything that no id or client id can be', async () => {
      const { applications } = store;
      for (const id of ['nobody', randomUUID(), 'user\0']) {
        assert.equal(await applications.findById(id), undefined);
        assert.equal(await applications.findByClientId(id), undefined);
        assert.equal(await applications.findLogin(id), undefined);
        assert.equal(await applications.update(id, { name: 'Any' }), undefined);
        assert.equal(await applications.delete(id, randomUUID()), undefined);
        assert.deepEqual(await applications.secrets(id), []);
        assert.equal(await applications.addSecret(id, newSecret(), MOST), undefined);
        assert.equal(await applications.deleteSecret(id, id), 'absent');
        await applications.revoke(id);
      }
    });

    test('change only in what is given', async () => {
      const application = await addApplication(store);
      const { id, createdAt } = application;
      await store.query(
        `update patchbay.applications set updated_at = now() - interval '1 hour' where id = $1`,
        [id],
      );
      const changed = await store.applications.update(id, {
        allowedOrigins: ['https://a.example'],
      });
      assert.ok(changed !== undefined && changed.updatedAt >= createdAt);
      const { updatedAt } = changed;
      const expected = { ...application, allowedOrigins: ['https://a.example'], updatedAt };
      assert.deepEqual(changed, expected);
      const limited = await store.applications.update(id, { callsPerMinute: 5, name: 'New' });
      assert.partialDeepStrictEqual(limited, {
        ...expected,
        callsPerMinute: 5,
        name: 'New',
        updatedAt: limited?.updatedAt,
      });
      const unlimited = await store.applications.update(id, { callsPerMinute: null });
      assert.equal(unlimited?.callsPerMinute, null);
    });

    test('come page by page, each once, however close their instants', async () => {
      const ids: string[] = [];
      for (let index = 0; index < 5; index++) ids.push((await addApplication(store)).id);
      await store.query(
        `update patchbay.applications set created_at = '2030-01-01T00:00:00Z' where id = any($1)`,
        [ids],
      );
      const found: string[] = [];
      let position: { readonly createdAt: Date; readonly id: string } | undefined = {
        createdAt: new Date('2029-12-31T00:00:00Z'),
        id: randomUUID(),
      };
      while (position !== undefined) {
        const page: readonly Application[] = await store.applications.list({
          after: position,
          limit: 2,
        });
        found.push(...page.map(({ id }) => id));
        position = page.at(-1);
      }
      assert.deepEqual(found, ids.toSorted());
      const nowhere = { createdAt: new Date(), id: 'no-uuid' };
      assert.deepEqual(await store.applications.list({ after: nowhere, limit: 2 }), []);
    });

    test('have several secrets, the last of which stays', async () => {
      const application = await addApplication(store);
      const { id } = application;
      const second = newSecret('second');
      const added = await store.applications.addSecret(id, second, MOST);
      assert.equal(added?.id, second.id);
      assert.deepEqual((await hashesOf(application))?.toSorted(), ['hash', 'second']);
      const secrets = await store.applications.secrets(id);
      assert.deepEqual(
        secrets.find((each) => each.id === second.id),
        added,
      );
      const other = await addApplication(store);
      assert.equal(await store.applications.deleteSecret(other.id, second.id), 'absent');
      const first = secrets.find((each) => each.id !== second.id);
      assert.equal(
        await store.applications.deleteSecret(id, (first?.id ?? '').toUpperCase()),
        'deleted',
      );
      assert.equal(await store.applications.deleteSecret(id, first?.id ?? ''), 'absent');
      assert.equal(await store.applications.deleteSecret(id, second.id), 'last');
      assert.deepEqual(await hashesOf(application), ['second']);
    });

    test('have as many secrets as they may, of any number added at once', async () => {
      const { id } = await addApplication(store);
      const added = await Promise.allSettled(
        Array.from({ length: 20 }, () => store.applications.addSecret(id, newSecret(), 5)),
      );
      assert.equal(added.filter(({ status }) => status === 'fulfilled').length, 4);
      await assert.rejects(store.applications.addSecret(id, newSecret(), 5), {
        code: 'secrets_full',
      });
      const secrets = await store.applications.secrets(id);
      assert.equal(secrets.length, 5);
      const outcomes = await Promise.all(
        secrets.map((secret) => store.applications.deleteSecret(id, secret.id)),
      );
      assert.deepEqual(outcomes.toSorted(), [...Array<string>(4).fill('deleted'), 'last']);
      assert.equal((await store.applications.secrets(id)).length, 1);
    });

    test("get the secret of a start in place of their first or an earlier start's, and keep others", async () => {
      const made = await addApplication(store);
      await store.applications.ensure(made, newSecret('given'));
      assert.deepEqual(await hashesOf(made), ['given']);
      const wanted = newApplication(made);
      const ensured = await store.applications.ensure(wanted, newSecret('first'));
      assert.deepEqual(await hashesOf(wanted), ['first']);
      await store.applications.addSecret(wanted.id, newSecret('made'), MOST);
      const again = { ...wanted, id: randomUUID(), name: 'Renamed' };
      assert.deepEqual(await store.applications.ensure(again, newSecret('second')), ensured);
      assert.deepEqual((await hashesOf(wanted))?.toSorted(), ['made', 'second']);
      await Promise.all(
        Array.from({ length: 10 }, () => store.applications.ensure(again, newSecret('third'))),
      );
      assert.deepEqual((await hashesOf(wanted))?.toSorted(), ['made', 'third']);
    });

    test('keep the instant of the first revocation, and have no secret from then on', async () => {
      const application = await addApplication(store);
      const { id } = application;
      await store.applications.revoke(id);
      const revoked = await store.applications.findById(id);
      assert.ok(revoked?.revokedAt instanceof Date);
      await store.applications.revoke(id);
      assert.deepEqual(await store.applications.findById(id), revoked);
      assert.deepEqual(await store.applications.ensure(revoked, newSecret()), revoked);
      assert.equal(await store.applications.findLogin(application.clientId), undefined);
      assert.deepEqual(await store.applications.secrets(id), []);
      assert.equal(await store.applications.addSecret(id, newSecret(), MOST), undefined);
      assert.ok((await store.applications.list()).some((each) => each.id === id));
    });

    test('are deleted by one of many calls, and leave a tombstone that nothing revives', async () => {
      const application = await addApplication(store);
      const { id, clientId } = application;
      await store.applications.update(id, { allowedOrigins: ['https://a.example'] });
      const jobs = await Promise.all(
        Array.from({ length: 5 }, () => store.applications.delete(id, randomUUID())),
      );
      assert.equal(jobs.filter((job) => job !== undefined).length, 1);
      assert.equal(await store.applications.findById(id), undefined);
      assert.equal(await store.applications.findLogin(clientId), undefined);
      assert.equal(await store.applications.update(id, { name: 'Back' }), undefined);
      assert.equal(await store.applications.addSecret(id, newSecret(), MOST), undefined);
      assert.ok(!(await store.applications.list()).some((each) => each.id === id));
      const ensured = await store.applications.ensure(application, newSecret());
      assert.ok(ensured.revokedAt instanceof Date);
      assert.deepEqual(ensured.allowedOrigins, []);
      assert.equal(await store.applications.findLogin(clientId), undefined);
    });

    test('take along what people were giving them, and a while later their OAuth apps', async () => {
      const [kept, gone] = [await addApplication(store), await addApplication(store)];
      for (const { id: applicationId } of [kept, gone]) {
        const owner = { applicationId, externalUserId: 'user-1' };
        const app = { id: randomUUID(), kind: 'chat-workspace', sealedApp: 'header..iv.text.tag' };
        await store.oauthApps.put({ ...app, applicationId });
        await store.query(
          `insert into patchbay.connect_sessions (id, application_id, external_user_id, kinds, connector_id,
            reconnects, config, needs_confirmation, secret_hash, expires_at, status, sealed_credentials)
          values ($1, $2, 'user-1', '{}', $1, false, '{}', true, $3, now() + interval '1 hour', 'given', 'sealed')`,
          [randomUUID(), applicationId, randomUUID()],
        );
        await store.consents.open(
          {
            ...owner,
            stateHash: Buffer.from(randomUUID()),
            browserHash: null,
            kind: 'chat-workspace',
            request: {},
            sealedVerifier: null,
          },
          { lifeMs: 60_000, perExternalUser: 1, perApplication: 1 },
        );
      }
      const left = async (table: string) => {
        const rows = await store.query(
          `select application_id from patchbay.${table} where application_id in ($1, $2)`,
          [kept.id, gone.id],
        );
        return rows.map((row) => row['application_id']);
      };
      await store.applications.delete(gone.id, randomUUID());
      assert.deepEqual(await left('connect_sessions'), [kept.id]);
      assert.deepEqual(await left('consents'), [kept.id]);
      await store.oauthApps.deleteOfDeleted(60_000, 100);
      assert.equal((await left('oauth_apps')).length, 2, 'revoking may take it');
      await store.oauthApps.deleteOfDeleted(0, 100);
      assert.deepEqual(await left('oauth_apps'), [kept.id]);
    });

    test('are uncleared as long as a deleted one has connectors', async () => {
      const { id } = await addApplication(store);
      const isUncleared = async (without: readonly string[] = []) =>
        (await store.applications.uncleared(100, without)).includes(id);
      const first = await addConnector(store, { applicationId: id });
      const late = await addConnector(store, { applicationId: id });
      await store.applications.revoke(id);
      assert.equal(await isUncleared(), false);
      await store.applications.delete(id, randomUUID());
      assert.equal(await isUncleared(), true);
      assert.equal(await isUncleared([randomUUID(), id]), false);
      // Nor does one come that was under way while the application went.
      await assert.rejects(addConnector(store, { applicationId: id }), {
        code: 'application_revoked',
      });
      await store.connectors.delete(first.id, randomUUID());
      assert.equal(await isUncleared(), true);
      await store.connectors.delete(late.id, randomUUID());
      assert.equal(await isUncleared(), false);
    });
  });
}

function newSecret(secretHash = 'another hash'): NewSecret {
  return { id: randomUUID(), secretHash };
}

function noRoom(): Promise<never> {
  return Promise.reject(new Error('no room'));
}

function newApplication({ organizationId }: Pick<Application, 'organizationId'>): NewApplication {
  return {
    id: randomUUID(),
    organizationId,
    clientId: `client-${randomUUID()}`,
    name: 'Another',
  };
}
