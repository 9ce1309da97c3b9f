/** What a search of legal size may cost at most, of the event loop, of a statement and of memory. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { searchedThings } from '@patchbay/connectors/testing';
import { prepareCompiler } from '../../src/copies/search/page-query.ts';
import { searchCopy } from '../../src/copies/search/search-copy.ts';
import { tiersOf, wholeTier } from '../../src/copies/search/tiers/tiers.ts';
import { SEARCH_PACE } from '../../src/copies/search-pace.ts';
import { TEST_DATABASES } from '../support/test-databases.ts';
import { countStatements } from './support/counted-statements.ts';
import { openTestCopies, searchOf, type TestCopies } from './support/open-test-copies.ts';

const TEN_VALUES = Array.from({ length: 10 }, (_, index) => `w${index} v`);

for (const database of TEST_DATABASES) {
  describe(`the work of a search on ${database.name}`, { skip: database.skip }, () => {
    let copies: TestCopies;
    before(async () => {
      copies = await openTestCopies(database, [searchedThings]);
    });
    after(() => copies[Symbol.asyncDispose]());

    test('to compile a filter takes a step for each condition, however many scores it can give', async () => {
      const conditions = [
        ...Array.from({ length: 4 }, () => ({ in: { name: TEN_VALUES } })),
        ...Array.from({ length: 5 }, (_, index) => ({ keyword: { note: `a${index} b${index}` } })),
      ];
      const copy = copies.open(await copies.newCopy('things'));
      const { filter } = searchOf(searchedThings, { query: { filter: { and: conditions } } });
      const compiler = await prepareCompiler(copy, { filter });
      const whole = stepsOf(wholeTier(compiler, filter));
      const tiers = stepsOf(tiersOf(compiler, filter, whole.value));
      assert.equal(whole.steps, conditions.length);
      assert.ok((tiers.value?.length ?? 0) > 3);
      assert.equal(tiers.steps, 0, 'the conditions are compiled already');
    });

    test('a filter of few conditions with long paths fits into a statement', async () => {
      const copy = await copies.newCopy('things');
      await copies.write(copy, [{ key: 'a', values: { id: 'a', name: 'qqq0zz' } }]);
      const filter = {
        or: [
          { like: { name: 'qqq0' } },
          {
            and: [
              { or: Array.from({ length: 16 }, (_, index) => ({ like: { name: `z${index}zz` } })) },
              {
                fuzzy: Array.from({ length: 20 }, (_, index) => ({
                  path: longPath(index),
                  value: `abc${index}`,
                })),
              },
            ],
          },
        ],
      };
      const search = searchOf(searchedThings, { query: { filter, sort: [{ name: 'asc' }] } });
      const bounds = { recordCount: 1_000_000 };
      const { hits } = await searchCopy(copies.open(copy), search, bounds);
      assert.deepEqual(
        hits.map(({ id }) => id),
        ['a'],
      );
    });

    test('large records are read a few at a time, whatever the filter looks at', async () => {
      const copy = await copies.newCopy('things');
      const note = 'lorem '.repeat(2_000);
      await copies.write(
        copy,
        Array.from({ length: 30 }, (_, index) => ({
          key: String(index).padStart(2, '0'),
          values: { id: String(index), name: 'n', note },
        })),
      );
      for (const filter of [{}, { fuzzy: { note: 'lorme' } }, { like: { note: 'oré' } }]) {
        const search = searchOf(searchedThings, { query: { filter }, limit: 30 });
        const statementsAt = async (bytesAtOnce: number) => {
          const { database: counted, count } = countStatements(copies.database);
          const pace = { ...SEARCH_PACE, bytesAtOnce, fewRows: 0 };
          const open = copies.open(copy, { database: counted, pace });
          const { hits } = await searchCopy(open, search);
          return { hits, statements: count() };
        };
        const [one, some] = [await statementsAt(2 ** 30), await statementsAt(50_000)];
        assert.deepEqual(some.hits, one.hits);
        assert.ok(some.statements > one.statements, JSON.stringify(filter));
      }
    });

    test('facets may have as many values as it is said', async () => {
      const copy = await copies.newCopy('things');
      const records = Array.from({ length: 4 }, (_, index) => ({
        key: `${index}`,
        values: { id: `${index}`, name: `n${index}` },
      }));
      await copies.write(copy, records);
      const search = searchOf(searchedThings, { query: {}, facets: ['name'] });
      const facetsOf = (facetValues: number) =>
        searchCopy(copies.open(copy, { pace: { ...SEARCH_PACE, facetValues } }), search);
      assert.equal((await facetsOf(4)).facets?.['name']?.values.length, 4);
      await assert.rejects(facetsOf(3), /more than 3 different values/);
    });

    test('parents that a read has brought are found by any filter', async () => {
      const copy = await copies.newCopy('things');
      await copies.write(copy, [
        { key: 'a', values: { id: 'a', size: 1 } },
        { key: 'b', values: { id: 'b', size: 5 } },
      ]);
      for (const written of [{ gt: { size: 3 } }, { not: { fuzzy: { note: 'x' } } }]) {
        const { filter } = searchOf(searchedThings, { query: { filter: written } });
        const found = (more: { readonly isRead?: true }) =>
          copies.store.copies.parents(copy, { filter, fields: ['id'], limit: 10, ...more });
        assert.deepEqual(await found({ isRead: true }), await found({}));
      }
    });
  });
}

function longPath(index: number): readonly string[] {
  return ['address', ...Array.from({ length: 97 }, () => `member${index}`)];
}

function stepsOf<T>(work: Generator<void, T>): { readonly value: T; readonly steps: number } {
  for (let steps = 0; ; steps++) {
    const { done, value } = work.next();
    if (done === true) return { value, steps };
  }
}
