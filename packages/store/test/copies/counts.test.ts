import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isConnectorError } from '@patchbay/connectors';
import { countRecords } from '@patchbay/connectors/engine';
import { searchedThings } from '@patchbay/connectors/testing';
import type { CopyRecord, SearchPage } from '../../src/contract/copies.ts';
import { searchCopy } from '../../src/copies/search/search-copy.ts';
import { SEARCH_PACE, SHARED_SEARCH_PACE } from '../../src/copies/search-pace.ts';
import { TEST_DATABASES } from '../support/test-databases.ts';
import { countStatements } from './support/counted-statements.ts';
import { openTestCopies, searchOf, type TestCopies } from './support/open-test-copies.ts';

const NAMES = ['ada', 'grace', 'lin'];
/** More than are counted; every third is ada, one in a hundred open, one in three hundred has a rare note. */
const MANY: readonly CopyRecord[] = Array.from({ length: 12_000 }, (_, index) => ({
  key: String(index).padStart(6, '0'),
  values: {
    id: String(index),
    name: NAMES[index % 3],
    size: index,
    is_open: index % 100 === 0,
    note: index % 300 === 0 ? 'rare' : null,
    profile: { plan: index % 2 === 0 ? 'free' : ['pro', 'free', 'pro'] },
  },
}));

