import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { checkSearch, searchRecords, searchSchemaOf } from '@patchbay/connectors/engine';
import { searchedThings } from '@patchbay/connectors/testing';
import type { CopyId } from '../../src/contract/copies.ts';
import { searchCopy } from '../../src/copies/search/search-copy.ts';
import { SEARCH_PACE } from '../../src/copies/search-pace.ts';
import { TEST_DATABASES } from '../support/test-databases.ts';
import { openTestCopies, type TestCopies } from './support/open-test-copies.ts';

const schema = searchSchemaOf(searchedThings);
if (schema === undefined) throw new Error('things cannot be searched');

/** What is found otherwise than few values and words are; every search gathers after its first row. */
const PACE = { ...SEARCH_PACE, firstStep: 1, longestFirstStep: 1 };

const FIRST = ['Kéliane', 'Ulvira', 'Zörbin', 'Dalisse', 'Nandela', 'Ixora', 'Abrin'];
const LAST = [
  'Foxglade',
  'Inkpenny',
  "O'Zephyr",
  'Larkwater',
  'Ashmarrow',
  'Rookhaven',
  'Juniperus',
];

/** Names of two words, notes of a few out of fourteen. */
const records = Array.from({ length: 400 }, (_, index) => ({
  key: `t${String(index).padStart(3, '0')}`,
  values: {
    id: `t${index}`,
    name: `${FIRST[index % 7]} ${LAST[(index * 3 + Math.floor(index / 49)) % 7]} ${index}`,
    note: [...FIRST, ...LAST].filter((_word, bit) => (index * 37) & (1 << bit)).join(', '),
    size: index,
  },
}));

const manyNames = records.filter((_, index) => index % 4 === 0).map(({ values }) => values.name);
const manyNotes = [...new Set(records.map(({ values }) => values.note))].slice(0, 150);

const FILTERS: Readonly<Record<string, unknown>> = {
  'in of many texts of several words that a B-tree has': { in: { name: [...manyNames, 'none'] } },
  'the same with another condition': { in: { name: manyNames }, lt: { size: 90 } },
  'in of many texts of several words that only terms find': { in: { note: manyNotes } },
  'the same beside a condition that terms find': {
    in: { note: manyNotes },
    keyword: { name: 'ulvira' },
  },
  'the same or another condition': { or: [{ in: { note: manyNotes } }, { eq: { size: 399 } }] },
  'two texts that a B-tree has': { eq: { name: records[7]?.values.name, id: 't7' } },
  'keyword of fourteen words': { keyword: { note: [...FIRST, ...LAST].join(' ') } },
  'keyword of fourteen words that must not hold': {
    not: { keyword: { note: [...FIRST, ...LAST].slice(3).join(' ') } },
  },
  'fuzzy of two words with typing errors': { fuzzy: { name: 'ulvria fxoglade' } },
  'like of letters that many records have': { like: { name: 'ra ink' } },
};

for (const database of TEST_DATABASES) {
  describe(
    `searches that indexes find the rows of on ${database.name}`,
    {
      skip: database.skip,
    },
    () => {
      let copies: TestCopies;
      let copy: CopyId;
      before(async () => {
        copies = await openTestCopies(database, [searchedThings]);
        copy = copies.newCopy('things');
        await copies.write(copies.newCopy('things'), records);
        await copies.write(copy, records);
      });
      after(() => copies[Symbol.asyncDispose]());

      for (const [name, filter] of Object.entries(FILTERS)) {
        test(name, async () => {
          for (const sort of [[], [{ size: 'desc' }], [{ name: 'asc' }]]) {
            const search = checkSearch(schema, { query: { filter, sort }, limit: 30 });
            const { hits } = await searchCopy(copies.open(copy, { pace: PACE }), search);
            const expected = searchRecords(schema, records, search);
            assert.deepEqual(
              hits.map(({ id, score }) => ({ id, score })),
              expected.map(({ id, score }) => ({ id, score })),
            );
            assert.ok(expected.length > 0);
          }
        });
      }
    },
  );
}
