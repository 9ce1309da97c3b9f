import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { checkSearch, searchRecords, searchSchemaOf } from '@patchbay/connectors/engine';
import { searchedThings } from '@patchbay/connectors/testing';
import type { CopyId, CopyRecord } from '../../src/contract/copies.ts';
import { SEARCH_PACE, type SearchPace } from '../../src/copies/search-pace.ts';
import { searchCopy } from '../../src/copies/search/search-copy.ts';
import { MOST_READ_OF_TEXT } from '../../src/copies/search/filter/operand-terms.ts';
import { TEST_DATABASES } from '../support/test-databases.ts';
import { openTestCopies, type TestCopies } from './support/open-test-copies.ts';

const schema = searchSchemaOf(searchedThings);
if (schema === undefined) throw new Error('things cannot be searched');

/** Rows are found by terms, wherever some are known, and not by looking at all of them. */
const PACE: SearchPace = {
  ...SEARCH_PACE,
  firstStep: 1,
  longestFirstStep: 1,
  costs: { ...SEARCH_PACE.costs, walked: 1e9 },
};

/** A text of which the rest is not read for words. */
function cutAfter(beginning: string, rest: string): string {
  return (
    'lorem ipsum '.repeat(MOST_READ_OF_TEXT).slice(0, MOST_READ_OF_TEXT - beginning.length) +
    beginning +
    rest
  );
}

const TEXTS: readonly string[] = [
  cutAfter(' ada', ''),
  cutAfter(' love', 'lace and others'),
  cutAfter(' love', ' lace and others'),
  cutAfter(' cafe', '\u0301s, and others'),
  cutAfter(' 𐐀', '𐐁𐐀 and others').slice(1),
  cutAfter(' ada', '𐐁𐐀 and others').slice(1),
  cutAfter(' ΟΔΟΣ', 'Σ and others'),
  cutAfter(' \u1112\u1161', '\u11ab and others'),
  'a'.repeat(MOST_READ_OF_TEXT + 1),
  'a'.repeat(3 * MOST_READ_OF_TEXT),
  `${'-'.repeat(MOST_READ_OF_TEXT)} ada`,
  '-'.repeat(MOST_READ_OF_TEXT),
  '-'.repeat(MOST_READ_OF_TEXT + 1),
  '🙂'.repeat(MOST_READ_OF_TEXT),
  '\ufdfa'.repeat(2 * MOST_READ_OF_TEXT),
  `a${'\u0301'.repeat(MOST_READ_OF_TEXT)}b`,
  'ada',
];

/** Each text in every place, and an almost equal one beside it. */
const records: readonly CopyRecord[] = TEXTS.flatMap((text) => [text, `${text}x`]).map(
  (text, index) => ({
    key: `t${index}`,
    values: {
      id: `t${index}`,
      name: text,
      note: text,
      profile: { a: { b: text, c: index }, text },
      tags: [text, index, { name: text }],
      parts: [{ name: text }],
    },
  }),
);

for (const database of TEST_DATABASES) {
  describe(`long operands on ${database.name}`, { skip: database.skip }, () => {
    let copies: TestCopies;
    let copy: CopyId;
    before(async () => {
      copies = await openTestCopies(database, [searchedThings]);
      copy = await copies.newCopy('things');
      await copies.write(copy, records);
    });
    after(() => copies[Symbol.asyncDispose]());

    const assertFinds = async (filter: object, keys: readonly string[]): Promise<void> => {
      const search = checkSearch(schema, { query: { filter }, limit: 100 });
      const { hits } = await searchCopy(copies.open(copy, { pace: PACE }), search);
      const found = hits.map(({ id }) => id);
      const what = JSON.stringify(filter).slice(0, 60);
      assert.deepEqual(found.toSorted(), keys.toSorted(), what);
      const expected = searchRecords(schema, records, search).map(({ id }) => id);
      assert.deepEqual(found, expected, what);
    };

    for (const [index, text] of TEXTS.entries())
      test(`find what is equal to them: ${index}, ${JSON.stringify(text.slice(-20))}`, async () => {
        const key = `t${2 * index}`;
        const values = records[2 * index]?.values;
        const filters = [
          ...['id', 'name', 'note'].map((name) => ({ eq: { [name]: values?.[name] } })),
          { eq: { profile: values?.['profile'] } },
          { eq: { 'profile.text': text } },
          { eq: { 'profile.a': { c: 2 * index, b: text } } },
          { eq: { tags: values?.['tags'] } },
          { in: { note: [text, 'grace'] } },
          { in: { 'profile.text': [text, 'grace'] } },
          { contains: { tags: text } },
          { any: { parts: { eq: { name: text } } } },
          { any: { parts: { in: { name: ['grace', text] } } } },
          { any: { tags: { and: [{ eq: { name: text } }, { not: { eq: { name: 'ada!' } } }] } } },
        ];
        for (const filter of filters) await assertFinds(filter, [key]);
      });

    test('find what is equal to one of them', async () => {
      const keys = TEXTS.map((_, index) => `t${2 * index}`);
      await assertFinds({ in: { name: TEXTS } }, keys);
      await assertFinds({ in: { 'profile.text': TEXTS } }, keys);
      await assertFinds({ any: { parts: { in: { name: TEXTS } } } }, keys);
      const others = records.map(({ key }) => key).filter((key) => !keys.includes(key));
      await assertFinds({ not: { in: { note: TEXTS } } }, others);
    });
  });
}
