import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConnectorKind, Entity } from '@patchbay/connectors';
import { allKinds } from '@patchbay/connectors/engine';
import { searchedThings } from '@patchbay/connectors/testing';
import { Kysely, PostgresDialect } from 'kysely';
import { Client } from 'pg';
import { ConnectionPool } from '../../src/connection-pool.ts';
import type { CopyRecord } from '../../src/contract/copies.ts';
import { makeCopyContext, openCopy } from '../../src/copies/open-copy.ts';
import { CopyTables, copyDefinitionHash } from '../../src/copies/copy-table.ts';
import { reconcileTables } from '../../src/copies/reconcile.ts';
import { searchCopy } from '../../src/copies/search/search-copy.ts';
import { writeRecords } from '../../src/copies/write-records.ts';
import { SCHEMA, type Database, type Tables } from '../../src/database.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';
import { addConnector } from '../support/sample-rows.ts';
import { SERVER, TEST_DATABASES } from '../support/test-databases.ts';
import { until } from '../support/until.ts';
import { kindOf, searchOf } from './support/open-test-copies.ts';

/** As an older version of the program knows it. */
const { rank, ...olderOnly } = searchedThings.search.only;
const olderThings: Entity = {
  ...searchedThings,
  search: {
    ...searchedThings.search,
    fields: searchedThings.search.fields.filter((name) => name !== 'rank'),
    only: olderOnly,
    sortable: ['id'],
  },
};

/** With a field of another type. */
const changedThings: Entity = {
  ...searchedThings,
  record: { ...searchedThings.record, note: rank },
};

for (const database of TEST_DATABASES) {
  describe(`tables of copies on ${database.name}`, { skip: database.skip }, () => {
    test('are there for every searchable entity, with an index for every sortable field', async () => {
      await using store = await openTestStore(database);
      const tables = new CopyTables(allKinds());
      const found = await store.query(
        `select tablename as name from pg_tables where schemaname = 'patchbay' and tablename like 'copy\\_%'`,
      );
      const names = new Set(found.map(({ name }) => name));
      assert.ok(tables.all.length > 10);
      for (const table of tables.all) assert.ok(names.has(table.name), table.name);
      const [indexes] = await store.query(
        `select count(*)::int as count from pg_indexes where schemaname = 'patchbay' and indexname ~ '_by_(text|int8|float8|boolean)_'`,
      );
      const sortable = tables.all.flatMap(({ columns }) =>
        columns.filter(({ field }) => field.isSortable),
      );
      assert.equal(indexes?.['count'], sortable.length);
    });

    test('are left alone once they are as the definitions ask', async () => {
      await using store = await openTestStore(database, { kinds: [kindOf([searchedThings])] });
      await using other = connect(store);
      const tables = new CopyTables([kindOf([searchedThings])]);
      assert.deepEqual(await reconcileTables(other.database, tables), []);
    });

    test('get what a newer definition adds, and older processes go on', async () => {
      await using store = await openTestStore(database, { kinds: [kindOf([olderThings])] });
      await using other = connect(store);
      const { id: connectorId } = await addConnector(store, { kind: 'test-kind' });
      const copy = { connectorId, kind: 'test-kind', entity: 'things' };
      const { isDistributed } = store.profile;
      const older = makeCopyContext(new CopyTables([kindOf([olderThings])]), { isDistributed });
      const newer = makeCopyContext(new CopyTables([kindOf([searchedThings])]), { isDistributed });
      const record: CopyRecord = { key: '1', values: { name: 'Ada', rank: 7 } };
      const write = async (context: typeof older, records: readonly CopyRecord[]) =>
        await other.database.transaction().execute((transaction) =>
          writeRecords(openCopy(transaction, context, copy), records, {
            generation: 1,
            lastGeneration: 1,
            askedAt: new Date(Date.now() + 60_000),
          }),
        );
      const find = async (context: typeof older, entity: Entity, filter: object) =>
        (
          await searchCopy(
            openCopy(other.database, context, copy),
            searchOf(entity, { query: { filter } }),
          )
        ).hits;

      assert.deepEqual(await write(older, [record]), { added: 1, changed: 0 });
      assert.deepEqual(await reconcileTables(other.database, newer.tables), [
        'copy_test_kind_things',
      ]);
      const all = {};
      assert.equal((await find(older, olderThings, all)).length, 1);
      assert.deepEqual(await find(newer, searchedThings, { eq: { rank: 7 } }), []);

      // Nothing of the record is new but what it is made by.
      assert.deepEqual(await write(newer, [record]), { added: 0, changed: 1 });
      assert.equal((await find(newer, searchedThings, { eq: { rank: 7 } })).length, 1);

      assert.deepEqual(await write(older, [record, { ...record, key: '2' }]), {
        added: 1,
        changed: 1,
      });
      assert.equal((await find(older, olderThings, { fuzzy: { name: 'ada' } })).length, 2);
      assert.equal((await find(newer, searchedThings, { fuzzy: { name: 'ada' } })).length, 2);
    });

    test('keep the old column of a field whose type changes', async () => {
      await using store = await openTestStore(database, { kinds: [kindOf([searchedThings])] });
      await using other = connect(store);
      await reconcileTables(other.database, new CopyTables([kindOf([changedThings])]));
      const columns = await store.query(
        `select column_name as name from information_schema.columns
         where table_name = 'copy_test_kind_things' and column_name like '%note' order by 1`,
      );
      assert.deepEqual(columns, [{ name: 'int8_note' }, { name: 'text_note' }]);
    });

    test('are made once by several processes that start at once', async () => {
      await using store = await openTestStore(database, { kinds: [] });
      const kinds = [kindOf([searchedThings]), kindOf([searchedThings], 'other-kind')];
      const tables = new CopyTables(kinds);
      await using others = connect(store);
      const made = await Promise.all(
        Array.from({ length: 4 }, () => reconcileTables(others.database, tables)),
      );
      assert.deepEqual(made.flat().toSorted(), ['copy_other_kind_things', 'copy_test_kind_things']);
    });

    test('stay whole where making them fails half way', async () => {
      await using store = await openTestStore(database, { kinds: [] });
      await using other = connect(store);
      // Something else is in the way.
      await store.query('create view patchbay.copy_test_kind_things as select 1 as one');
      const kinds: ConnectorKind[] = [kindOf([searchedThings], 'a-kind'), kindOf([searchedThings])];
      await assert.rejects(reconcileTables(other.database, new CopyTables(kinds)));
      const left = await store.query(
        `select 1 as found from pg_tables where tablename = 'copy_a_kind_things'`,
      );
      assert.deepEqual(left, []);
      await store.query('drop view patchbay.copy_test_kind_things');
      assert.equal((await reconcileTables(other.database, new CopyTables(kinds))).length, 2);
    });
  });
}

