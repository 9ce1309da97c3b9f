import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isConnectorError } from '@patchbay/connectors';
import {
  checkSearch,
  searchRecords,
  searchSchemaOf,
  type Search,
} from '@patchbay/connectors/engine';
import {
  arbitraryRecords,
  arbitrarySearchParams,
  searchedThings,
  sizeOf,
} from '@patchbay/connectors/testing';
import * as fc from 'fast-check';
import type { KyselyPlugin } from 'kysely';
import type { CopyId, SearchHit, SearchPage } from '../../src/contract/copies.ts';
import { searchCopy } from '../../src/copies/search/search-copy.ts';
import { SEARCH_PACE, type SearchPace } from '../../src/copies/search-pace.ts';
import { TEST_DATABASES } from '../support/test-databases.ts';
import { arbitraryPace } from './support/arbitrary-pace.ts';
import { arbitraryTextSearch } from './support/arbitrary-text-search.ts';
import { openTestCopies, searchOf, type TestCopies } from './support/open-test-copies.ts';

const SETS = sizeOf('partial searches');
const MOST_SETS = 10 * SETS;
const WALKS = 20;

const schema = searchSchemaOf(searchedThings);
if (schema === undefined) throw new Error('things cannot be searched');

interface Walk {
  readonly params: Readonly<Record<string, unknown>>;
  readonly pace: SearchPace;
  readonly limit: number;
  /** What a page may take: units of work, or statements. */
  readonly most: number;
}

const arbitraryWalk: fc.Arbitrary<Walk> = fc.record({
  params: fc.oneof(arbitrarySearchParams(schema), arbitraryTextSearch),
  pace: arbitraryPace,
  limit: fc.integer({ min: 1, max: 5 }),
  most: fc.integer({ min: 1, max: 20 }),
});

/** One page within so much. */
type Ask = (search: Search, walk: Walk) => Promise<SearchPage>;

