/** Records may have thousands of words that a word of a query nearly is: no statement compares all of them with all. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { searchRecords, searchSchemaOf } from '@patchbay/connectors/engine';
import { searchedThings } from '@patchbay/connectors/testing';
import type { CopyId, CopyRecord } from '../../src/contract/copies.ts';
import { findSimilarWords } from '../../src/copies/dictionary.ts';
import { searchCopy } from '../../src/copies/search/search-copy.ts';
import { SEARCH_PACE } from '../../src/copies/search-pace.ts';
import { TEST_DATABASES } from '../support/test-databases.ts';
import { openTestCopies, searchOf, type TestCopies } from './support/open-test-copies.ts';

const schema = searchSchemaOf(searchedThings);
if (schema === undefined) throw new Error('things cannot be searched');

const ALPHABET = Array.from('abcdefghijklmnopqrstuvwxyz');

/** Words that `abcdef` is within two edits of. */
const NEAR = ALPHABET.flatMap((one) => ALPHABET.map((other) => `ab${one}d${other}f`));

/** Words that nothing is near to. */
const FAR = Array.from({ length: 5_000 }, (_, index) => `z${index}`);

const records: readonly CopyRecord[] = [
  { key: 'far', values: { id: 'far', note: FAR.join(' ') } },
  { key: 'near', values: { id: 'near', note: NEAR.slice(1).join(' ') } },
  { key: 'long', values: { id: 'long', note: [...FAR, 'abcxef'].join(' ') } },
  { key: 'same', values: { id: 'same', note: [...FAR, 'abcdef'].join(' ') } },
  { key: 'short', values: { id: 'short', note: 'abdcef' } },
  { key: 'other', values: { id: 'other', note: 'lovelace' } },
];

for (const database of TEST_DATABASES) {
  describe(`similar words on ${database.name}`, { skip: database.skip }, () => {
    let copies: TestCopies;
    let copy: CopyId;
    before(async () => {
      copies = await openTestCopies(database, [searchedThings]);
      copy = await copies.newCopy('things');
      await copies.write(copy, records);
    });
    after(() => copies[Symbol.asyncDispose]());

    const fuzzy = { fuzzy: { note: 'abcdef' } };
    const filters = [
      fuzzy,
      { not: fuzzy },
      { and: [fuzzy, { neq: { id: 'near' } }] },
      { fuzzy: { note: 'abcdef lovelace' } },
      { or: [fuzzy, { keyword: { note: 'lovelace z1' } }] },
    ];
    for (const filter of filters)
      for (const sort of [undefined, [{ id: 'desc' }], [{ note: 'asc' }]])
        test(`find what the reference finds: ${JSON.stringify({ filter, sort })}`, async () => {
          const search = searchOf(searchedThings, { query: { filter, sort } });
          const { hits } = await searchCopy(copies.open(copy), search);
          const expected = searchRecords(schema, records, search);
          assert.deepEqual(
            hits.map(({ id, score }) => ({ id, score })),
            expected.map(({ id, score }) => ({ id, score })),
          );
        });

    test('are compared by the evaluator with those of a long record', async () => {
      const pace = { ...SEARCH_PACE, effort: FAR.length };
      const filter = { and: [fuzzy, { gte: { id: 'far' } }, { lte: { id: 'far' } }] };
      const search = searchOf(searchedThings, { query: { filter, sort: [{ id: 'asc' }] } });
      await assert.rejects(searchCopy(copies.open(copy, { pace }), search), {
        code: 'search_too_broad',
      });
    });

    test('are not looked for one by one where they are too many', async () => {
      const many = await copies.newCopy('things');
      const words = ALPHABET.flatMap((one) => [`${one}abcdef`, ...NEAR.map((near) => near + one)]);
      const others = Array.from({ length: 63 }, (_, index) =>
        'q'.repeat(7).replace(/./g, (letter, at) => ((index >> Number(at)) & 1 ? 'w' : letter)),
      );
      const text = [...words, ...others].join(' ');
      const given: readonly CopyRecord[] = [
        { key: 'all', values: { id: 'all', note: text } },
        { key: 'few', values: { id: 'few', note: 'abcdef' } },
      ];
      await copies.write(many, given);
      const asked = ['abcdef', ...others];
      const similar = await findSimilarWords(copies.open(many), asked);
      assert.equal(similar.get('abcdef'), 'many');
      assert.ok(Array.isArray(similar.get(others[0] ?? '')));
      const filter = { fuzzy: { note: asked.join(' ') } };
      const search = searchOf(searchedThings, { query: { filter } });
      const { hits } = await searchCopy(copies.open(many), search);
      const expected = searchRecords(schema, given, search);
      assert.deepEqual(
        hits.map(({ id, score }) => ({ id, score })),
        expected.map(({ id, score }) => ({ id, score })),
      );
      assert.equal(expected.length, 1);
    });
  });
}
