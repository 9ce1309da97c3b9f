import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  checkSearch,
  countRecords,
  searchRecords,
  searchSchemaOf,
} from '@patchbay/connectors/engine';
import {
  arbitraryRecords,
  arbitrarySearchParams,
  searchedThings,
  sizeOf,
} from '@patchbay/connectors/testing';
import * as fc from 'fast-check';
import type { SearchHit } from '../../src/contract/copies.ts';
import { searchCopy } from '../../src/copies/search/search-copy.ts';
import { TEST_DATABASES } from '../support/test-databases.ts';
import { arbitraryPace } from './support/arbitrary-pace.ts';
import { arbitraryTextSearch } from './support/arbitrary-text-search.ts';
import { openTestCopies, type TestCopies } from './support/open-test-copies.ts';

/** Sets of records, and searches in each of them. */
const SETS = sizeOf('random searches');
const SEARCHES = 100;

const schema = searchSchemaOf(searchedThings);
if (schema === undefined) throw new Error('things cannot be searched');

const arbitrarySearch = fc.tuple(
  fc.oneof(
    { weight: 3, arbitrary: arbitrarySearchParams(schema) },
    { weight: 1, arbitrary: arbitraryTextSearch },
  ),
  arbitraryPace,
);

for (const database of TEST_DATABASES) {
  describe(`random searches on ${database.name}`, { skip: database.skip }, () => {
    let copies: TestCopies;
    before(async () => {
      copies = await openTestCopies(database, [searchedThings]);
    });
    after(() => copies[Symbol.asyncDispose]());

    test(`find what the reference finds, ${SETS * SEARCHES} times`, async (t) => {
      const seed = Number(process.env['SEARCH_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
      t.diagnostic(`SEARCH_SEED=${seed}`);
      const sets = fc.sample(arbitraryRecords(schema), { seed, numRuns: SETS });
      for (const [index, records] of sets.entries()) {
        const copy = await copies.newCopy('things');
        await copies.write(copy, records);
        const searches = fc.sample(arbitrarySearch, { seed: seed + index, numRuns: SEARCHES });
        for (const [params, pace] of searches) {
          const search = checkSearch(schema, params);
          const page = await searchCopy(copies.open(copy, { pace }), search);
          const message = `SEARCH_SEED=${seed}, set ${index}: ${JSON.stringify({ params, pace })}`;
          const { hits, nextCursor: _, isPartial: __, ...counts } = page;
          assert.deepEqual(hits.map(asPlain), searchRecords(schema, records, search), message);
          assert.deepEqual(counts, countRecords(records, search, pace.counted), message);
        }
      }
    });
  });
}

function asPlain({ id, score, data }: SearchHit): unknown {
  return { id, score, data: JSON.parse(data) as unknown };
}