for (const database of TEST_DATABASES) {
  describe(`partial searches on ${database.name}`, { skip: database.skip }, () => {
    let copies: TestCopies;
    before(async () => {
      copies = await openTestCopies(database, [searchedThings]);
    });
    after(() => copies[Symbol.asyncDispose]());

    const within = {
      work: (copy) => (search, walk) =>
        searchCopy(copies.open(copy, { pace: { ...walk.pace, effort: walk.most } }), search),
      time: (copy) => (search, walk) => {
        const { plugin, time } = timeOfStatements(walk.most);
        const { pace } = walk;
        return searchCopy(copies.open(copy, { pace }), search, {
          time,
          connect: (signal) =>
            signal === undefined ? copies.database : copies.database.withPlugin(plugin),
        });
      },
    } as const satisfies Record<string, (copy: CopyId) => Ask>;

    for (const [what, askIn] of Object.entries(within))
      test(`go on where ${what} was used up, and miss and repeat nothing`, async (t) => {
        const seed = Number(process.env['SEARCH_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
        t.diagnostic(`SEARCH_SEED=${seed}`);
        let partial = 0;
        const sets = samples(arbitraryRecords(schema), seed, MOST_SETS);
        for (const [index, records] of sets.entries()) {
          // With few sets it may be chance that none of them took too much.
          if (index >= SETS && partial > 0) break;
          const copy = await copies.newCopy('things');
          await copies.write(copy, records);
          for (const walk of samples(arbitraryWalk, seed + index, WALKS)) {
            const params = { ...walk.params, limit: walk.limit, allow_partial: true };
            const search = checkSearch(schema, params);
            const found = await walkParts(askIn(copy), search, walk);
            partial += found.partial;
            assert.deepEqual(
              found.hits.map(({ id, score }) => ({ id, score })),
              searchRecords(schema, records, { ...search, limit: 10_000 }).map(({ id, score }) => ({
                id,
                score,
              })),
              `SEARCH_SEED=${seed}, set ${index}: ${JSON.stringify(walk)}`,
            );
          }
        }
        assert.ok(partial > 0, 'no page was partial');
      });

    test('say that they are, may be empty, and are not asked for unless allowed', async () => {
      const copy = await copies.newCopy('things');
      const records = Array.from({ length: 50 }, (_, index) => ({
        key: `t${index + 10}`,
        values: { name: index === 30 ? 'found' : 'other', size: index },
      }));
      await copies.write(copy, records);
      const filter = { not: { fuzzy: { name: 'othre' } } };
      const open = copies.open(copy, { pace: { ...SEARCH_PACE, effort: 40 } });
      for (const sort of [[], [{ id: 'asc' }], [{ size: 'asc' }]]) {
        const asked = { query: { filter, sort }, limit: 5 };
        await assert.rejects(searchCopy(open, searchOf(searchedThings, asked)), (error) =>
          isConnectorError(error, 'search_too_broad'),
        );
        const search = searchOf(searchedThings, { ...asked, allow_partial: true });
        const first = await searchCopy(open, search);
        assert.deepEqual([first.hits, first.isPartial], [[], true]);
        const { hits } = await walkParts((next) => searchCopy(open, next), search);
        assert.deepEqual(
          hits.map(({ id }) => id),
          ['t40'],
        );
      }
    });

    test('that would rank everything know nothing before the end, and fail', async () => {
      const copy = await copies.newCopy('things');
      const words = Array.from({ length: 70 }, (_, index) => `word${index}`);
      const records = words.map((name, index) => ({ key: `t${index}`, values: { name } }));
      await copies.write(copy, records);
      const filter = {
        or: Array.from({ length: 7 }, (_, index) => ({
          keyword: { name: `${words[index]} ${words[index + 10]} ${words[index + 20]}` },
        })),
      };
      const search = searchOf(searchedThings, { query: { filter }, allow_partial: true });
      const open = copies.open(copy, { pace: { ...SEARCH_PACE, effort: 40 } });
      await assert.rejects(searchCopy(open, search), (error) => {
        assert.ok(isConnectorError(error, 'search_too_broad'));
        // It was given.
        assert.doesNotMatch(error.message, /allow_partial/);
        return true;
      });
      assert.equal((await searchCopy(copies.open(copy), search)).hits.length, 21);
    });

    test('are none where their time is over, with what was spent until then', async () => {
      const copy = await copies.newCopy('things');
      await copies.write(copy, [{ key: 't1', values: { name: 'a' } }]);
      const search = searchOf(searchedThings, { query: {} });
      const time = { timeoutMs: 20, signal: AbortSignal.abort(new Error('over')) };
      await assert.rejects(searchCopy(copies.open(copy), search, { time }), (error) => {
        assert.ok(isConnectorError(error, 'upstream_timeout'));
        assert.equal(error.details.timeoutMs, 20);
        assert.equal(error.details.recordsJudged, 0);
        return true;
      });
      const gone = new Error('gone');
      const allowed = { ...search, allowsPartial: true };
      await assert.rejects(
        searchCopy(copies.open(copy), allowed, { time, signal: AbortSignal.abort(gone) }),
        (error) => error === gone || isConnectorError(error, 'upstream_timeout'),
      );
    });
  });
}

/** All hits, page by page; where a page gets nowhere, it may take twice as much. */
async function walkParts(
  ask: Ask,
  search: Search,
  walk: Walk = { params: {}, pace: SEARCH_PACE, limit: 0, most: 1 },
): Promise<{ readonly hits: readonly SearchHit[]; readonly partial: number }> {
  const hits: SearchHit[] = [];
  let partial = 0;
  let { most } = walk;
  let cursor: string | undefined;
  for (;;) {
    const page = await unlessTooMuch(ask({ ...search, cursor }, { ...walk, most }));
    if (page === undefined) {
      most *= 2;
      continue;
    }
    hits.push(...page.hits);
    partial += Number(page.isPartial);
    if (page.nextCursor === null) return { hits, partial };
    assert.ok(page.isPartial || page.hits.length === search.limit);
    assert.notEqual(page.nextCursor, cursor);
    cursor = page.nextCursor;
  }
}

async function unlessTooMuch(page: Promise<SearchPage>): Promise<SearchPage | undefined> {
  try {
    return await page;
  } catch (error) {
    if (isConnectorError(error, 'search_too_broad')) return undefined;
    if (isConnectorError(error, 'upstream_timeout')) return undefined;
    throw error;
  }
}

/** A time that is over once so many statements have been sent. */
function timeOfStatements(most: number) {
  const controller = new AbortController();
  let left = most;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      left--;
      if (left === 0) controller.abort(new Error('over'));
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  return { plugin, time: { timeoutMs: 1, signal: controller.signal } };
}

function samples<T>(arbitrary: fc.Arbitrary<T>, seed: number, numRuns: number): readonly T[] {
  return fc.sample(arbitrary, { seed, numRuns });
}
