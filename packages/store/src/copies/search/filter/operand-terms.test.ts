import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PathHashes } from '../../path-hashes.ts';
import { valueTerm, wordTerm } from '../../terms.ts';
import { MOST_READ_OF_TEXT, OperandTerms } from './operand-terms.ts';

const HASHES = new PathHashes('00000000-0000-7000-8000-000000000000');
const AT = HASHES.at(['profile']);
const PLACE = { values: AT, words: AT };

function termsOf(value: unknown): readonly number[] {
  return new OperandTerms(HASHES).of(PLACE, value);
}

function ofWords(...words: readonly string[]): readonly number[] {
  return words.map((word) => wordTerm(AT, word));
}

/** A text whose words are other ones from where it is no longer read. */
function cutAfter(beginning: string, rest: string): string {
  return beginning.padStart(MOST_READ_OF_TEXT, '-') + rest;
}

describe('terms of operands', () => {
  const rows: readonly (readonly [what: string, value: unknown, terms: readonly number[]])[] = [
    ['a text, the longest words first', 'of Ada of Lovelace', ofWords('lovelace', 'ada', 'of')],
    ['a text without words', '—', [valueTerm(AT, '—')]],
    ['an empty text', '', [valueTerm(AT, '')]],
    ['a text that is just read', cutAfter('ada lovelace', ''), ofWords('lovelace', 'ada')],
    ['a text that is cut within a word', cutAfter('ada love', 'lace'), ofWords('ada')],
    ['a text that is cut after a word', cutAfter('ada love', ' lace'), ofWords('ada')],
    ['a text that is cut before a mark', cutAfter('ada cafe', '\u0301s'), ofWords('ada')],
    ['a text that is cut within a pair', cutAfter('ada 𐐀', '𐐁').slice(1), ofWords('ada')],
    [
      'a text that is cut within a pair after a word',
      cutAfter('b ada', '𐐁').slice(1),
      ofWords('b'),
    ],
    ['one word without an end', 'a'.repeat(MOST_READ_OF_TEXT + 1), []],
    ['a text with words later on', cutAfter('', 'ada lovelace'), []],
    ['a long text without words', '-'.repeat(MOST_READ_OF_TEXT + 1), []],
    ['values in which some are not known', ['a'.repeat(MOST_READ_OF_TEXT + 1), 'b'], ofWords('b')],
    ['nothing', null, []],
  ];
  for (const [what, value, terms] of rows)
    test(`are those of ${what}`, () => {
      assert.deepEqual(termsOf(value), terms);
    });

  test('are known of many values, as many as there may be', () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => `${index}-7c9e-4b1a-8f21-0123456789ab`);
    const sets = new OperandTerms(HASHES).ofEach(PLACE, ids);
    assert.equal(sets?.length, ids.length);
    assert.ok(sets.every((terms) => terms.length === 5));
  });

  test('are known of none of many values, where one has none', () => {
    const terms = new OperandTerms(HASHES);
    assert.equal(terms.ofEach(PLACE, ['ada', 'a'.repeat(100_000), 'b']), undefined);
    assert.equal(terms.ofEach(PLACE, ['ada', 'b'])?.length, 2);
  });

  test('of short values are known beside long ones', () => {
    const long = 'lorem ipsum '.repeat(1_000);
    const values = [...Array.from({ length: 60 }, (_, index) => `${long}${index}`), 'ada lovelace'];
    const sets = new OperandTerms(HASHES).ofEach(PLACE, values);
    assert.deepEqual(sets?.at(-1), ofWords('lovelace', 'ada'));
  });
});

describe('of operands that fill a request no more is read than a step may take', () => {
  const letters = '\ufdfa'.repeat(340_000);
  const words = 'lörem ipsum dolor '.repeat(55_000);
  const rows: readonly (readonly [what: string, values: readonly unknown[]])[] = [
    ['one text of characters that are many letters', [letters]],
    ['one text of words', [words]],
    ['many texts', Array.from({ length: 900 }, (_, index) => `${index}${letters.slice(0, 340)}`)],
    ['an array of texts', [Array.from({ length: 900 }, () => letters.slice(0, 340))]],
    ['an object of texts', [{ a: letters, b: { c: letters }, d: words }]],
  ];
  for (const [what, values] of rows)
    test(`of ${what}`, (t) => {
      const normalize = t.mock.method(String.prototype, 'normalize');
      new OperandTerms(HASHES).ofEach(PLACE, values);
      const made = normalize.mock.calls.reduce((sum, { result = '' }) => sum + result.length, 0);
      assert.ok(made > 0 && made < 150_000, `${made}`);
    });

  test('nor are many values and names looked at that have no terms', () => {
    let asked = 0;
    const nulls = new Proxy(
      Array.from({ length: 300_000 }, () => null),
      {
        get: (array, name, receiver): unknown => {
          asked++;
          return Reflect.get(array, name, receiver);
        },
      },
    );
    assert.deepEqual(termsOf(nulls), []);
    assert.ok(asked > 0 && asked < 250_000, `${asked}`);
    const names = Object.fromEntries(Array.from({ length: 99_999 }, (_, index) => [index, null]));
    assert.deepEqual(termsOf({ ...names, last: 'ada' }), []);
  });
});
