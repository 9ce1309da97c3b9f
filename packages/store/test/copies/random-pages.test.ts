import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isConnectorError } from '@patchbay/connectors';
import {
  checkSearch,
  compareHits,
  countRecords,
  matches,
  scoreOf,
  searchRecords,
  searchSchemaOf,
  type Counts,
  type Search,
  type ScoredRecord,
  type SearchableRecord,
} from '@patchbay/connectors/engine';
import {
  arbitraryRecords,
  arbitrarySearchParams,
  searchedThings,
  sizeOf,
} from '@patchbay/connectors/testing';
import * as fc from 'fast-check';
import type { CopyId, SearchPage } from '../../src/contract/copies.ts';
import { deleteRecords } from '../../src/copies/delete-records.ts';
import { searchCopy } from '../../src/copies/search/search-copy.ts';
import { SEARCH_PACE, type SearchPace } from '../../src/copies/search-pace.ts';
import { TEST_DATABASES } from '../support/test-databases.ts';
import { arbitraryPace } from './support/arbitrary-pace.ts';
import { arbitraryTextSearch } from './support/arbitrary-text-search.ts';
import { openTestCopies, type TestCopies } from './support/open-test-copies.ts';

const SETS = sizeOf('random pages');
const WALKS = 20;

const schema = searchSchemaOf(searchedThings);
if (schema === undefined) throw new Error('things cannot be searched');

interface Walk {
  readonly params: Readonly<Record<string, unknown>>;
  readonly pace: SearchPace;
  readonly limit: number;
}

const arbitraryWalk: fc.Arbitrary<Walk> = fc.record({
  params: fc.oneof(arbitrarySearchParams(schema), arbitraryTextSearch),
  pace: arbitraryPace,
  limit: fc.integer({ min: 1, max: 5 }),
});

/** Half of the texts have another word, which is too long for a cursor. */
const LONG_WORD = 'y'.repeat(SEARCH_PACE.cursorBytes);
const arbitraryLongRecords = arbitraryRecords(schema).map((records) =>
  records.map(({ key, values }) => ({
    key,
    values: Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        typeof value === 'string' && value.length % 2 === 0 ? `${value} ${LONG_WORD}` : value,
      ]),
    ),
  })),
);
const arbitrarySet = fc.oneof(arbitraryRecords(schema), arbitraryLongRecords);

