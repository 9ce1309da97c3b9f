import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import type { Tables } from '../src/database.ts';
import { isStoreError, openStore } from '../src/index.ts';
import { MIGRATIONS } from '../src/migrations/all.ts';
import { migrate } from '../src/migrations/migrate.ts';
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
      const pool = new Pool({ ...store.connection, max: 1 });
      const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
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
      const pool = new Pool({ ...store.connection, max: 1 });
      await using kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
      await store.query('drop schema patchbay cascade');
      await migrate(kysely, MIGRATIONS.slice(0, 1));
      const id = randomUUID();
      const sealed = 'eyJhbGciOiJBMjU2R0NNS1cifQ.key.iv.text.tag';
      await addOldConnector(store, id, sealed);
      await migrate(kysely, MIGRATIONS.slice(0, 3));
      const current = `made-of-settings.${oldHash(sealed)}`;
      const other = `made-of-settings.${oldHash('sealed before')}`;
      await store.query(
        `insert into patchbay.entity_syncs (connector_id, entity, definition_hash, read_mode,
          read_definition_hash, read_started_at, read_records, read_pages)
        select $1::uuid, entity, done, case when read is not null then 'full' end, read,
          case when read is not null then now() end, length(read), length(read)
        from (values ('matches', $2, null), ('did not', $3::text, null), ('is read', null, $2::text),
          ('is read again', $3, $2), ('never', null, null)) as e (entity, done, read)`,
        [id, current, other],
      );
      await migrate(kysely);
      const rows = await store.query(
        `select entity, definition_hash as done, read_definition_hash as read
        from patchbay.entity_syncs order by entity`,
      );
      assert.deepEqual(rows, [
        { entity: 'did not', done: other, read: null },
        { entity: 'is read', done: null, read: 'made-of-settings.1' },
        { entity: 'is read again', done: other, read: 'made-of-settings.1' },
        { entity: 'matches', done: 'made-of-settings.1', read: null },
        { entity: 'never', done: null, read: null },
      ]);
      const connector = await store.connectors.find(id);
      assert.partialDeepStrictEqual(connector, {
        sealedCredentials: sealed,
        credentialsEpoch: 1,
        credentialsDigest: null,
        revision: 1,
      });
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
