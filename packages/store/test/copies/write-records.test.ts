import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { searchedThings } from '@patchbay/connectors/testing';
import type { CopyId, CopyRecord } from '../../src/contract/copies.ts';
import { deleteRecords, deleteSomeRecords, deleteUnseen } from '../../src/copies/delete-records.ts';
import { writeRecords, type RecordWrite } from '../../src/copies/write-records.ts';
import { addConnector } from '../support/sample-rows.ts';
import { countRecords } from '../support/sample-syncs.ts';
import { TEST_DATABASES } from '../support/test-databases.ts';
import {
  databaseNow,
  openTestCopies,
  searchOf,
  type TestCopies,
} from './support/open-test-copies.ts';

for (const database of TEST_DATABASES) {
  describe(`writing copies on ${database.name}`, { skip: database.skip }, () => {
    let copies: TestCopies;
    before(async () => {
      copies = await openTestCopies(database, [searchedThings]);
    });
    after(() => copies[Symbol.asyncDispose]());

    test('counts what was added and what was changed', async () => {
      const copy = await copies.newCopy('things');
      const first = [thing('1'), thing('2'), thing('3')];
      assert.deepEqual(await write(copy, first), { added: 3, changed: 0 });
      const second = [thing('2'), thing('3', { name: 'Other' }), thing('4')];
      assert.deepEqual(await write(copy, second), { added: 1, changed: 1 });
      assert.equal(await countRecords(copies.store, copy), 4);
      assert.deepEqual(await keysWhere(copy, { eq: { name: 'Other' } }), ['3']);
    });

    test('takes the last of several records with one key', async () => {
      const copy = await copies.newCopy('things');
      const written = await write(copy, [thing('1'), thing('1', { name: 'Last' }), thing('2')]);
      assert.deepEqual(written, { added: 2, changed: 0 });
      assert.deepEqual(await keysWhere(copy, { keyword: { name: 'last' } }), ['1']);
      assert.deepEqual(await keysWhere(copy, { keyword: { name: 'thing' } }), ['2']);
    });

    test('takes more records than one statement does, and large ones', async () => {
      const copy = await copies.newCopy('things');
      const many = Array.from({ length: 2_345 }, (_, index) => thing(String(index)));
      const large = Array.from({ length: 5 }, (_, index) =>
        thing(`large ${index}`, { note: `${'x'.repeat(2_000_000)} ${index}` }),
      );
      assert.deepEqual(await write(copy, [...many, ...large]), { added: 2_350, changed: 0 });
      assert.deepEqual(await keysWhere(copy, { keyword: { note: '3' } }), ['large 3']);
    });

    test('finds by new values, and no longer by old ones', async () => {
      const copy = await copies.newCopy('things');
      await write(copy, [thing('1', { name: 'Before', profile: { plan: 'free' }, tags: ['a'] })]);
      await write(copy, [thing('1', { name: 'After', profile: { plan: 'pro' }, tags: ['b'] })]);
      for (const gone of [
        { keyword: { name: 'before' } },
        { fuzzy: { name: 'befroe' } },
        { like: { name: 'efor' } },
        { eq: { 'profile.plan': 'free' } },
        { contains: { tags: 'a' } },
      ]) {
        assert.deepEqual(await keysWhere(copy, gone), [], JSON.stringify(gone));
      }
      for (const there of [
        { keyword: { name: 'after' } },
        { fuzzy: { name: 'aftre' } },
        { like: { name: 'fter' } },
        { eq: { 'profile.plan': 'pro' } },
        { contains: { tags: 'b' } },
      ]) {
        assert.deepEqual(await keysWhere(copy, there), ['1'], JSON.stringify(there));
      }
    });

    test('stores U+FFFD in place of NUL and lone surrogates, in keys and at any depth', async () => {
      const copy = await copies.newCopy('things');
      await write(copy, [
        thing('a\0b', {
          name: 'x\0y',
          profile: { 'k\0': ['\ud800', { deep: 'z\udc00' }] },
        }),
      ]);
      const page = await copies.store.copies.search(copy, searchOf(searchedThings, { query: {} }));
      assert.equal(page.hits[0]?.id, 'a\ufffdb');
      const data = JSON.parse(page.hits[0].data) as Record<string, unknown>;
      assert.equal(data['name'], 'x\ufffdy');
      assert.deepEqual(data['profile'], { 'k\ufffd': ['\ufffd', { deep: 'z\ufffd' }] });
      assert.deepEqual(await keysWhere(copy, { eq: { name: 'x\0y' } }), ['a\ufffdb']);
    });

    test('keeps texts of any length, and finds and sorts them', async () => {
      const copy = await copies.newCopy('things');
      const long = 'ä'.repeat(9_000);
      await write(copy, [
        thing('1', { name: `${long}b` }),
        thing('2', { name: `${long}a` }),
        thing('3', { name: long }),
        thing('4', { name: 'a' }),
        thing('5', { name: `${'ä'.repeat(299)}z` }),
        thing('6', { name: null }),
        thing('7', { name: `${long}a` }),
      ]);
      for (const limit of [1, 2, 10]) {
        assert.deepEqual(await walk(copy, [{ name: 'asc' }], limit), [
          '4',
          '5',
          '3',
          '2',
          '7',
          '1',
          '6',
        ]);
        assert.deepEqual(await walk(copy, [{ name: 'desc' }], limit), [
          '1',
          '2',
          '7',
          '3',
          '5',
          '4',
          '6',
        ]);
      }
      assert.deepEqual(await keysWhere(copy, { gt: { name: `${long}a` } }), ['1']);
      assert.deepEqual(await keysWhere(copy, { lte: { name: long } }), ['3', '4', '5']);
      assert.deepEqual(await keysWhere(copy, { eq: { name: `${long}a` } }), ['2', '7']);
    });

    test('refuses a key that indexes cannot take', async () => {
      const copy = await copies.newCopy('things');
      await write(copy, [thing('k'.repeat(1_000))]);
      await assert.rejects(write(copy, [thing('k'.repeat(1_001))]), /more than 1000 bytes/);
    });

    test('refuses a value that is not of its field', async () => {
      const copy = await copies.newCopy('things');
      await assert.rejects(write(copy, [thing('1', { size: 'big' })]), /size is no integer/);
      await assert.rejects(write(copy, [thing('1', { size: 1.5 })]), /size is no integer/);
      await assert.rejects(write(copy, [thing('1', { name: 5 })]), /name is no string/);
    });

    test('writes nothing where the transaction is rolled back, nor remembers its words', async () => {
      const copy = await copies.newCopy('things');
      const rollBack = copies.database.transaction().execute(async (transaction) => {
        const now = { generation: 1, lastGeneration: 1, askedAt: new Date() };
        const within = copies.open(copy, { database: transaction });
        await writeRecords(within, [thing('1', { name: 'Lovelace' })], now);
        throw new Error('rolled back');
      });
      await assert.rejects(rollBack, /rolled back/);
      assert.equal(await countRecords(copies.store, copy), 0);
      await write(copy, [thing('1', { name: 'Lovelace' })]);
      assert.deepEqual(await keysWhere(copy, { fuzzy: { name: 'lovelcae' } }), ['1']);
    });

    test('adds a word only once, however many records have it', async () => {
      const copy = await copies.newCopy('things');
      await write(copy, [thing('1', { name: 'Ada' }), thing('2', { name: 'ADA ada' })]);
      await write(copy, [thing('3', { name: 'ada' })]);
      const rows = await copies.store.query(
        'select word from patchbay.copy_words where connector_id = $1 order by word',
        [copy.connectorId],
      );
      assert.deepEqual(rows, [{ word: 'ada' }]);
    });

    describe('a page', () => {
      test('does not undo what was written after it was asked for', async () => {
        const copy = await realCopy();
        await write(copy, [thing('1', { name: 'Old', size: 1 })]);
        const askedAt = await databaseNow(copies.store);
        await letTimePass(askedAt);
        await copies.store.copies.merge(copy, thing('1', { name: 'Ours' }));
        assert.deepEqual(await write(copy, [thing('1', { name: 'Stale', size: 2 })], { askedAt }), {
          added: 0,
          changed: 0,
        });
        assert.deepEqual(await keysWhere(copy, { eq: { name: 'Ours', size: 1 } }), ['1']);
        assert.deepEqual(await write(copy, [thing('1', { name: 'New', size: 2 })]), {
          added: 0,
          changed: 1,
        });
      });

      test('does not undo even a write that found nothing to change', async () => {
        const copy = await realCopy();
        await write(copy, [thing('1', { name: 'Same' })]);
        const askedAt = await databaseNow(copies.store);
        await letTimePass(askedAt);
        await copies.store.copies.merge(copy, { key: '1', values: { name: 'Same' } });
        await write(copy, [thing('1', { name: 'Stale' })], { askedAt });
        assert.deepEqual(await keysWhere(copy, { eq: { name: 'Same' } }), ['1']);
      });

      test('changes what the page before it has written in the same instant', async () => {
        const copy = await copies.newCopy('things');
        const askedAt = await databaseNow(copies.store);
        await write(copy, [thing('1')], { askedAt });
        const [row] = await copies.store.query(
          `select synced_at from patchbay.copy_test_kind_things where connector_id = $1`,
          [copy.connectorId],
        );
        const writtenAt = row?.['synced_at'];
        assert.ok(writtenAt instanceof Date);
        const written = await write(copy, [thing('1', { size: 9 })], { askedAt: writtenAt });
        assert.deepEqual(written, { added: 0, changed: 1 });
      });
    });

    describe('a merge', () => {
      test('replaces only the fields that it has, and adds a record that is not there', async () => {
        const copy = await realCopy();
        await write(copy, [thing('1', { name: 'Old', note: 'kept', profile: { a: 1, b: 2 } })]);
        await copies.store.copies.merge(copy, {
          key: '1',
          values: { name: 'New', profile: { a: 3 }, nothing: 'of the kind' },
        });
        assert.deepEqual(
          await keysWhere(copy, { eq: { name: 'New', note: 'kept', profile: { a: 3 } } }),
          ['1'],
        );
        await copies.store.copies.merge(copy, { key: '2', values: { name: 'Added' } });
        assert.deepEqual(await keysWhere(copy, { eq: { name: 'Added', size: null } }), ['2']);
        assert.deepEqual(await keysWhere(copy, { fuzzy: { name: 'adedd' } }), ['2']);
      });

      test('of what only known records may have does nothing to others', async () => {
        const copy = await realCopy();
        await copies.store.copies.merge(copy, thing('1'), { onlyKnown: true });
        assert.equal(await countRecords(copies.store, copy), 0);
      });

      test('adds nothing to a connector that has been deleted', async () => {
        const copy = await realCopy();
        await copies.store.connectors.delete(copy.connectorId, randomUUID());
        await copies.store.copies.merge(copy, thing('1'));
        assert.equal(await countRecords(copies.store, copy), 0);
      });

      test('loses nothing of another one at the same time', async () => {
        const copy = await realCopy();
        await Promise.all([
          copies.store.copies.merge(copy, { key: '1', values: { name: 'Name' } }),
          copies.store.copies.merge(copy, { key: '1', values: { note: 'Note' } }),
          copies.store.copies.merge(copy, { key: '1', values: { size: 7 } }),
        ]);
        assert.deepEqual(await keysWhere(copy, { eq: { name: 'Name', note: 'Note', size: 7 } }), [
          '1',
        ]);
      });
    });

    describe('parents', () => {
      test('come in the order of their keys, with the fields asked for', async () => {
        const copy = await copies.newCopy('things');
        await write(copy, [
          thing('b', { size: 2 }),
          thing('a', { size: 1 }),
          thing('d', { size: 1 }),
          thing('c', { size: 1 }),
        ]);
        const { filter } = searchOf(searchedThings, { query: { filter: { eq: { size: 1 } } } });
        const ask = { filter, fields: ['id', 'size'], limit: 2 };
        const first = await copies.store.copies.parents(copy, ask);
        assert.deepEqual(first, [
          { key: 'a', values: { id: 'a', size: 1 } },
          { key: 'c', values: { id: 'c', size: 1 } },
        ]);
        const second = await copies.store.copies.parents(copy, { ...ask, after: 'c' });
        assert.deepEqual(
          second.map(({ key }) => key),
          ['d'],
        );
      });

      test('are those added or changed since, where that is asked for', async () => {
        const copy = await copies.newCopy('things');
        await write(copy, [thing('1'), thing('2'), thing('3')]);
        await letTimePass(await databaseNow(copies.store));
        const changedSince = await databaseNow(copies.store);
        await write(copy, [thing('1'), thing('2', { size: 5 }), thing('4')]);
        const { filter } = searchOf(searchedThings, { query: {} });
        const found = await copies.store.copies.parents(copy, {
          filter,
          fields: ['id'],
          changedSince,
          limit: 10,
        });
        assert.deepEqual(
          found.map(({ key }) => key),
          ['2', '4'],
        );
      });
    });

    describe('a full read', () => {
      test('leaves records behind that it has not seen, and only those', async () => {
        const copy = await copies.newCopy('things');
        await write(copy, [thing('1'), thing('2'), thing('3'), thing('4')], { generation: 1 });
        await letTimePass(await databaseNow(copies.store));
        const startedAt = await databaseNow(copies.store);
        await write(copy, [thing('1'), thing('2', { size: 2 })], { generation: 2 });
        await write(copy, [thing('5')], { generation: null });
        const unseen = { generation: 2, before: startedAt };
        const sweep = (behind: string | undefined, limit: number) =>
          deleteUnseen(copies.open(copy), { ...unseen, after: behind, limit });
        assert.deepEqual(await sweep(undefined, 3), { looked: 3, deleted: 1, last: '3' });
        assert.deepEqual(await sweep('3', 3), { looked: 2, deleted: 1, last: '5' });
        assert.deepEqual(await sweep('5', 3), { looked: 0, deleted: 0, last: undefined });
        assert.deepEqual(await keysWhere(copy, {}), ['1', '2', '5']);
      });

      test('sees unchanged records again and again', async () => {
        const copy = await copies.newCopy('things');
        for (const generation of [1, 2, 3]) await write(copy, [thing('1')], { generation });
        await letTimePass(await databaseNow(copies.store));
        const startedAt = await databaseNow(copies.store);
        const sweep = async (generation: number) => {
          const unseen = { generation, before: startedAt, after: undefined, limit: 10 };
          return (await deleteUnseen(copies.open(copy), unseen)).deleted;
        };
        assert.equal(await sweep(3), 0);
        assert.equal(await sweep(4), 1);
        const [left] = await copies.store.query(
          'select count(*)::int as count from patchbay.copy_sightings where connector_id = $1',
          [copy.connectorId],
        );
        assert.equal(left?.['count'], 0);
      });
    });

    test('deletes the records of some keys', async () => {
      const copy = await copies.newCopy('things');
      await write(copy, [thing('1'), thing('2'), thing('3')]);
      const deleted = await deleteRecords(copies.open(copy), ['1', '3', '9']);
      assert.equal(deleted, 2);
      assert.deepEqual(await keysWhere(copy, {}), ['2']);
    });

    test('clears a connector step by step, and no other one', async () => {
      const copy = await copies.newCopy('things');
      const other = await copies.newCopy('things');
      const records = Array.from({ length: 25 }, (_, index) => thing(String(index)));
      await write(copy, records, { generation: 1 });
      await write(copy, records, { generation: 2 });
      await write(other, records, { generation: 1 });
      let steps = 0;
      for (;;) {
        const deleted = await deleteSomeRecords(copies.database, copy, 10);
        assert.ok(deleted <= 10);
        if (deleted === 0) break;
        steps++;
      }
      assert.ok(steps >= 5);
      for (const table of ['copy_test_kind_things', 'copy_sightings', 'copy_words']) {
        const [left] = await copies.store.query(
          `select count(*)::int as count from patchbay.${table} where connector_id = $1`,
          [copy.connectorId],
        );
        assert.equal(left?.['count'], 0, table);
      }
      assert.equal(await countRecords(copies.store, other), 25);
    });

    async function write(
      copy: CopyId,
      records: readonly CopyRecord[],
      how: Partial<RecordWrite> = {},
    ): Promise<{ readonly added: number; readonly changed: number }> {
      const askedAt = how.askedAt ?? (await databaseNow(copies.store));
      const { generation = 1 } = how;
      return await copies.database.transaction().execute((transaction) =>
        writeRecords(copies.open(copy, { database: transaction }), records, {
          generation,
          lastGeneration: generation ?? 1,
          askedAt,
        }),
      );
    }

    /** A copy of a connector that is stored: merges ask for it. */
    async function realCopy(): Promise<CopyId> {
      const { id } = await addConnector(copies.store, { kind: copies.kind.kind });
      return { connectorId: id, kind: copies.kind.kind, entity: 'things' };
    }

    /** Until the database's clock shows a later millisecond. */
    async function letTimePass(instant: Date): Promise<void> {
      while ((await databaseNow(copies.store)) <= instant);
    }

    async function keysWhere(copy: CopyId, filter: object): Promise<readonly string[]> {
      const search = searchOf(searchedThings, { query: { filter } });
      const page = await copies.store.copies.search(copy, search);
      return page.hits.map(({ id }) => id).toSorted();
    }

    async function walk(
      copy: CopyId,
      sort: readonly object[],
      limit: number,
    ): Promise<readonly string[]> {
      const keys: string[] = [];
      let cursor: string | null = null;
      do {
        const search = searchOf(searchedThings, { query: { sort }, limit, cursor });
        const page = await copies.store.copies.search(copy, search);
        keys.push(...page.hits.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== null);
      return keys;
    }
  });
}

function thing(key: string, values: Readonly<Record<string, unknown>> = {}): CopyRecord {
  return { key, values: { id: key, name: 'Thing', ...values } };
}