for (const database of TEST_DATABASES) {
  describe(`random pages on ${database.name}`, { skip: database.skip }, () => {
    let copies: TestCopies;
    before(async () => {
      copies = await openTestCopies(database, [searchedThings]);
    });
    after(() => copies[Symbol.asyncDispose]());

    test('are together one big page', async (t) => {
      const seed = seedFor(t);
      for (const [index, records] of samples(arbitrarySet, seed, SETS).entries()) {
        const copy = await copies.newCopy('things');
        await copies.write(copy, records);
        for (const walk of samples(arbitraryWalk, seed + index, WALKS)) {
          const search = checkSearch(schema, { ...walk.params, limit: 10_000 });
          const { pages, isRefused, counts } = await walkPages(copy, search, walk);
          assert.ok(!isRefused);
          const counted = countRecords(records, search, walk.pace.counted);
          for (const each of counts) assert.deepEqual(each, counted);
          const expected = searchRecords(schema, records, search);
          assert.deepEqual(
            pages.flat().map(({ id, score }) => ({ id, score })),
            expected.map(({ id, score }) => ({ id, score })),
            `SEARCH_SEED=${seed}, set ${index}: ${JSON.stringify(walk)}`,
          );
          for (const page of pages.slice(0, -1)) assert.equal(page.length, walk.limit);
        }
      }
    });

    test('hold once what stayed while other records changed', async (t) => {
      const seed = seedFor(t);
      const sets = samples(fc.tuple(arbitrarySet, arbitrarySet, arbitraryWalk), seed, SETS * 5);
      for (const [index, [records, later, walk]] of sets.entries()) {
        const copy = await copies.newCopy('things');
        await copies.write(copy, records);
        const search = checkSearch(schema, { ...walk.params, limit: 10_000 });
        const history: Map<string, Version[]> = new Map(
          records.map(({ key, values }) => [key, [values]]),
        );
        const changes = [...later];
        const { pages, isRefused } = await walkPages(copy, search, walk, async () => {
          const change = changes.pop();
          if (change === undefined) return;
          const isDeletion = changes.length % 3 === 0;
          await applyChange(copy, change, isDeletion);
          const versions = history.get(change.key) ?? [undefined];
          versions.push(isDeletion ? undefined : change.values);
          history.set(change.key, versions);
        });
        const seen = pages.flat().flatMap(({ id }) => (isSteady(search, id, history) ? [id] : []));
        const steady = steadyInOrder(search, history);
        const message = `SEARCH_SEED=${seed}, set ${index}: ${JSON.stringify(walk)}`;
        const last = pages.at(-1)?.at(-1)?.id ?? '';
        assert.ok(!isRefused || hasMoved(search, last, history), message);
        // A walk that is refused has to begin anew; up to there it was right.
        assert.deepEqual(seen, isRefused ? steady.slice(0, seen.length) : steady, message);
      }
    });

    /**
     * Whole pages of hits, one after another, with something done between them, until there are no
     * more or a cursor is refused.
     */
    async function walkPages(
      copy: CopyId,
      search: Search,
      { pace, limit }: Walk,
      between: () => Promise<void> = () => Promise.resolve(),
    ): Promise<WalkedPages> {
      const pages: SearchPage['hits'][] = [];
      const counts: Counts[] = [];
      let cursor: string | undefined;
      for (;;) {
        const opened = copies.open(copy, { pace });
        const page = await unlessRefused(searchCopy(opened, { ...search, limit, cursor }));
        if (page === undefined) return { pages, counts, isRefused: true };
        assert.ok(page.hits.length <= limit);
        const { hits, nextCursor, isPartial: _, ...counted } = page;
        pages.push(hits);
        counts.push(counted);
        if (nextCursor === null) return { pages, counts, isRefused: false };
        cursor = nextCursor;
        await between();
      }
    }

    async function applyChange(
      copy: CopyId,
      change: SearchableRecord,
      isDeletion: boolean,
    ): Promise<void> {
      if (isDeletion) await deleteRecords(copies.open(copy), [change.key]);
      else await copies.write(copy, [change]);
    }
  });
}

interface WalkedPages {
  readonly pages: readonly SearchPage['hits'][];
  /** What each of the pages counts. */
  readonly counts: readonly Counts[];
  readonly isRefused: boolean;
}

/** What a record held; `undefined` while it was not there. */
type Version = Readonly<Record<string, unknown>> | undefined;

type History = ReadonlyMap<string, readonly Version[]>;

/** Whether a record matched all the time and stayed where it was. */
function isSteady(search: Search, key: string, history: History): boolean {
  const versions = history.get(key) ?? [undefined];
  if (versions.includes(undefined)) return false;
  const compare = compareHits(search.sort);
  const places = versions.map((version) => placeOf(search, key, version));
  return (
    places.every(({ values }) => matches(search.filter, values)) &&
    places.every((place, index) => compare(place, places[index - 1] ?? place) === 0)
  );
}

/** Whether the last change of a record took it from where it was. */
function hasMoved(search: Search, key: string, history: History): boolean {
  const [former, now] = (history.get(key) ?? []).slice(-2);
  if (former === undefined || now === undefined) return true;
  const compare = compareHits(search.sort);
  return compare(placeOf(search, key, former), placeOf(search, key, now)) !== 0;
}

async function unlessRefused(page: Promise<SearchPage>): Promise<SearchPage | undefined> {
  try {
    return await page;
  } catch (error) {
    if (isConnectorError(error, 'invalid_cursor')) return undefined;
    throw error;
  }
}

function placeOf(search: Search, key: string, version: Version): ScoredRecord {
  const values = version ?? {};
  return { key, values, score: scoreOf(search.filter, values) };
}

function steadyInOrder(search: Search, history: History): readonly string[] {
  return [...history]
    .filter(([key]) => isSteady(search, key, history))
    .map(([key, [version]]) => placeOf(search, key, version))
    .toSorted(compareHits(search.sort))
    .map(({ key }) => key);
}

function samples<T>(arbitrary: fc.Arbitrary<T>, seed: number, numRuns: number): readonly T[] {
  return fc.sample(arbitrary, { seed, numRuns });
}

function seedFor(t: { diagnostic(message: string): void }): number {
  const seed = Number(process.env['SEARCH_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  t.diagnostic(`SEARCH_SEED=${seed}`);
  return seed;
}
