import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { checkSearch, searchRecords, searchSchemaOf } from '@patchbay/connectors/engine';
import { searchedThings } from '@patchbay/connectors/testing';
import type { CopyId } from '../../src/contract/copies.ts';
import { searchCopy } from '../../src/copies/search/search-copy.ts';
import { SEARCH_PACE, type RowCosts, type SearchPace } from '../../src/copies/search-pace.ts';
import { TEST_DATABASES } from '../support/test-databases.ts';
import { openTestCopies, type TestCopies } from './support/open-test-copies.ts';

const schema = searchSchemaOf(searchedThings);
if (schema === undefined) throw new Error('things cannot be searched');

const FROM_FIRST_ROW = { ...SEARCH_PACE, firstStep: 1, longestFirstStep: 1 };

/** What is found otherwise than few values and words are; every search goes on in one way after its first row. */
const PACES: Readonly<Record<string, SearchPace>> = {
  'through few rows': FROM_FIRST_ROW,
  'through few rows that prove to be many': {
    ...FROM_FIRST_ROW,
    ...costing({ walked: 1e9, key: 1e3 }),
    fewRows: 60,
    assumedRows: 1,
  },
  'through windows of keys': {
    ...FROM_FIRST_ROW,
    ...costing({ walked: 1e9, fetched: 1e6 }),
    longestWindow: 90,
  },
  'through windows, a few hits at a time': {
    ...FROM_FIRST_ROW,
    ...costing({ walked: 1e9, fetched: 1e6 }),
    longestWindow: 90,
    firstBatch: 2,
    longestBatch: 3,
  },
  'through ranges, however wide': { ...FROM_FIRST_ROW, ...costing({ walked: 1e9 }), fewRows: 2 },
  'row by row': { ...FROM_FIRST_ROW, ...costing({ walked: 0, grams: 0 }) },
};

function costing(costs: Partial<RowCosts>): Pick<SearchPace, 'costs'> {
  return { costs: { ...SEARCH_PACE.costs, ...costs } };
}

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

const ORDERS = [[], [{ size: 'desc' }], [{ name: 'asc' }]];

/** Names of two words, notes of a few out of fourteen. */
const records = Array.from({ length: 400 }, (_, index) => ({
  key: `t${String(index).padStart(3, '0')}`,
  values: {
    id: `t${index}`,
    name: `${FIRST[index % 7]} ${LAST[(index * 3 + Math.floor(index / 49)) % 7]} ${index}`,
    note: [...FIRST, ...LAST].filter((_word, bit) => (index * 37) & (1 << bit)).join(', '),
    size: index,
    tags: [{ rates: [index % 7, index % 5 === 0, ['', '!', 'ulvira'][index % 3]] }],
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
  'keyword of one common word': { keyword: { note: 'ixora' } },
  'one of two words, and a range that begins late': {
    or: [{ keyword: { name: 'ulvira' } }, { keyword: { note: 'larkwater' } }],
    gte: { size: 300 },
  },
  'a range that begins late, and a condition without an index': {
    gte: { size: 300 },
    lt: { size: 390 },
    not: { keyword: { note: 'larkwater' } },
  },
  'elements whose own array contains a number': { any: { tags: { contains: { rates: 3 } } } },
  'elements whose own array contains a boolean': { any: { tags: { contains: { rates: true } } } },
  'elements whose own array contains a text without words': {
    any: { tags: { contains: { rates: '!' } } },
  },
  'elements whose own array contains a word': { any: { tags: { contains: { rates: 'ulvira' } } } },
  'a range of texts': { gt: { name: 'Nandela' }, lte: { name: 'Ulvira' }, neq: { size: 12 } },
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
        copy = await copies.newCopy('things');
        await copies.write(await copies.newCopy('things'), records);
        await copies.write(copy, records);
      });
      after(() => copies[Symbol.asyncDispose]());

      for (const [name, filter] of Object.entries(FILTERS)) {
        for (const [way, pace] of Object.entries(PACES)) {
          test(`${name}, ${way}`, async () => {
            for (const sort of way === 'through few rows' ? ORDERS : [[]]) {
              const search = checkSearch(schema, { query: { filter, sort }, limit: 30 });
              const { hits } = await searchCopy(copies.open(copy, { pace }), search);
              const expected = searchRecords(schema, records, search);
              assert.deepEqual(
                hits.map(({ id, score }) => ({ id, score })),
                expected.map(({ id, score }) => ({ id, score })),
              );
              assert.ok(expected.length > 0);
            }
          });
        }
      }
    },
  );
}
