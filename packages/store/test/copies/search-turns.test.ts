import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { searchedThings } from '@patchbay/connectors/testing';
import type { KyselyPlugin } from 'kysely';
import type { CopyId } from '../../src/contract/copies.ts';
import { searchCopy } from '../../src/copies/search/search-copy.ts';
import { SEARCH_PACE, SHARED_SEARCH_PACE, type SearchPace } from '../../src/copies/search-pace.ts';
import { TEST_DATABASES } from '../support/test-databases.ts';
import { countStatements } from './support/counted-statements.ts';
import { openTestCopies, searchOf, type TestCopies } from './support/open-test-copies.ts';

const ROWS = 60;
const WORDS = 400;
const CONDITIONS = 20;

/** Long words that differ in few letters, so that none is told from another at a glance. */
function wordOf(number: number): string {
  const bits = Math.imul(number + 1, 0x9e3779b1) >>> 0;
  return bits.toString(2).padStart(32, '0').replaceAll('0', 'a').replaceAll('1', 'b');
}

const TEXT = Array.from({ length: WORDS }, (_, index) => wordOf(index)).join(' ');
const RECORDS = Array.from({ length: ROWS }, (_, row) => ({
  key: String(row),
  values: { profile: { text: TEXT }, name: 'common letters, x common', weight: row % 7 },
}));

/** 60 words: two of three begin some word of every record, and none is one. */
const conditions = Array.from({ length: CONDITIONS }, (_, index) => {
  const begun = [wordOf(index).slice(0, 3), wordOf(index + 1).slice(0, 3)];
  return { fuzzy: { profile: [...begun, wordOf(1_000_000 + index)].join(' ') } };
});
const FILTERS = {
  'that none of 20 conditions holds': { and: conditions.map((each) => ({ not: each })) },
  'how well 20 conditions hold': { or: [...conditions, { like: { profile: '' } }] },
};

/** Every record has the letters of the pattern, and none the pattern. */
const LOOKING_AT_ALL = {
  'a sort by a field without an index': { query: { sort: [{ weight: 'asc' }] }, limit: 3 },
  'a pattern whose letters all records have': {
    query: { filter: { like: { name: '%common letters% x' } } },
    limit: 3,
  },
};

for (const database of TEST_DATABASES) {
  describe(`a long search on ${database.name}`, { skip: database.skip }, () => {
    let copies: TestCopies;
    let copy: CopyId;
    before(async () => {
      copies = await openTestCopies(database, [searchedThings]);
      copy = await copies.newCopy('things');
      await copies.write(copy, RECORDS);
    });
    after(() => copies[Symbol.asyncDispose]());

    test('that is given up asks nothing more', async () => {
      const filter = { keyword: { profile: wordOf(0) } };
      for (const sort of [[], [{ name: 'asc' }], [{ size: 'asc' }]]) {
        const search = searchOf(searchedThings, { query: { filter, sort }, limit: 1 });
        const { database: counted, count } = countStatements(copies.database);
        const open = copies.open(copy, { database: counted });
        const signal = AbortSignal.abort(new Error('given up'));
        await assert.rejects(searchCopy(open, search, { signal }), /given up/);
        assert.equal(count(), 0);
      }
    });

    async function statementsOf(params: Readonly<Record<string, unknown>>, pace: SearchPace) {
      const { database: counted, count } = countStatements(copies.database);
      const open = copies.open(copy, { database: counted, pace });
      const { hits } = await searchCopy(open, searchOf(searchedThings, params));
      return { statements: count(), hits: hits.map(({ id }) => id) };
    }

    for (const [what, params] of Object.entries(LOOKING_AT_ALL))
      test(`${what} looks at a few rows at a time where statements have to be short`, async () => {
        const most = 10;
        const short = { firstStep: most, longestFirstStep: most, longestStep: most };
        const steps = { ...short, firstScannedBatch: most, commonRows: most };
        const inSteps = await statementsOf(params, { ...SHARED_SEARCH_PACE, ...steps });
        const atOnce = await statementsOf(params, SEARCH_PACE);
        assert.deepEqual(inSteps.hits, atOnce.hits);
        assert.ok(inSteps.statements >= ROWS / most, `${inSteps.statements} statements`);
        assert.ok(atOnce.statements < ROWS / most, `${atOnce.statements} statements`);
      });

    test('for some of many words does not walk past all records, where statements have to be short', async () => {
      const large = await copies.newCopy('things');
      const words = Array.from({ length: 6 }, (_, index) => wordOf(index));
      const records = Array.from({ length: 500 }, (_, row) => ({
        key: String(row),
        values: { profile: { text: words[row % words.length] } },
      }));
      await copies.write(large, [
        ...records,
        { key: 'all', values: { profile: { text: words.join(' ') } } },
      ]);
      const steps = 20;
      const { database: counted, count } = countStatements(copies.database);
      const pace = { ...SHARED_SEARCH_PACE, longestStep: steps };
      const open = copies.open(large, { database: counted, pace });
      const params = { query: { filter: { keyword: { profile: words.join(' ') } } }, limit: 3 };
      const { hits } = await searchCopy(open, searchOf(searchedThings, params));
      assert.deepEqual(
        hits.map(({ id }) => id),
        ['all', '0', '1'],
      );
      assert.ok(count() < records.length / steps, `${count()} statements`);
    });

    for (const [what, filter] of Object.entries(FILTERS))
      test(`gives way while it judges ${what}, and stops when told to`, async () => {
        const search = searchOf(searchedThings, { query: { filter }, limit: ROWS });
        const controller = new AbortController();
        const reason = new Error('given up');
        const watch = watchTurns(() => controller.abort(reason));
        const open = copies.open(copy, { database: copies.database.withPlugin(watch.plugin) });
        await assert.rejects(searchCopy(open, search, { signal: controller.signal }), reason);
        assert.equal(watch.statementsAfterwards(), 0);
      });
  });
}

/** So many turns, none of them while the database is asked, are given by judging alone. */
const TURNS = 5;

/** Counts how often others have their turn between an answer of the database and the next question. */
function watchTurns(stop: () => void): {
  readonly plugin: KyselyPlugin;
  readonly statementsAfterwards: () => number;
} {
  let isAsked = true;
  let turns = 0;
  let afterwards = 0;
  const take = () => {
    turns = isAsked ? 0 : turns + 1;
    if (turns === TURNS) stop();
    else setImmediate(take);
  };
  setImmediate(take);
  return {
    plugin: {
      transformQuery: ({ node }) => {
        isAsked = true;
        if (turns >= TURNS) afterwards++;
        return node;
      },
      transformResult: ({ result }) => {
        isAsked = false;
        return Promise.resolve(result);
      },
    },
    statementsAfterwards: () => afterwards,
  };
}
