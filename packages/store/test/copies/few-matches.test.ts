import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { searchRecords, searchSchemaOf } from '@patchbay/connectors/engine';
import { searchedThings } from '@patchbay/connectors/testing';
import type { CopyRecord } from '../../src/contract/copies.ts';
import { searchCopy, type SearchBounds } from '../../src/copies/search/search-copy.ts';
import { SEARCH_PACE } from '../../src/copies/search-pace.ts';
import { TEST_DATABASES } from '../support/test-databases.ts';
import { countStatements } from './support/counted-statements.ts';
import { openTestCopies, searchOf, type TestCopies } from './support/open-test-copies.ts';

/** One in twenty notes has four of the words, one in fifty two of them. */
const RECORDS: readonly CopyRecord[] = Array.from({ length: 1_000 }, (_, index) => ({
  key: String(index).padStart(4, '0'),
  values: { id: String(index), name: 'thing', note: noteOf(index) },
}));
const schema = searchSchemaOf(searchedThings);
if (schema === undefined) throw new Error('things cannot be searched');
const SEARCH = searchOf(searchedThings, {
  query: { filter: { keyword: { note: 'amber birch cedar delta ember' } } },
  limit: 60,
});
/** Looks at the first rows, finds and scores all that match, and reads them for the hits, the first ones before. */
const STATEMENTS = 4;

for (const database of TEST_DATABASES) {
  describe(`few matches of several scores on ${database.name}`, { skip: database.skip }, () => {
    let copies: TestCopies;
    before(async () => {
      copies = await openTestCopies(database, [searchedThings]);
    });
    after(() => copies[Symbol.asyncDispose]());

    test('are found and read at once in a copy that is known to be small', async () => {
      const copy = await copies.newCopy('things');
      await copies.write(copy, RECORDS);
      const expected = searchRecords(schema, RECORDS, SEARCH);
      const statementsFor = async (bounds: SearchBounds) => {
        const { database: counted, count } = countStatements(copies.database);
        const open = copies.open(copy, { database: counted, pace: SEARCH_PACE });
        const { hits } = await searchCopy(open, SEARCH, bounds);
        assert.deepEqual(
          hits.map(({ id, score }) => ({ id, score })),
          expected.map(({ id, score }) => ({ id, score })),
        );
        return count();
      };
      assert.equal(await statementsFor({ recordCount: RECORDS.length }), STATEMENTS);
      // Of a million, as many would be some thousands.
      assert.ok((await statementsFor({})) > STATEMENTS);
    });
  });
}

function noteOf(index: number): string {
  if (index % 20 === 0) return 'amber birch cedar delta';
  return index % 50 === 1 ? 'amber ember' : 'fallow';
}
