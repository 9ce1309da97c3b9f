import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { Client, type PoolConfig } from 'pg';
import { isStoreError } from '../src/index.ts';
import type { ConnectorRow } from '../src/contract/store.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { addApplication, addConnector, sampleIntent } from './support/sample-rows.ts';
import { TEST_DATABASES } from './support/test-databases.ts';

const NUL = 'user\0';
const HALF_A_PAIR = 'user\ud800';
const REPLACED = 'user\ufffd';

for (const database of TEST_DATABASES) {
  describe(`store on ${database.name}`, { skip: database.skip }, () => {
    let store: TestStore;
    before(async () => {
      store = await openTestStore(database);
    });
    after(() => store.close());

    describe('organizations', () => {
      test('come back oldest first, and creating one again changes nothing', async () => {
        const first = { id: randomUUID(), name: 'First' };
        const second = { id: randomUUID(), name: 'Second' };
        await store.organizations.create(first);
        await store.organizations.create(second);
        await store.organizations.create({ ...first, name: 'Renamed' });
        const mine = (await store.organizations.list()).filter(
          (organization) => organization.id === first.id || organization.id === second.id,
        );
        assert.deepEqual(mine.toSorted(byName), [first, second]);
      });
    });

    describe('connectors', () => {
      test('come back as they were stored, with the keys of their JSON in order', async () => {
        const application = await addApplication(store);
        const replicationConfig = {
          start_date: '2024-01-01T00:00:00Z',
          lookback_window: 3,
          a: '\0',
        };
        const connector = await addConnector(store, {
          applicationId: application.id,
          config: { subdomain: 'harbour', area: 1 },
          replicationConfig,
        });
        assert.equal(connector.organizationId, application.organizationId);
        assert.equal(connector.state, 'pending');
        assert.equal(connector.isPaused, false);
        assert.equal(connector.revision, 1);
        assert.equal(connector.lastSyncedAt, null);
        assert.deepEqual(connector.updatedAt, connector.createdAt);
        assert.equal(JSON.stringify(connector.config), '{"subdomain":"harbour","area":1}');
        assert.deepEqual(connector.replicationConfig, replicationConfig);
        assert.deepEqual(await store.connectors.find(connector.id), connector);
        assert.deepEqual(await store.connectors.find(connector.id.toUpperCase()), connector);
      });

      test('need an application that exists', async () => {
        const applicationId = randomUUID();
        await assert.rejects(addConnector(store, { applicationId }), {
          message: `no application ${applicationId}`,
        });
      });

      test('are as many as one may have, for an external user and for an application', async () => {
        const { id: applicationId } = await addApplication(store);
        const most = { perExternalUser: 2, perApplication: 3 };
        const add = (externalUserId: string) =>
          addConnector(store, { applicationId, externalUserId }, most);
        const first = await add('user-1');
        await add('user-1');
        await assert.rejects(add('user-1'), { code: 'external_user_full' });
        await add('user-2');
        await assert.rejects(add('user-2'), { code: 'application_full' });
        await addConnector(store, { externalUserId: 'user-1' }, most);
        await store.connectors.delete(first.id, randomUUID());
        await add('user-2');
      });

      test('do not become more when many are created at once, over several connections', async () => {
        const { id: applicationId } = await addApplication(store);
        const most = { perExternalUser: 3, perApplication: 5 };
        const created = await Promise.allSettled(
          Array.from({ length: 40 }, (_, index) =>
            addConnector(store, { applicationId, externalUserId: `user-${index % 4}` }, most),
          ),
        );
        assert.equal(created.filter(({ status }) => status === 'fulfilled').length, 5);
        assert.equal((await store.connectors.list({ applicationId }, { limit: 100 })).length, 5);
      });

      test('change only in what is given, and count every change', async () => {
        const connector = await addConnector(store, { replicationConfig: { start_date: 'x' } });
        const changed = await store.connectors.update(connector.id, {
          name: 'New name',
          state: 'active',
          isPaused: true,
          config: { subdomain: 'new' },
          replicationConfig: null,
        });
        assert.deepEqual(changed, {
          ...connector,
          name: 'New name',
          state: 'active',
          isPaused: true,
          config: { subdomain: 'new' },
          replicationConfig: null,
          revision: 2,
          updatedAt: changed?.updatedAt,
        });
        const again = await store.connectors.update(connector.id, { state: 'degraded' });
        assert.deepEqual(again, {
          ...changed,
          state: 'degraded',
          revision: 3,
          updatedAt: again?.updatedAt,
        });
      });

      test('count how often credentials of somebody else were given, but not renewals', async () => {
        const connector = await addConnector(store);
        assert.equal(connector.credentialsEpoch, 1);
        const credentials = {
          authMethod: 'oauth',
          sealedCredentials: 'new..sealed.text.tag',
          credentialsDigest: 'another',
        };
        const change = { credentials, replacesAccount: true } as const;
        const given = await store.connectors.update(connector.id, change);
        assert.deepEqual(given, {
          ...connector,
          ...credentials,
          credentialsEpoch: 2,
          revision: 2,
          updatedAt: given?.updatedAt,
        });
        const renewal = { sealedCredentials: 'renewed..sealed.text.tag' };
        const renewed = await store.connectors.update(connector.id, renewal);
        assert.deepEqual(renewed, {
          ...given,
          ...renewal,
          revision: 3,
          updatedAt: renewed?.updatedAt,
        });
        const known = await store.connectors.update(connector.id, { credentialsDigest: 'known' });
        assert.deepEqual([known?.credentialsDigest, known?.credentialsEpoch], ['known', 2]);
      });

      test('do not change where the revision is no longer the expected one', async () => {
        const { id } = await addConnector(store);
        assert.equal((await store.connectors.update(id, {}, { ifRevision: 1 }))?.revision, 2);
        assert.equal(await store.connectors.update(id, {}, { ifRevision: 1 }), undefined);
        assert.equal((await store.connectors.find(id))?.revision, 2);
        assert.equal(await store.connectors.update(randomUUID(), {}), undefined);
        assert.equal(await store.connectors.update('no id', {}), undefined);
      });

      test('lose no update that is guarded by the revision', async () => {
        const { id } = await addConnector(store, { config: { count: 0 } });
        await Promise.all(Array.from({ length: 25 }, () => increment(store, id)));
        const counted = await store.connectors.find(id);
        assert.deepEqual(counted?.config, { count: 25 });
        assert.equal(counted.revision, 26);
      });

      test('are gone for good once deleted, but for a tombstone without credentials', async () => {
        const { id, applicationId } = await addConnector(store, { externalUserId: 'gone' });
        await begin(store, id, 'a key');
        const jobId = randomUUID();
        assert.equal(await store.connectors.delete(id, jobId), jobId);
        assert.equal(await store.connectors.find(id), undefined);
        assert.deepEqual(await store.connectors.list({ applicationId }, { limit: 10 }), []);
        assert.deepEqual(await store.connectors.externalUsers(applicationId, { limit: 10 }), []);
        assert.equal(await store.connectors.update(id, { name: 'x' }), undefined);
        assert.equal(await store.connectors.delete(id, randomUUID()), undefined);
        assert.equal(await store.connectors.delete(randomUUID(), randomUUID()), undefined);
        while (await store.syncs.clearSome({ connectorId: id, kind: 'chat-workspace' }, 10));
        const rows = await store.query(
          `select sealed_credentials, credentials_digest, deletion_job_id, deleted_at is not null as is_deleted,
             (select count(*) from patchbay.idempotency_keys where connector_id = c.id)::int as keys
           from patchbay.connectors c where id = $1`,
          [id],
        );
        assert.deepEqual(rows, [
          {
            sealed_credentials: null,
            credentials_digest: null,
            deletion_job_id: jobId,
            is_deleted: true,
            keys: 0,
          },
        ]);
      });

      test('are deleted by one of many calls', async () => {
        const { id } = await addConnector(store);
        const jobIds = Array.from({ length: 10 }, () => randomUUID());
        const answers = await Promise.all(
          jobIds.map((jobId) => store.connectors.delete(id, jobId)),
        );
        assert.equal(answers.filter((answer) => answer !== undefined).length, 1);
      });
    });

    describe('lists of connectors', () => {
      test('are filtered by user, kind and ids within one application', async () => {
        const { id: applicationId } = await addApplication(store);
        const chat = await addConnector(store, { applicationId, externalUserId: 'a' });
        const desk = await addConnector(store, {
          applicationId,
          externalUserId: 'b',
          kind: 'support-chat',
        });
        const stranger = await addConnector(store, { externalUserId: 'a' });
        const idsOf = async (filter: object): Promise<readonly string[]> =>
          (await store.connectors.list({ applicationId, ...filter }, { limit: 10 }))
            .map(({ id }) => id)
            .toSorted();
        assert.deepEqual(await idsOf({}), [chat.id, desk.id].toSorted());
        assert.deepEqual(await idsOf({ externalUserId: 'a' }), [chat.id]);
        assert.deepEqual(await idsOf({ kind: 'support-chat' }), [desk.id]);
        assert.deepEqual(await idsOf({ externalUserId: 'a', kind: 'support-chat' }), []);
        assert.deepEqual(await idsOf({ ids: [desk.id, stranger.id, 'no id'] }), [desk.id]);
        assert.deepEqual(await idsOf({ ids: [] }), []);
        assert.deepEqual(await idsOf({ applicationId: 'no id' }), []);
      });

      test('give each connector once, page by page, however close their instants', async () => {
        const { id: applicationId } = await addApplication(store);
        await Promise.all(Array.from({ length: 30 }, () => addConnector(store, { applicationId })));
        // Microseconds would not survive `Date`; and some instants are the same.
        const ids = await store.query(
          'select id from patchbay.connectors where application_id = $1 order by id desc',
          [applicationId],
        );
        for (const [index, { id }] of ids.entries())
          await store.query('update patchbay.connectors set created_at = $2 where id = $1', [
            id,
            `2026-01-01T00:00:00.${1_234_567 + Math.floor(index / 4) * 7_000}Z`,
          ]);
        const all = await store.connectors.list({ applicationId }, { limit: 100 });
        const paged = await listByPages(store, applicationId, 7);
        assert.equal(paged.length, 30);
        assert.deepEqual(paged, all);
        assert.deepEqual(all.map(positionOf), all.map(positionOf).toSorted());
        const nowhere = { createdAt: new Date(), id: 'no id' };
        assert.deepEqual(
          await store.connectors.list({ applicationId }, { limit: 1, after: nowhere }),
          [],
        );
      });

      test('find external users of the longest id that the service takes', async () => {
        const { id: applicationId } = await addApplication(store);
        const externalUserId = [...randomBytes(4096)]
          .map((byte) => String.fromCodePoint(0x1f300 + byte))
          .join('');
        const { id } = await addConnector(store, { applicationId, externalUserId });
        const found = await store.connectors.list({ applicationId, externalUserId }, { limit: 1 });
        assert.deepEqual(
          found.map((connector) => connector.id),
          [id],
        );
      });
    });

    describe('external users', () => {
      test('are distinct, ordered by code point and limited', async () => {
        const { id: applicationId } = await addApplication(store);
        for (const externalUserId of ['b', 'a', '\u{1f600}', 'B', '\uffee', 'é', 'a', 'Z']) {
          await addConnector(store, { applicationId, externalUserId });
        }
        const users = await store.connectors.externalUsers(applicationId, { limit: 100 });
        assert.deepEqual(users, ['B', 'Z', 'a', 'b', 'é', '\uffee', '\u{1f600}']);
        assert.deepEqual(await store.connectors.externalUsers(applicationId, { limit: 2 }), [
          'B',
          'Z',
        ]);
      });

      test('are found by literal text, or by their whole id', async () => {
        const { id: applicationId } = await addApplication(store);
        for (const externalUserId of ['50%', '50x', 'a_b', 'axb']) {
          await addConnector(store, { applicationId, externalUserId });
        }
        const find = (options: { contains?: string; externalUserId?: string }) =>
          store.connectors.externalUsers(applicationId, { ...options, limit: 10 });
        assert.deepEqual(await find({ contains: '0%' }), ['50%']);
        assert.deepEqual(await find({ contains: '_' }), ['a_b']);
        assert.deepEqual(await find({ contains: '' }), ['50%', '50x', 'a_b', 'axb']);
        assert.deepEqual(await find({ contains: 'A' }), []);
        assert.deepEqual(await find({ externalUserId: 'axb' }), ['axb']);
        assert.deepEqual(await find({ externalUserId: 'axb', contains: '_' }), []);
      });
    });

    describe('text that PostgreSQL cannot hold', () => {
      test('is refused when written', async () => {
        for (const externalUserId of [NUL, HALF_A_PAIR]) {
          await assert.rejects(addConnector(store, { externalUserId }), (error) =>
            isStoreError(error, 'text_not_storable'),
          );
        }
        await assert.rejects(store.settings.ensure('name', NUL), { code: 'text_not_storable' });
      });

      test('finds nothing, not even what it would be replaced by', async () => {
        const { applicationId, id } = await addConnector(store, { externalUserId: REPLACED });
        for (const text of [NUL, HALF_A_PAIR]) {
          const filters = [{ externalUserId: text }, { kind: text }];
          for (const filter of filters) {
            const found = await store.connectors.list({ applicationId, ...filter }, { limit: 10 });
            assert.deepEqual(found, []);
          }
          const users = [{ contains: text }, { externalUserId: text }];
          for (const options of users) {
            assert.deepEqual(
              await store.connectors.externalUsers(applicationId, { ...options, limit: 10 }),
              [],
            );
          }
          assert.equal(await store.settings.get(text), undefined);
          await store.idempotency.release(sampleIntent({ scope: id, key: text }));
          await store.instances.remove(text);
        }
      });
    });

    describe('signing keys', () => {
      test('come newest first and go by age', async () => {
        await store.signingKeys.create({ id: 'old', sealedKey: 'sealed 1' });
        await store.query(
          `update patchbay.signing_keys set created_at = now() - interval '1 day' where id = 'old'`,
        );
        await store.signingKeys.create({ id: 'new', sealedKey: 'sealed 2' });
        const newest = { id: 'new', sealedKey: 'sealed 2' };
        const oldest = { id: 'old', sealedKey: 'sealed 1' };
        const listed = await store.signingKeys.list();
        assert.deepEqual(
          listed.map(({ id, sealedKey }) => ({ id, sealedKey })),
          [newest, oldest],
        );
        const hours = listed.map(({ ageMs }) => Math.round(ageMs / 3_600_000));
        assert.deepEqual(hours, [0, 24]);
        // It may have signed until the new one came, so its own age says nothing.
        assert.equal(await store.signingKeys.deleteSucceeded(3_600_000), 0);
        await store.query(
          `update patchbay.signing_keys set created_at = now() - interval '2 hours' where id = 'new'`,
        );
        assert.equal(await store.signingKeys.deleteSucceeded(3_600_000), 1);
        assert.deepEqual(
          (await store.signingKeys.list()).map(({ id }) => id),
          ['new'],
        );
      });

      test('of the future have a negative age, and let no other go', async () => {
        await store.query(
          `insert into patchbay.signing_keys values ('future', 'sealed 3', now() + interval '1 year')`,
        );
        const [future] = await store.signingKeys.list();
        assert.ok(future?.id === 'future' && future.ageMs < -86_400_000);
        assert.equal(await store.signingKeys.deleteSucceeded(3_600_000), 0);
      });
    });

    describe('idempotency', () => {
      test('lets exactly one of 100 begin', async () => {
        const { id } = await addConnector(store);
        const answers = await Promise.all(
          Array.from({ length: 100 }, (_, index) =>
            store.idempotency.begin(
              sampleIntent({ scope: id, fingerprint: `f${index}`, instanceId: `i${index}` }),
            ),
          ),
        );
        const winner = answers.findIndex((answer) => answer === undefined);
        const others = answers.filter((answer) => answer !== undefined);
        assert.equal(others.length, 99);
        for (const other of others) {
          assert.equal(other.fingerprint, `f${winner}`);
          assert.equal(other.instanceId, `i${winner}`);
          assert.equal(other.answer, null);
        }
      });

      test('keeps the answer exactly as it was sent', async () => {
        const { id } = await addConnector(store);
        await begin(store, id, 'key');
        const answer = { status: 201, body: '{ "b": 1,\n"a": "\\u0000 é" }' };
        await store.idempotency.finish(sampleIntent({ scope: id }), answer);
        assert.deepEqual(await begin(store, id, 'key'), {
          fingerprint: 'fingerprint',
          answer,
          instanceId: 'instance',
          callNumber: 1,
          isOwnerAlive: false,
        });
      });

      test('keeps keys of different connectors apart', async () => {
        const [first, second] = [await addConnector(store), await addConnector(store)];
        assert.equal(await begin(store, first.id, 'key'), undefined);
        assert.equal(await begin(store, second.id, 'key'), undefined);
      });

      test('forgets a released intent, but never a finished one', async () => {
        const { id } = await addConnector(store);
        const intent = sampleIntent({ scope: id });
        await store.idempotency.begin(intent);
        await store.idempotency.release(intent);
        assert.equal(await store.idempotency.begin(intent), undefined);
        await store.idempotency.finish(intent, { status: 200, body: '{}' });
        await store.idempotency.release(intent);
        assert.ok((await begin(store, id, 'key'))?.answer);
      });

      for (const table of ['idempotency', 'creations'] as const)
        test(`of ${table}: an intent replaces an own one without answer, and no other`, async () => {
          const intents = store[table];
          const { id: scope } = await addConnector(store);
          const first = sampleIntent({ scope });
          const next = sampleIntent({ scope, callNumber: 2, replacesOwn: true });
          assert.equal(await intents.begin(first), undefined);
          for (const other of [
            { replacesOwn: false },
            { instanceId: 'another process' },
            { fingerprint: 'another request' },
            { callNumber: 1 },
          ])
            assert.equal((await intents.begin({ ...next, ...other }))?.fingerprint, 'fingerprint');
          assert.equal(await intents.begin(next), undefined);
          // Late: it is another call's by now.
          await intents.release(first);
          await intents.finish(first, { status: 500, body: '{}' });
          await intents.finish({ ...next, callNumber: null }, { status: 500, body: '{}' });
          assert.equal((await intents.begin(sampleIntent({ scope })))?.answer, null);
          await intents.finish(next, { status: 200, body: '{}' });
          const kept = await intents.begin({ ...next, callNumber: 3 });
          assert.deepEqual(kept?.answer, { status: 200, body: '{}' });
        });

      test('takes a record of more than 24 hours for absent, once', async () => {
        const { id } = await addConnector(store);
        await begin(store, id, 'key');
        await store.idempotency.finish(sampleIntent({ scope: id }), { status: 200, body: '{}' });
        await age(store, id, '23 hours 59 minutes');
        assert.ok((await begin(store, id, 'key'))?.answer);
        await age(store, id, '24 hours');
        const answers = await Promise.all(
          Array.from({ length: 20 }, () => begin(store, id, 'key')),
        );
        assert.equal(answers.filter((answer) => answer === undefined).length, 1);
        assert.equal((await begin(store, id, 'key'))?.answer, null);
      });

      test('knows whether the process that began is alive', async () => {
        const { id } = await addConnector(store);
        const isOwnerAlive = async () => (await begin(store, id, 'key'))?.isOwnerAlive;
        await begin(store, id, 'key');
        assert.equal(await isOwnerAlive(), false);
        await store.instances.beat('instance');
        assert.equal(await isOwnerAlive(), true);
        await store.query(
          `update patchbay.instances set beaten_at = now() - interval '16 seconds'`,
        );
        assert.equal(await isOwnerAlive(), false);
        await store.instances.beat('instance');
        assert.equal(await isOwnerAlive(), true);
        await store.instances.remove('instance');
        assert.equal(await isOwnerAlive(), false);
      });

      test('counts the processes alive that copy records, and those that cannot say', async () => {
        const { instances } = store;
        await store.query('delete from patchbay.instances');
        assert.equal(await instances.countWorkers(), 0);
        await instances.beat('an api');
        await instances.beat('a worker', { isWorker: true });
        await instances.beat('another', { isWorker: true });
        assert.equal(await instances.countWorkers(), 2);
        await store.query(`insert into patchbay.instances (id) values ('of an earlier version')`);
        assert.equal(await instances.countWorkers(), 3);
        await instances.remove('another');
        assert.equal(await instances.countWorkers(), 2);
        await store.query(
          `update patchbay.instances set beaten_at = now() - interval '16 seconds'`,
        );
        assert.equal(await instances.countWorkers(), 0);
        await instances.beat('a worker', { isWorker: true });
        assert.equal(await instances.countWorkers(), 1);
        await store.query('delete from patchbay.instances');
      });

      test('counts the processes alive that lack a master key, and those that cannot say', async () => {
        const { instances } = store;
        await store.query('delete from patchbay.instances');
        await instances.beat('both', { masterKeys: ['new', 'old'] });
        assert.equal(await instances.countWithoutKey('new'), 0);
        await instances.beat('one', { masterKeys: ['old'] });
        await store.query(`insert into patchbay.instances (id) values ('of an earlier version')`);
        assert.equal(await instances.countWithoutKey('new'), 2);
        await instances.beat('one', { masterKeys: ['new'] });
        assert.equal(await instances.countWithoutKey('new'), 1);
        await store.query(
          `update patchbay.instances set beaten_at = now() - interval '16 seconds'`,
        );
        assert.equal(await instances.countWithoutKey('new'), 0);
        await store.query('delete from patchbay.instances');
      });

      test('deletes old records', async () => {
        const { id } = await addConnector(store);
        await begin(store, id, 'key');
        await age(store, id, '3 days');
        const twoDaysMs = 2 * 24 * 3_600_000;
        assert.equal(await store.idempotency.deleteOlderThan(twoDaysMs, 100), 1);
        assert.equal(await store.idempotency.deleteOlderThan(twoDaysMs, 100), 0);
      });

      test('does nothing for a connector that is gone', async () => {
        const answer = { status: 200, body: '{}' };
        await store.idempotency.finish(sampleIntent({ scope: randomUUID() }), answer);
        await store.idempotency.release(sampleIntent({ scope: 'no id' }));
        await assert.rejects(begin(store, randomUUID(), 'key'), { code: '23503' });
      });
    });

    describe('settings', () => {
      test('keep the first value, whoever stores it', async () => {
        assert.equal(await store.settings.get('default_organization'), undefined);
        const values = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            store.settings.ensure('default_organization', `value ${index}`),
          ),
        );
        assert.equal(new Set(values).size, 1);
        assert.equal(await store.settings.get('default_organization'), values[0]);
      });
    });

    test('a ping resolves while the database answers, and not once it is closed', async () => {
      const own = await openTestStore(database);
      await own.ping();
      await own.close();
      await assert.rejects(own.ping());
    });

    test('counts in numbers beyond 32 bits', async () => {
      const { id } = await addConnector(store);
      await store.query('update patchbay.connectors set revision = $1 where id = $2', [
        2 ** 40,
        id,
      ]);
      assert.equal((await store.connectors.update(id, {}))?.revision, 2 ** 40 + 1);
      await store.query('update patchbay.connectors set revision = $1 where id = $2', [
        '9007199254740993',
        id,
      ]);
      await assert.rejects(store.connectors.find(id), RangeError);
    });

    test('orders every text column by code point', async () => {
      const columns = await store.query(
        `select table_name, column_name from information_schema.columns
         where table_schema = 'patchbay' and data_type = 'text'
           and collation_name is distinct from 'C'`,
      );
      assert.deepEqual(columns, []);
    });

    test('loses nothing of 200 transactions at once over 10 connections', async () => {
      await store.query('create table counter (id int primary key, value int not null)');
      await store.query('insert into counter values (1, 0)');
      await Promise.all(Array.from({ length: 10 }, () => incrementCounter(store.connection, 20)));
      assert.deepEqual(await store.query('select value from counter'), [{ value: 200 }]);
    });
  });
}

