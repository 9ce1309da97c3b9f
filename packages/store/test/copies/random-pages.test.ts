import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  checkSearch,
  compareHits,
  matches,
  scoreOf,
  searchRecords,
  searchSchemaOf,
  type Search,
  type ScoredRecord,
  type SearchableRecord,
} from '@patchbay/connectors/engine';
import {
  arbitraryRecords,
  arbitrarySearchParams,
  searchedThings,
} from '@patchbay/connectors/testing';
import * as fc from 'fast-check';
import type { CopyId } from '../../src/contract/copies.ts';
import { deleteRecords } from '../../src/copies/delete-records.ts';
import { searchCopy } from '../../src/copies/search/search-copy.ts';
import type { SearchPace } from '../../src/copies/search-pace.ts';
import { TEST_DATABASES } from '../support/test-databases.ts';
import { arbitraryPace } from './support/arbitrary-pace.ts';
import { arbitraryTextSearch } from './support/arbitrary-text-search.ts';
import { openTestCopies, type TestCopies } from './support/open-test-copies.ts';

const SETS = Number(process.env['SEARCH_SETS'] ?? 20);
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

for (const database of TEST_DATABASES) {
  describe(`random pages on ${database.name}`, { skip: database.skip }, () => {
    let copies: TestCopies;
    before(async () => {
      copies = await openTestCopies(database, [searchedThings]);
    });
    after(() => copies[Symbol.asyncDispose]());

    test('are together one big page', async (t) => {
      const seed = seedFor(t);
      for (const [index, records] of samples(arbitraryRecords(schema), seed, SETS).entries()) {
        const copy = copies.newCopy('things');
        await copies.write(copy, records);
        for (const walk of samples(arbitraryWalk, seed + index, WALKS)) {
          const search = checkSearch(schema, { ...walk.params, limit: 10_000 });
          const pages = await walkPages(copy, search, walk);
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
      const sets = samples(
        fc.tuple(arbitraryRecords(schema), arbitraryRecords(schema), arbitraryWalk),
        seed,
        SETS * 5,
      );
      for (const [index, [records, later, walk]] of sets.entries()) {
        const copy = copies.newCopy('things');
        await copies.write(copy, records);
        const search = checkSearch(schema, { ...walk.params, limit: 10_000 });
        const history: Map<string, Version[]> = new Map(
          records.map(({ key, values }) => [key, [values]]),
        );
        const changes = [...later];
        const pages = await walkPages(copy, search, walk, async () => {
          const change = changes.pop();
          if (change === undefined) return;
          const isDeletion = changes.length % 3 === 0;
          await applyChange(copy, change, isDeletion);
          const versions = history.get(change.key) ?? [undefined];
          versions.push(isDeletion ? undefined : change.values);
          history.set(change.key, versions);
        });
        assert.deepEqual(
          pages.flat().flatMap(({ id }) => (isSteady(search, id, history) ? [id] : [])),
          steadyInOrder(search, history),
          `SEARCH_SEED=${seed}, set ${index}: ${JSON.stringify(walk)}`,
        );
      }
    });

    /** Whole pages of hits, one after another, with something done between them. */
    async function walkPages(
      copy: CopyId,
      search: Search,
      { pace, limit }: Walk,
      between: () => Promise<void> = () => Promise.resolve(),
    ): Promise<readonly (readonly { readonly id: string; readonly score: number }[])[]> {
      const pages = [];
      let cursor: string | undefined;
      for (;;) {
        const opened = copies.open(copy, { pace });
        const page = await searchCopy(opened, { ...search, limit, cursor });
        assert.ok(page.hits.length <= limit);
        pages.push(page.hits);
        if (page.nextCursor === null) return pages;
        cursor = page.nextCursor;
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
