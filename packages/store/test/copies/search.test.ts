import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { isConnectorError } from '@patchbay/connectors';
import { checkSearch, searchRecords, searchSchemaOf } from '@patchbay/connectors/engine';
import {
  arbitraryRecords,
  arbitrarySearchParams,
  searchedThings,
} from '@patchbay/connectors/testing';
import * as fc from 'fast-check';
import type { CopyId, CopyRecord, SearchPage } from '../../src/contract/copies.ts';
import { deleteRecords } from '../../src/copies/delete-records.ts';
import { searchCopy } from '../../src/copies/search/search-copy.ts';
import { SEARCH_PACE, SHARED_SEARCH_PACE, type SearchPace } from '../../src/copies/search-pace.ts';
import { countRecords } from '../support/sample-syncs.ts';
import { TEST_DATABASES } from '../support/test-databases.ts';
import { openTestCopies, searchOf, type TestCopies } from './support/open-test-copies.ts';

const schema = searchSchemaOf(searchedThings);
if (schema === undefined) throw new Error('things cannot be searched');

for (const database of TEST_DATABASES) {
  describe(`searching copies on ${database.name}`, { skip: database.skip }, () => {
    let copies: TestCopies;
    before(async () => {
      copies = await openTestCopies(database, [searchedThings]);
    });
    after(() => copies[Symbol.asyncDispose]());

    test('shows no connector what is of another, although they share record ids', async (t) => {
      const seed = Math.floor(Math.random() * 2 ** 31);
      t.diagnostic(`seed ${seed}`);
      const sets = fc.sample(arbitraryRecords(schema), { seed, numRuns: 30 });
      const tenants = await Promise.all(
        sets.map(async (records) => ({ records, copy: await copies.newCopy('things') })),
      );
      for (const { records, copy } of tenants) await copies.write(copy, records);
      const searches = fc.sample(arbitrarySearchParams(schema), { seed, numRuns: 40 });
      for (const [index, params] of searches.entries()) {
        const search = checkSearch(schema, params);
        for (const { records, copy } of tenants.slice(index % 10, (index % 10) + 5)) {
          const page = await copies.store.copies.search(copy, search);
          const expected = searchRecords(schema, records, search);
          assert.deepEqual(hitsOf(page), expected, JSON.stringify(params));
        }
      }
    });

    test('ends a search that would judge too much, with the condition that costs most', async () => {
      const copy = await copies.newCopy('things');
      const words = Array.from({ length: 40 }, (_, index) => `word${index}`).join(' ');
      const records = Array.from({ length: 50 }, (_, index) => ({
        key: `t${index}`,
        values: { id: `t${index}`, name: words, size: index },
      }));
      await copies.write(copy, records);
      const filter = { gte: { size: 0 }, not: { fuzzy: { name: 'abcdefgh ijklmnop' } } };
      const search = checkSearch(schema, { query: { filter } });
      const page = await copies.store.copies.search(copy, search);
      assert.equal(page.hits.length, 50);
      for (const sort of [[], [{ size: 'asc' }]]) {
        const sorted = checkSearch(schema, { query: { filter, sort } });
        const pace = { ...SEARCH_PACE, effort: 1_000 };
        await assert.rejects(searchCopy(copies.open(copy, { pace }), sorted), (error) => {
          assert.ok(isConnectorError(error, 'search_too_broad'));
          assert.equal(error.details.condition, 'params.query.filter.not.fuzzy.name');
          return true;
        });
      }
    });

    test('takes SQL in any value or name for what it is: text', async () => {
      const copy = await copies.newCopy('things');
      const evils = [
        `'; drop table patchbay.copy_test_kind_things; --`,
        `"; drop table patchbay.copy_test_kind_things; --`,
        `$1`,
        `\\'; select pg_sleep(100); --`,
        `{"a"}`,
        `%s %I`,
        `a'::text || (select 'x')`,
      ];
      const records = evils.map((evil, index) => ({
        key: `${evil} ${index}`,
        values: { id: evil, name: evil, profile: { [evil]: evil }, tags: [evil] },
      }));
      await copies.write(copy, records);
      for (const evil of evils) {
        const filters = [
          { eq: { name: evil } },
          { in: { name: [evil] } },
          { gte: { name: evil }, lte: { name: evil } },
          { contains: { tags: evil } },
          { eq: { profile: { [evil]: evil } } },
        ];
        for (const filter of filters) {
          const page = await searchFor(copy, { query: { filter, sort: [{ name: 'asc' }] } });
          assert.deepEqual(
            page.hits.map(({ id }) => id),
            records.filter(({ values }) => values.name === evil).map(({ key }) => key),
            JSON.stringify(filter),
          );
        }
        for (const operator of ['like', 'keyword', 'fuzzy', 'eq', 'gt']) {
          await searchFor(copy, {
            query: { filter: { [operator]: { [`profile.${evil}`]: evil } } },
          });
        }
        await searchFor(copy, {
          query: { filter: { any: { tags: { eq: { [evil]: evil } } } } },
          fields: [['profile', evil]],
          facets: [['profile', evil]],
        });
      }
      assert.equal(await countRecords(copies.store, copy), evils.length);
    });

    test('gives every searchable field in the order of the definition, null when absent', async () => {
      const copy = await copies.newCopy('things');
      await copies.write(copy, [{ key: '1', values: { id: 'x', rank: 3, weight: 1e21 } }]);
      const [hit] = (await searchFor(copy, { query: {} })).hits;
      assert.equal(hit?.score, 1);
      assert.equal(
        hit.data,
        '{"id":"x","name":null,"note":null,"size":null,"weight":1e+21,"is_open":null,"is_red":null,"profile":null,"address":null,"tags":null,"parts":null,"rank":3}',
      );
    });

    test('looks all words of fuzzy conditions up in one statement', async () => {
      const copy = await copies.newCopy('things');
      const names = ['Ada Lovelace', 'Grace Hopper', 'Orrisa Underbough'];
      await copies.write(
        copy,
        names.map((name) => ({ key: name, values: { name } })),
      );
      const statements: string[] = [];
      const watched = copies.database.withPlugin({
        transformQuery: ({ node }) => {
          statements.push(JSON.stringify(node));
          return node;
        },
        transformResult: ({ result }) => Promise.resolve(result),
      });
      const search = searchOf(searchedThings, {
        query: {
          filter: {
            or: ['lovelcae', 'hoper garce', 'undrebough nobody'].map((name) => ({
              fuzzy: { name },
            })),
          },
        },
      });
      const page = await searchCopy(copies.open(copy, { database: watched }), search);
      assert.deepEqual(
        page.hits.map(({ id, score }) => [id, score]),
        [
          ['Ada Lovelace', 1 - 1 / 8],
          ['Grace Hopper', 0.8],
        ],
      );
      const lookups = statements.filter((statement) => statement.includes('copy_words'));
      assert.equal(lookups.length, 1);
    });

    test('finds numbers and booleans inside arrays by their JSON text', async () => {
      const copy = await copies.newCopy('things');
      await copies.write(copy, [{ key: '1', values: { tags: [{ size: 1234567, ok: true }] } }]);
      const conditions = [
        { like: { size: '%23456%' } },
        { like: { size: '1234567' } },
        { like: { ok: '%rue' } },
        { keyword: { size: '1234567' } },
        { fuzzy: { size: '12345' } },
        { fuzzy: { ok: 'treu' } },
      ];
      for (const filter of conditions) {
        const { hits } = await searchFor(copy, { query: { filter: { any: { tags: filter } } } });
        assert.equal(hits.length, 1, JSON.stringify(filter));
      }
    });

    test('finds capital letters in JSON whatever the locale of the database', async () => {
      const copy = await copies.newCopy('things');
      const address = { city: 'ISTANBUL HILTON' };
      await copies.write(copy, [{ key: '1', values: { address, tags: ['ISTANBUL'] } }]);
      const filters = [
        { like: { address: 'istan' } },
        { like: { 'address.city': 'istan' } },
        { like: { tags: 'istan' } },
        { fuzzy: { address: 'hilt' } },
      ];
      for (const filter of filters)
        assert.equal((await searchFor(copy, { query: { filter } })).hits.length, 1);
    });

    test('takes as many conditions and paths as are allowed, where scores vary too', async () => {
      const copy = await copies.newCopy('things');
      await copies.write(copy, [{ key: '1', values: { name: 'ada love', note: 'ada' } }]);
      const or = [{ keyword: { name: 'ada love' } }, { keyword: { note: 'ada love' } }];
      const paths = Array.from({ length: 190 }, (_, index) => `address${'.a'.repeat(9)}${index}`);
      const not = { gt: Object.fromEntries(paths.map((path) => [path, 5])) };
      const { hits } = await searchFor(copy, { query: { filter: { and: [{ or }, { not }] } } });
      assert.deepEqual(
        hits.map(({ score }) => score),
        [0.75],
      );
    });

    test('leaves an id of no value out', async () => {
      const copy = await copies.newCopy('things');
      await copies.write(copy, [{ key: '1', values: { name: '"id":null' } }]);
      const [hit] = (await searchFor(copy, { query: {} })).hits;
      assert.ok(hit?.data.startsWith('{"name":'));
      const [picked] = (await searchFor(copy, { query: {}, fields: ['id', 'size'] })).hits;
      assert.equal(picked?.data, '{"size":null}');
    });

    test('ends a page before 32 MiB, but never without a hit', async () => {
      assert.equal(SEARCH_PACE.pageBytes, 32 * 1024 * 1024);
      const copy = await copies.newCopy('things');
      await copies.write(
        copy,
        [10, 10, 10, 10, 40, 1].map((size, index) => ({
          key: String(index),
          values: { id: String(index), size, note: 'é'.repeat(size * 512) },
        })),
      );
      const pageBytes = 32 * 1024;
      const inSteps = { ...SHARED_SEARCH_PACE, pageBytes, firstScannedBatch: 2, longestStep: 3 };
      const walk = async (params: Readonly<Record<string, unknown>>, pace: SearchPace) => {
        const small = copies.open(copy, { pace });
        const pages: string[][] = [];
        let cursor: string | undefined;
        do {
          const search = { ...searchOf(searchedThings, params), cursor };
          const page = await searchCopy(small, search);
          pages.push(page.hits.map(({ id }) => id));
          cursor = page.nextCursor ?? undefined;
        } while (cursor !== undefined);
        return pages;
      };
      for (const pace of [{ ...SEARCH_PACE, pageBytes }, inSteps]) {
        assert.deepEqual(await walk({ query: {} }, pace), [['0', '1', '2'], ['3'], ['4'], ['5']]);
        assert.deepEqual(await walk({ query: {}, fields: ['size'] }, pace), [
          ['0', '1', '2', '3', '4', '5'],
        ]);
        // Texts to sort by count, even where they do not go out.
        const byNote = { query: { sort: [{ note: 'asc' }] }, fields: ['size'] };
        const sorted = await walk(byNote, pace);
        assert.deepEqual(sorted.flat(), ['5', '0', '1', '2', '3', '4']);
        assert.ok(sorted.length > 1);
      }
    });

    test('pages by texts of any length', async () => {
      const copy = await copies.newCopy('things');
      const texts = Array.from({ length: 6 }, (_, index) => `${'y'.repeat(400_000)}${index}`);
      await copies.write(
        copy,
        texts.map((note, index) => ({ key: `k${index}`, values: { note } })),
      );
      const keys: string[] = [];
      let cursor: string | null = null;
      do {
        const page: SearchPage = await searchFor(copy, {
          query: { sort: [{ note: 'desc' }] },
          limit: 2,
          cursor,
          fields: ['id'],
        });
        keys.push(...page.hits.map(({ id }) => id));
        cursor = page.nextCursor;
        assert.ok((cursor ?? '').length < 200);
      } while (cursor !== null);
      assert.deepEqual(keys, ['k5', 'k4', 'k3', 'k2', 'k1', 'k0']);
    });

    describe('a cursor', () => {
      test('goes on whatever page size and fields are asked for next, however the filter is written', async () => {
        const copy = await fiveThings();
        const filter = { gte: { size: 0 }, like: { name: '%' } };
        const first = await searchFor(copy, { query: { filter }, limit: 2 });
        const second = await searchFor(copy, {
          query: { filter: { like: { name: '%' }, gte: { size: 0 } } },
          limit: 10,
          fields: ['id'],
          cursor: first.nextCursor,
        });
        assert.deepEqual(
          second.hits.map(({ id }) => id),
          ['2', '3', '4'],
        );
        assert.equal(second.nextCursor, null);
      });

      test('of another connector, filter or sort is refused, as is anything else', async () => {
        const copy = await fiveThings();
        const params = { query: { sort: [{ size: 'asc' }] }, limit: 2 };
        const { nextCursor } = await searchFor(copy, params);
        assert.ok(nextCursor !== null);
        const foreign: [CopyId, Readonly<Record<string, unknown>>][] = [
          [await fiveThings(), params],
          [copy, { ...params, query: { sort: [{ size: 'desc' }] } }],
          [copy, { ...params, query: { sort: [{ size: 'asc' }, { name: 'asc' }] } }],
          [copy, { ...params, query: {} }],
          [copy, { ...params, query: { ...params.query, filter: { gt: { size: 0 } } } }],
        ];
        for (const [where, how] of foreign) {
          await assert.rejects(searchFor(where, { ...how, cursor: nextCursor }), isInvalidCursor);
        }
        const forged = (values: unknown, key: unknown = '1', score: unknown = null) => {
          const [version, binding] = JSON.parse(
            Buffer.from(nextCursor, 'base64url').toString(),
          ) as [unknown, unknown];
          const parts = JSON.stringify([version, binding, score, values, key]);
          return Buffer.from(parts).toString('base64url');
        };
        assert.equal((await searchFor(copy, { ...params, cursor: forged([1]) })).hits.length, 2);
        // prettier-ignore
        const garbage = [
          '', 'x', 'pAAAA', `p${nextCursor}`, nextCursor.slice(0, -3), `${nextCursor}=x`, '💥',
          forged(['a']), forged([1.5]), forged([1, 2]), forged([]), forged('1'), forged(null),
          forged([{}]), forged([1], 5), forged([1], 'a\0'), forged([1], '1', 0.5),
        ];
        for (const cursor of garbage) {
          await assert.rejects(searchFor(copy, { ...params, cursor }), isInvalidCursor, cursor);
        }
      });

      test('of a search by score needs a score', async () => {
        const copy = await fiveThings();
        const params = { query: { filter: { keyword: { name: 'thing other' } } }, limit: 2 };
        const { nextCursor } = await searchFor(copy, params);
        const parts = JSON.parse(
          Buffer.from(nextCursor ?? '', 'base64url').toString(),
        ) as unknown[];
        assert.equal(parts[2], 0.5);
        parts[2] = null;
        const cursor = Buffer.from(JSON.stringify(parts)).toString('base64url');
        await assert.rejects(searchFor(copy, { ...params, cursor }), isInvalidCursor);
      });
    });

    describe('a cursor after a long text to sort by', () => {
      const long = 'y'.repeat(5_000);
      const params = { query: { sort: [{ note: 'asc' }, { size: 'desc' }] }, limit: 2 };
      const threeThings = async () => {
        const copy = await copies.newCopy('things');
        const values = { note: long, name: 'Thing', size: 1 };
        const records = ['a', 'b', 'c'].map((key) => ({ key, values }));
        await copies.write(copy, records);
        const { hits, nextCursor: cursor } = await searchFor(copy, params);
        assert.deepEqual(
          hits.map(({ id }) => id),
          ['a', 'b'],
        );
        return { copy, goOn: () => searchFor(copy, { ...params, cursor }) };
      };

      test('goes on after the same place, whatever else of the record was changed', async () => {
        const { copy, goOn } = await threeThings();
        await copies.write(copy, [{ key: 'b', values: { note: long, name: 'Other', size: 1 } }]);
        const { hits, nextCursor } = await goOn();
        assert.deepEqual(
          hits.map(({ id }) => id),
          ['c'],
        );
        assert.equal(nextCursor, null);
      });

      test('is refused once the record sorts elsewhere, or has gone', async () => {
        for (const values of [
          { note: `${long}y`, size: 1 },
          { note: long, size: 2 },
          { note: null, size: 1 },
        ]) {
          const { copy, goOn } = await threeThings();
          await copies.write(copy, [{ key: 'b', values }]);
          await assert.rejects(goOn(), isInvalidCursor);
        }
        const { copy, goOn } = await threeThings();
        await deleteRecords(copies.open(copy), ['b']);
        await assert.rejects(goOn(), isInvalidCursor);
      });
    });

    test('no cursor is long, whatever the key of a record and the values that it is sorted by', async () => {
      const copy = await copies.newCopy('things');
      const key = '\u0001'.repeat(999);
      const text = '\u0001'.repeat(170);
      const values = { id: text, name: text, note: text };
      await copies.write(copy, [
        { key: `${key}a`, values },
        { key: `${key}b`, values },
      ]);
      const sort = [{ id: 'asc' }, { name: 'asc' }, { note: 'asc' }];
      for (const count of [1, 2, 3]) {
        const params = { query: { sort: sort.slice(0, count) }, limit: 1 };
        const { nextCursor } = await searchFor(copy, params);
        assert.ok(nextCursor !== null && nextCursor.length < 10 * 1024);
        const second = await searchFor(copy, { ...params, cursor: nextCursor });
        assert.deepEqual(
          second.hits.map(({ id }) => id),
          [`${key}b`],
        );
      }
    });

    test('stops once its signal is aborted', async () => {
      const copy = await fiveThings();
      const controller = new AbortController();
      controller.abort(new Error('enough'));
      const search = searchOf(searchedThings, { query: {} });
      const { signal } = controller;
      await assert.rejects(copies.store.copies.search(copy, search, { signal }), /enough/);
    });

    test('finds nothing in the copy of a connector that nobody knows', async () => {
      const copy = { ...(await copies.newCopy('things')), connectorId: randomUUID() };
      assert.deepEqual(await searchFor(copy, { query: {} }), {
        hits: [],
        nextCursor: null,
        isPartial: false,
      });
      assert.equal(await countRecords(copies.store, copy), 0);
    });

    async function searchFor(
      copy: CopyId,
      params: Readonly<Record<string, unknown>>,
    ): Promise<SearchPage> {
      return await copies.store.copies.search(copy, searchOf(searchedThings, params));
    }

    async function fiveThings(): Promise<CopyId> {
      const copy = await copies.newCopy('things');
      const records: CopyRecord[] = Array.from({ length: 5 }, (_, size) => ({
        key: String(size),
        values: { id: String(size), name: 'Thing', size },
      }));
      await copies.write(copy, records);
      return copy;
    }
  });
}

function isInvalidCursor(error: unknown): boolean {
  return isConnectorError(error, 'invalid_cursor');
}

function hitsOf({ hits }: SearchPage): unknown {
  return hits.map(({ id, score, data }) => ({ id, score, data: JSON.parse(data) as unknown }));
}