for (const database of TEST_DATABASES) {
  describe(`counts on ${database.name}`, { skip: database.skip }, () => {
    let copies: TestCopies;
    before(async () => {
      copies = await openTestCopies(database, [searchedThings]);
    });
    after(() => copies[Symbol.asyncDispose]());

    test('of more matches than are counted are of the first by key, whichever way they are found', async () => {
      const copy = await copies.newCopy('things');
      for (let start = 0; start < MANY.length; start += 1_000) {
        await copies.write(copy, MANY.slice(start, start + 1_000));
      }
      const filters = [
        {},
        { gte: { size: 1_500 } },
        { eq: { name: 'ada' } },
        { eq: { is_open: true } },
        { keyword: { name: 'ada lin' } },
        { not: { fuzzy: { name: 'gracce' } } },
        { in: { size: [5, 11_999, 12_001] } },
        { eq: { name: 'nobody' } },
      ];
      for (const filter of filters) {
        const facets = ['name', 'size', 'is_open', 'profile.plan'];
        const search = searchOf(searchedThings, {
          query: { filter },
          limit: 1,
          count: true,
          facets,
        });
        const expected = countRecords(MANY, search);
        for (const pace of [SEARCH_PACE, SHARED_SEARCH_PACE]) {
          const page = await searchCopy(copies.open(copy, { pace }), search);
          assert.deepEqual(countsOf(page), expected, JSON.stringify(filter));
        }
      }
    });

    test('ask no more than what the page leaves open', async () => {
      const copy = await copies.newCopy('things');
      for (let start = 0; start < MANY.length; start += 1_000) {
        await copies.write(copy, MANY.slice(start, start + 1_000));
      }
      const statementsOf = async (params: Readonly<Record<string, unknown>>, filter: object) => {
        const { database: counted, count } = countStatements(copies.database);
        const search = searchOf(searchedThings, { query: { filter }, ...params });
        const pace = { ...SEARCH_PACE, assumedRows: MANY.length };
        const page = await searchCopy(copies.open(copy, { pace, database: counted }), search);
        return { statements: count(), page };
      };
      const few = { lt: { size: 5 } };
      const all = await statementsOf({}, few);
      const counted = await statementsOf({ count: true }, few);
      assert.equal(counted.statements, all.statements, 'the page has all that match');
      assert.deepEqual(countsOf(counted.page), { total: { value: 5, relation: 'exact' } });
      const faceted = await statementsOf({ facets: ['name'] }, few);
      assert.equal(faceted.statements, all.statements + 1, 'their values alone are read');

      const rare = { eq: { is_open: true } };
      const page = await statementsOf({ limit: 5 }, rare);
      const rest = await statementsOf({ limit: 5, count: true }, rare);
      assert.deepEqual(countsOf(rest.page), { total: { value: 120, relation: 'exact' } });
      assert.equal(rest.statements, page.statements + 1, 'how rare they are, the page has seen');

      const rarest = { keyword: { note: 'rare' } };
      const found = await statementsOf({ limit: 5 }, rarest);
      const total = await statementsOf({ limit: 5, count: true }, rarest);
      assert.deepEqual(countsOf(total.page), { total: { value: 40, relation: 'exact' } });
      assert.equal(total.statements, found.statements, 'the index found all of them for the page');
    });

    test('are in one answer with a page, or alone', async () => {
      const copy = await copies.newCopy('things');
      await copies.write(copy, MANY.slice(0, 10));
      const page = await searchCopy(
        copies.open(copy),
        searchOf(searchedThings, { query: {}, limit: 2, facets: ['name'] }),
      );
      assert.deepEqual(Object.keys(page), ['hits', 'nextCursor', 'isPartial', 'facets']);
      assert.equal(page.hits.length, 2);
      assert.deepEqual(page.facets, {
        name: {
          values: [
            { value: 'ada', count: 4 },
            { value: 'grace', count: 3 },
            { value: 'lin', count: 3 },
          ],
          relation: 'exact',
          other: 0,
        },
      });
    });

    test('of large texts answer with none of them', async () => {
      const copy = await copies.newCopy('things');
      const note = 'long '.repeat(20_000);
      const records = Array.from({ length: 30 }, (_, index) => ({
        key: String(index),
        values: { note: `${note}${index}`, tags: [`${note}${index}`, note, 'short'] },
      }));
      await copies.write(copy, records);
      const search = searchOf(searchedThings, {
        query: {},
        fields: ['id'],
        facets: ['note', 'tags'],
      });
      const { facets } = await searchCopy(copies.open(copy), search);
      assert.deepEqual(facets, {
        note: { values: [], relation: 'exact', other: 30 },
        tags: { values: [{ value: 'short', count: 30 }], relation: 'exact', other: 30 },
      });
    });

    test('of too many different values are refused, be they found at once or in steps', async () => {
      const copy = await copies.newCopy('things');
      const records = Array.from({ length: 20 }, (_, index) => ({
        key: String(index).padStart(3, '0'),
        values: { tags: Array.from({ length: 10 }, (__, each) => `t${10 * index + each}`) },
      }));
      await copies.write(copy, records);
      const search = searchOf(searchedThings, { query: {}, facets: ['tags'] });
      for (const longestStep of [3, 20]) {
        const pace = { ...SHARED_SEARCH_PACE, firstStep: 3, longestStep };
        const enough = { ...pace, facetValues: 201 };
        const page = await searchCopy(copies.open(copy, { pace: enough }), search);
        assert.equal(page.facets?.['tags']?.other, 180);
        const tooFew = searchCopy(
          copies.open(copy, { pace: { ...pace, facetValues: 150 } }),
          search,
        );
        await assert.rejects(tooFew, (error) => {
          assert.ok(isConnectorError(error, 'search_too_broad'));
          assert.equal(error.details.condition, 'params.facets');
          return true;
        });
      }
    });

    test('of rows that are judged cost the effort of the search', async () => {
      const copy = await copies.newCopy('things');
      const words = Array.from({ length: 40 }, (_, index) => `word${index}`).join(' ');
      await copies.write(
        copy,
        Array.from({ length: 50 }, (_, index) => ({ key: `t${index}`, values: { name: words } })),
      );
      const query = { filter: { not: { fuzzy: { name: 'abcdefgh ijklmnop' } } } };
      const pace = { ...SEARCH_PACE, effort: 8_000 };
      const params = { query, limit: 1 };
      await searchCopy(copies.open(copy, { pace }), searchOf(searchedThings, params));
      const counting = searchOf(searchedThings, { ...params, count: true });
      await assert.rejects(searchCopy(copies.open(copy, { pace }), counting), (error) =>
        isConnectorError(error, 'search_too_broad'),
      );
    });

    test('end with the signal of the search', async () => {
      const copy = await copies.newCopy('things');
      await copies.write(copy, MANY.slice(0, 10));
      const reason = new Error('enough');
      const controller = new AbortController();
      let counted = 0;
      const watched = copies.database.withPlugin({
        transformQuery: ({ node }) => {
          if (!JSON.stringify(node).includes('with tallied as')) return node;
          counted++;
          // Before its answer, whatever the database takes for it.
          controller.abort(reason);
          return node;
        },
        transformResult: ({ result }) => Promise.resolve(result),
      });
      const search = searchOf(searchedThings, { query: {}, limit: 1, count: true });
      const pace = { ...SHARED_SEARCH_PACE, firstStep: 3 };
      const opened = copies.open(copy, { database: watched, pace });
      await assert.rejects(searchCopy(opened, search, { signal: controller.signal }), reason);
      assert.equal(counted, 1);
    });
  });
}

function countsOf(page: SearchPage): unknown {
  const { hits: _, nextCursor: __, isPartial: ___, ...counts } = page;
  return counts;
}