describe('tables of copies that are in use', { skip: SERVER.skip }, () => {
  test('are searched while another one, or they themselves, wait for what they lack', async () => {
    await using store = await openTestStore(SERVER, { kinds: twoKinds(olderThings) });
    await using other = connect(store);
    const reader = new Client(store.connection);
    await reader.connect();
    const waiting = async () => {
      const found = await store.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return found.length > 0;
    };
    // As a search that takes long.
    await reader.query('begin; select from patchbay.copy_b_kind_things');
    const made = reconcileTables(other.database, new CopyTables(twoKinds(searchedThings)));
    await until(waiting);
    for (const table of ['copy_a_kind_things', 'copy_b_kind_things'])
      assert.deepEqual(await store.query(`select from patchbay.${table}`), []);
    await reader.query('commit');
    await reader.end();
    assert.deepEqual(await made, ['copy_a_kind_things', 'copy_b_kind_things']);
  });
});

test('another definition has another hash, and only then', () => {
  const hash = copyDefinitionHash('test-kind', searchedThings);
  assert.equal(copyDefinitionHash('test-kind', { ...searchedThings, doc: 'Else.' }), hash);
  assert.notEqual(copyDefinitionHash('test-kind', olderThings), hash);
  assert.notEqual(copyDefinitionHash('test-kind', changedThings), hash);
  assert.notEqual(copyDefinitionHash('other-kind', searchedThings), hash);
});

test('names that PostgreSQL would cut stay apart', () => {
  const long = 'a'.repeat(60);
  const names = [`${long}_one`, `${long}_two`].map(
    (name) => new CopyTables([kindOf([{ ...searchedThings, name }])]).all[0]?.name ?? '',
  );
  assert.ok(names.every((name) => name.length === 63));
  assert.equal(new Set(names).size, 2);
});

function twoKinds(things: Entity): readonly ConnectorKind[] {
  return [kindOf([things], 'a-kind'), kindOf([things], 'b-kind')];
}

function connect(store: TestStore): { readonly database: Database } & AsyncDisposable {
  const pool = new ConnectionPool({
    connection: store.connection,
    description: 'the test database',
    logger: { info: () => undefined, warn: () => undefined },
  });
  return {
    database: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }).withSchema(SCHEMA),
    [Symbol.asyncDispose]: () => pool.end(),
  };
}
