import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { arbitraryJson } from '../../test/support/arbitrary-search.ts';
import { searchedThings } from '../../test/support/searched-things.ts';
import { entity } from '../vocabulary/index.ts';
import { searchableValues, wellFormed, wellFormedText } from './storable-values.ts';

describe('a well-formed value', () => {
  const rows: readonly (readonly [given: unknown, stored: unknown])[] = [
    ['a\0b', 'a\uFFFDb'],
    ['\ud800', '\uFFFD'],
    ['\udc00\ud800', '\uFFFD\uFFFD'],
    ['\ud83d\ude42', '🙂'],
    [{ 'a\0': [{ '\ud800': 'x\0' }] }, { 'a\uFFFD': [{ '\uFFFD': 'x\uFFFD' }] }],
    [JSON.parse('[1e999, 0.5]'), [null, 0.5]],
    [{ a: -0 }, { a: 0 }],
    [null, null],
    [false, false],
  ];
  for (const [given, stored] of rows)
    test(`of ${JSON.stringify(given)} is ${JSON.stringify(stored)}`, () => {
      assert.deepEqual(wellFormed(given), stored);
    });

  test('is what it was where nothing is wrong, and has no other prototype', () => {
    const given: unknown = JSON.parse('{"__proto__":{"a":1},"b":"\\u0000"}');
    assert.equal(JSON.stringify(wellFormed(given)), '{"__proto__":{"a":1},"b":"\uFFFD"}');
    const sound = { a: [1, 'x'] };
    assert.equal(wellFormed(sound), sound);
  });

  test('can be stored: its JSON has neither NUL nor a lone surrogate, at any depth', () => {
    fc.assert(
      fc.property(fc.oneof(arbitraryJson(), fc.json().map(String)), (value) => {
        const stored = wellFormed(value);
        assert.doesNotMatch(JSON.stringify(stored), /\\u0000|\\ud[89a-f]/);
        assert.deepEqual(wellFormed(stored), stored);
        assert.deepEqual(JSON.parse(JSON.stringify(stored)), stored);
      }),
    );
  });

  test('ends before the stack does', () => {
    const deep: unknown = JSON.parse('['.repeat(5_000) + ']'.repeat(5_000));
    assert.equal(JSON.stringify(wellFormed(deep)), `${'['.repeat(500)}null${']'.repeat(500)}`);
  });
});

describe('searchable values', () => {
  const nothing = searchableValues(searchedThings, {});

  test('are all there, in the order of the reference, null where absent', () => {
    assert.deepEqual(Object.keys(nothing), searchedThings.search.fields);
    assert.ok(Object.values(nothing).every((value) => value === null));
    assert.deepEqual(
      searchableValues(searchedThings, { unknown: 1, constructor: 'x', name: undefined }),
      nothing,
    );
  });

  const rows: readonly (readonly [field: string, given: unknown, value: unknown])[] = [
    ['name', 'x\0', 'x\uFFFD'],
    ['name', 7, '7'],
    ['name', 1.5, null],
    ['name', true, null],
    ['name', {}, null],
    ['size', 7, 7],
    ['size', '-7', -7],
    ['size', '07', null],
    ['size', '7.0', null],
    ['size', 1.5, null],
    ['size', 2 ** 53, null],
    ['size', '9007199254740993', null],
    ['rank', '3', 3],
    ['weight', 1.5, 1.5],
    ['weight', '2', 2],
    ['weight', '2.5', null],
    ['weight', Infinity, null],
    ['is_open', false, false],
    ['is_open', 'false', null],
    ['is_open', 0, false],
    ['is_open', 1, true],
    ['is_open', 2, null],
    ['profile', { a: ['\0'] }, { a: ['\uFFFD'] }],
    ['profile', 'free form', 'free form'],
    ['profile', 0, 0],
    ['address', { a: 1 }, { a: 1 }],
    ['address', [], null],
    ['address', 'x', null],
    ['tags', ['a', 1, null, { b: 2 }], ['a', 1, null, { b: 2 }]],
    ['tags', { 0: 'a' }, null],
    ['parts', [{ name: 'x', more: 1 }, 7], [{ name: 'x', more: 1 }, 7]],
  ];
  for (const [field, given, value] of rows)
    test(`of ${field}: ${JSON.stringify(given)} is ${JSON.stringify(value)}`, () => {
      assert.deepEqual(searchableValues(searchedThings, { [field]: given }), {
        ...nothing,
        [field]: value,
      });
    });

  const sizes: readonly (readonly [what: string, given: unknown, isTooLarge: boolean])[] = [
    ['as many values as there may be', Array(50_000).fill('x'), false],
    ['more values', Array(50_001).fill('x'), true],
    ['as many words as there may be', words(99_998), false],
    ['more words', words(100_001), true],
    ['few words, however often', `${words(1_000)} `.repeat(500), false],
    ['words that stand in many objects', nested(words(1_000), 120), true],
    ['a few that do', nested(words(1_000), 90), false],
    ['words in an array that stands in some', { a: [nested(words(30_000), 20)] }, false],
    ['one word without an end', 'x'.repeat(2_000_000), true],
  ];
  for (const [what, given, isTooLarge] of sizes)
    test(`with ${what} are ${isTooLarge ? 'null, and said to be too large' : 'kept'}`, () => {
      const lost: string[] = [];
      const { profile } = searchableValues(searchedThings, { profile: given }, (field, why) =>
        lost.push(`${field} ${why}`),
      );
      assert.equal(profile === null, isTooLarge);
      assert.deepEqual(lost, isTooLarge ? ['profile size'] : []);
    });

  test('of an entity that cannot be searched are a mistake', () => {
    const { search: _, ...others } = searchedThings;
    assert.throws(() => searchableValues(entity(others), {}), /things has no searchable fields/);
  });
});

test('a well-formed text keeps its length', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.equal(wellFormedText(`\ud800${text}`).length, text.length + 1);
    }),
  );
});

function words(count: number): string {
  return Array.from({ length: count }, (_, index) => index.toString(36)).join(' ');
}

function nested(value: unknown, levels: number): unknown {
  return Array.from({ length: levels }).reduce<unknown>((inner) => ({ a: inner }), value);
}