async function begin(store: TestStore, connectorId: string, key: string) {
  return await store.idempotency.begin(sampleIntent({ scope: connectorId, key }));
}

async function age(store: TestStore, connectorId: string, interval: string): Promise<void> {
  await store.query(
    `update patchbay.idempotency_keys set created_at = now() - $2::interval
     where connector_id = $1`,
    [connectorId, interval],
  );
}

async function increment(store: TestStore, id: string): Promise<void> {
  for (;;) {
    const connector = await store.connectors.find(id);
    assert.ok(connector !== undefined);
    const config = { count: Number(connector.config['count']) + 1 };
    const { revision } = connector;
    if (await store.connectors.update(id, { config }, { ifRevision: revision })) return;
  }
}

async function incrementCounter(connection: PoolConfig, times: number): Promise<void> {
  const client = new Client(connection);
  await client.connect();
  for (let time = 0; time < times; time += 1) {
    await client.query('begin');
    const { rows } = await client.query<{ value: number }>(
      'select value from counter where id = $1 for update',
      [1],
    );
    const value = Number(rows[0]?.value) + 1;
    await client.query('update counter set value = $1 where id = $2', [value, 1]);
    await client.query('commit');
  }
  await client.end();
}

async function listByPages(
  store: TestStore,
  applicationId: string,
  limit: number,
): Promise<readonly ConnectorRow[]> {
  const rows: ConnectorRow[] = [];
  for (;;) {
    const last = rows.at(-1);
    const page = await store.connectors.list(
      { applicationId },
      last === undefined ? { limit } : { limit, after: last },
    );
    rows.push(...page);
    if (page.length < limit) return rows;
  }
}

function positionOf(connector: ConnectorRow): string {
  return `${connector.createdAt.toISOString()} ${connector.id}`;
}

function byName(left: { readonly name: string }, right: { readonly name: string }): number {
  return left.name < right.name ? -1 : 1;
}
