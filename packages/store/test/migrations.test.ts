import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { isStoreError, openStore } from '../src/index.ts';
import { MIGRATIONS } from '../src/migrations/all.ts';
import { migrate } from '../src/migrations/migrate.ts';
import { openKysely } from './support/open-kysely.ts';
import { openTestStore, queryOnce } from './support/open-test-store.ts';
import { addOldConnector } from './support/sample-rows.ts';
import { startStoreProcess } from './support/start-store-process.ts';
import {
  SERVER,
  TEST_DATABASES,
  type TestDatabase,
  type TestPlace,
} from './support/test-databases.ts';

/** Number of the step after the last one. */
const NEXT = MIGRATIONS.length + 1;

for (const database of TEST_DATABASES) {
  describe(`the schema on ${database.name}`, { skip: database.skip }, () => {
    test('is at the last step, each recorded once', async () => {
      await using store = await openTestStore(database);
      const rows = await store.query(
        'select number, name from patchbay.schema_migrations order by number',
      );
      assert.deepEqual(
        rows,
        MIGRATIONS.map(({ number, name }) => ({ number, name })),
      );
    });

    test('is refused when a newer program has made it', async () => {
      await using place = await makePlace(database);
      await changeSchema(
        place,
        `insert into patchbay.schema_migrations values (${NEXT}, 'later', 'x')`,
      );
      await assert.rejects(openStore(place.options), {
        code: 'schema_too_new',
        message: `The database has schema version ${NEXT}, which is newer than this program (it knows ${NEXT - 1}); start the newer Patchbay that made it, or restore a backup.`,
      });
    });

    test('is refused when another program has made it', async () => {
      await using place = await makePlace(database);
      await changeSchema(place, `update patchbay.schema_migrations set checksum = 'other'`);
      await assert.rejects(openStore(place.options), (error) =>
        isStoreError(error, 'schema_changed'),
      );
    });

    test('takes a step as a whole or not at all', async () => {
      await using store = await openTestStore(database);
      const kysely = openKysely(store);
      const second = { number: NEXT, name: 'second', sql: 'create table second (id int)' };
      const third = {
        number: NEXT + 1,
        name: 'third',
        sql: 'create table third (id int); select oops',
      };
      await assert.rejects(migrate(kysely, [...MIGRATIONS, second, third]), { code: '42703' });
      const corrected = { ...third, sql: 'create table third (id int)' };
      assert.deepEqual(await migrate(kysely, [...MIGRATIONS, second, corrected]), ['third']);
      assert.deepEqual(await migrate(kysely, [...MIGRATIONS, second, corrected]), []);
      await kysely.destroy();
    });

    test('keeps what matched when credentials get an epoch, so that nothing is read anew', async () => {
      await using store = await openTestStore(database);
      await using kysely = openKysely(store);
      await store.query('drop schema patchbay cascade');
      await migrate(kysely, MIGRATIONS.slice(0, 1));
      const sealed = 'eyJhbGciOiJBMjU2R0NNS1cifQ.key.iv.text.tag';
      const [idle, queued, paused] = [randomUUID(), randomUUID(), randomUUID()];
      for (const id of [idle, queued, paused]) await addOldConnector(store, id, sealed);
      const settings = '{"subdomain":"acme"}{"start_date":"2026-01-01T00:00:00Z"}';
      await store.query(
        `update patchbay.connectors set config = '{"subdomain":"acme"}',
          replication_config = '{"start_date":"2026-01-01T00:00:00Z"}'`,
      );
      await migrate(kysely, MIGRATIONS.slice(0, 3));
      const current = `made-of-settings.${oldHash(sealed)}`;
      const other = `made-of-settings.${oldHash('sealed before')}`;
      const ids = [idle, queued, paused];
      await store.query(
        `insert into patchbay.sync_runs (id, connector_id, cause, state, requested_at, started_at, finished_at)
        select gen_random_uuid(), id, 'schedule', 'succeeded', now(), now() - interval '1 minute', now()
        from unnest($1::uuid[]) as id`,
        [ids],
      );
      await store.query(
        `insert into patchbay.sync_runs (id, connector_id, cause, state)
        values (gen_random_uuid(), $1, 'definition', 'queued')`,
        [queued],
      );
      await store.query(`update patchbay.connectors set is_paused = true where id = $1`, [paused]);
      await store.query(
        `insert into patchbay.entity_syncs (connector_id, entity, definition_hash, as_of)
        select id, entity, hash, now() - age
        from unnest($1::uuid[]) as id, (values
          ('has failed since', $2, interval '2 minutes'), ('matches', $2, interval '0'),
          ('did not', $3, interval '0'), ('never', null, null)) as e (entity, hash, age)`,
        [ids, current, other],
      );
      await migrate(kysely);
      const rows = await store.query(
        `select connector_id as id, entity, definition_hash as hash from patchbay.entity_syncs`,
      );
      const hashes = (id: string): Readonly<Record<string, unknown>> =>
        Object.fromEntries(
          rows.filter((row) => row['id'] === id).map((row) => [String(row['entity']), row['hash']]),
        );
      const asBefore = {
        'has failed since': current,
        matches: current,
        'did not': other,
        never: null,
      };
      const connector = await store.connectors.find(idle);
      assert.ok(connector !== undefined);
      assert.equal(
        JSON.stringify(connector.config) + JSON.stringify(connector.replicationConfig),
        settings,
      );
      assert.deepEqual(hashes(idle), {
        ...asBefore,
        matches: `first-release-${oldHash(settings)}.1`,
      });
      assert.deepEqual(hashes(queued), asBefore);
      assert.deepEqual(hashes(paused), asBefore);
      assert.partialDeepStrictEqual(connector, {
        sealedCredentials: sealed,
        credentialsEpoch: 1,
        credentialsDigest: null,
        revision: 1,
      });
    });

    test('keeps the secret of an application, unless that is revoked', async () => {
      await using store = await openTestStore(database);
      await using kysely = openKysely(store);
      await store.query('drop schema patchbay cascade');
      await migrate(kysely, MIGRATIONS.slice(0, 8));
      await store.query(
        `with o as (insert into patchbay.organizations values (gen_random_uuid(), 'o') returning id)
        insert into patchbay.applications
          (id, organization_id, client_id, secret_hash, name, created_at, revoked_at)
        select gen_random_uuid(), o.id, c.client_id, 'hash of ' || c.client_id, 'a',
          '2026-01-01T00:00:00Z', c.revoked_at
        from o, (values ('live', null), ('revoked', '2026-02-02T00:00:00Z'::timestamptz))
          as c (client_id, revoked_at)`,
      );
      await migrate(kysely);
      const login = await store.applications.findLogin('live');
      assert.deepEqual(login?.secretHashes, ['hash of live']);
      assert.partialDeepStrictEqual(login.application, {
        allowedOrigins: [],
        allowedReturnUrls: [],
        callsPerMinute: null,
        updatedAt: new Date('2026-01-01T00:00:00Z'),
      });
      assert.equal(await store.applications.findLogin('revoked'), undefined);
      const revoked = await store.applications.findByClientId('revoked');
      assert.deepEqual(revoked?.revokedAt, new Date('2026-02-02T00:00:00Z'));
      assert.deepEqual(await store.applications.secrets(revoked.id), []);
      // As before: the one that a start gives takes the place of the one there was.
      const given = { id: randomUUID(), secretHash: 'given' };
      await store.applications.ensure({ ...login.application, id: randomUUID() }, given);
      assert.deepEqual((await store.applications.findLogin('live'))?.secretHashes, ['given']);
    });
  });
}

/** As version 0.1 made it of the sealed text, for the end of definition hashes. */
function oldHash(sealed: string): string {
  return createHash('sha256').update(sealed).digest('base64url').slice(0, 22);
}

describe('several processes on one PostgreSQL', { skip: SERVER.skip }, () => {
  test('all open an empty database at once', async () => {
    await using place = await makePlace(SERVER);
    const processes = Array.from({ length: 4 }, () => startStoreProcess(place.options, 1));
    const lines = await Promise.all(processes.map((process) => process.nextLine()));
    assert.deepEqual(lines, ['opened', 'opened', 'opened', 'opened']);
    await Promise.all(processes.map((process) => process.nextLine()));
    const rows = await queryOnce(
      await place.connection(),
      'select (select count(*) from patchbay.schema_migrations)::int as steps, (select count(*) from patchbay.organizations)::int as rows',
    );
    assert.deepEqual(rows, [{ steps: MIGRATIONS.length, rows: 4 }]);
    await Promise.all(processes.map((process) => process.finish()));
  });
});

async function makePlace(database: TestDatabase): Promise<TestPlace & AsyncDisposable> {
  const place = await database.make();
  return { ...place, [Symbol.asyncDispose]: () => place.remove() };
}

/** Runs SQL on the schema that this program has made. */
async function changeSchema(place: TestPlace, sql: string): Promise<void> {
  await using _store = await openStore(place.options);
  await queryOnce(await place.connection(), sql);
}
