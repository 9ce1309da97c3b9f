import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import {
  arbitraryFilter,
  arbitraryJson,
  arbitraryRecords,
} from '../../test/support/arbitrary-search.ts';
import { searchedThings } from '../../test/support/searched-things.ts';
import { checkSearch } from './check-search.ts';
import { judge, matches, scoreOf } from './evaluate.ts';
import type { Filter } from './filter.ts';
import { searchSchemaOf } from './search-schema.ts';

const schema = searchSchemaOf(searchedThings);
assert.ok(schema);

const filterOf = (filter: unknown): Filter => checkSearch(schema, { query: { filter } }).filter;

const holds = (filter: unknown, values: Readonly<Record<string, unknown>>): boolean =>
  matches(filterOf(filter), values);

const inside = (filter: unknown): unknown => ({ any: { parts: filter } });

/** A row: the values of a record, a filter, and whether they fit (or the score, if they do). */
type Row = readonly [values: Record<string, unknown>, filter: unknown, fits: boolean | number];

function table(rows: readonly Row[]): void {
  for (const [values, filter, fits] of rows)
    test(`${JSON.stringify(filter)} ${fits === false ? 'misses' : 'finds'} ${JSON.stringify(values)}`, () => {
      const checked = filterOf(filter);
      assert.equal(matches(checked, values), fits !== false);
      if (typeof fits === 'number') assert.equal(scoreOf(checked, values), fits);
    });
}

describe('eq', () => {
  table([
    [{ name: 'a' }, { eq: { name: 'a' } }, 1],
    [{ name: 'A' }, { eq: { name: 'a' } }, false],
    [{ name: 'a ' }, { eq: { name: 'a' } }, false],
    [{ name: '' }, { eq: { name: '' } }, true],
    [{ name: '' }, { eq: { name: null } }, false],
    [{ name: null }, { eq: { name: null } }, true],
    [{}, { eq: { name: null } }, true],
    [{}, { eq: { name: '' } }, false],
    [{ name: 'e\u0301' }, { eq: { name: 'é' } }, false],
    [{ name: 'x\uFFFD' }, { eq: { name: 'x\0' } }, true],
    [{ size: 0 }, { eq: { size: 0 } }, true],
    [{ size: 0 }, { eq: { size: null } }, false],
    [{ weight: 1.5 }, { eq: { weight: 1.5 } }, true],
    [{ is_open: false }, { eq: { is_open: false } }, true],
    [{ is_open: false }, { eq: { is_open: null } }, false],
    [
      { profile: { a: 1, b: [1, { c: 2 }] } },
      { eq: { profile: { b: [1, { c: 2 }], a: 1 } } },
      true,
    ],
    [{ profile: { a: 1, b: 2 } }, { eq: { profile: { a: 1 } } }, false],
    [{ profile: { a: 1 } }, { eq: { profile: { a: 1, b: null } } }, false],
    [{ profile: { a: null } }, { eq: { profile: { b: null } } }, false],
    [{ profile: {} }, { eq: { profile: [] } }, false],
    [{ profile: {} }, { eq: { profile: null } }, false],
    [{ tags: [1, 2] }, { eq: { tags: [1, 2] } }, true],
    [{ tags: [1, 2] }, { eq: { tags: [2, 1] } }, false],
    [{ tags: [1] }, { eq: { tags: [1, 2] } }, false],
    [{ tags: ['1'] }, { eq: { tags: [1] } }, false],
    [{ tags: [] }, { eq: { tags: null } }, false],
    [{ name: 'a', size: 1 }, { eq: { name: 'a', size: 1 } }, true],
    [{ name: 'a', size: 2 }, { eq: { name: 'a', size: 1 } }, false],
    [{ name: 'a' }, { eq: {} }, true],
  ]);
});

describe('judging in steps', () => {
  // A text that one step went through as a whole would keep everybody waiting.
  const long = '中'.repeat(1_000_000);
  for (const operator of ['like', 'keyword', 'fuzzy'])
    test(`takes many of them for a long text without spaces: ${operator}`, () => {
      const steps = judge(filterOf({ [operator]: { name: 'abc' } }), { name: long });
      let count = 0;
      while (steps.next().done !== true) count++;
      assert.ok(count > 200, String(count));
    });

  test('finds what lies between two of them', () => {
    for (const at of [4_094, 4_095, 4_096, 16_382, 16_383, 16_384, 20_000]) {
      const name = `${'中'.repeat(at)}aБc${'中'.repeat(40_000)}`;
      assert.ok(holds({ like: { name: 'AбC' } }, { name }), String(at));
      assert.ok(holds({ like: { name: '中%Aб%c%中' } }, { name }), String(at));
      assert.ok(!holds({ like: { name: '中%Aб%C%aбc%中' } }, { name }), String(at));
    }
  });
});

describe('neq is exactly not eq', () => {
  table([
    [{ name: 'a' }, { neq: { name: 'a' } }, false],
    [{ name: 'b' }, { neq: { name: 'a' } }, true],
    [{}, { neq: { name: 'a' } }, true],
    [{}, { neq: { name: null } }, false],
    [{ name: 'b', size: 1 }, { neq: { name: 'a', size: 1 } }, false],
  ]);
});

describe('gt, gte, lt, lte', () => {
  table([
    [{ size: 2 }, { gt: { size: 1 } }, true],
    [{ size: 1 }, { gt: { size: 1 } }, false],
    [{ size: 1 }, { gte: { size: 1 } }, true],
    [{ size: 1 }, { lt: { size: 1 } }, false],
    [{ size: 0 }, { lt: { size: 1 } }, true],
    [{ size: 1 }, { lte: { size: 1 } }, true],
    [{ size: 5 }, { gt: { size: 1 }, lt: { size: 5 } }, false],
    [{ size: null }, { lt: { size: 1 } }, false],
    [{}, { gte: { size: -1 } }, false],
    [{ weight: 0.2 }, { gt: { weight: 0.1 } }, true],
    [{ name: 'b' }, { gt: { name: 'a' } }, true],
    [{ name: 'B' }, { gt: { name: 'a' } }, false],
    [{ name: '10' }, { lt: { name: '9' } }, true],
    [{ name: 'a' }, { gt: { name: '' } }, true],
    [{ name: '' }, { gte: { name: '' } }, true],
    [{ name: null }, { gte: { name: '' } }, false],
    [{ name: 'ab' }, { gt: { name: 'a' } }, true],
    // U+1F600 comes after U+FFFD, although its UTF-16 units come before it.
    [{ name: '😀' }, { gt: { name: '\uFFFD' } }, true],
    [{ name: '\uE000' }, { lt: { name: '𐐀' } }, true],
    [{ name: '😀a' }, { gt: { name: '😀' } }, true],
  ]);
});

describe('in', () => {
  table([
    [{ name: 'b' }, { in: { name: ['a', 'b'] } }, 1],
    [{ name: 'c' }, { in: { name: ['a', 'b'] } }, false],
    [{}, { in: { name: ['a', null] } }, true],
    [{}, { in: { name: ['a'] } }, false],
    [{}, { in: { name: [] } }, false],
    [{ name: 'a' }, { in: { name: [] } }, false],
    [{ profile: { a: 1, b: 2 } }, { in: { profile: [{ b: 2, a: 1 }] } }, true],
    [{ tags: ['a'] }, { in: { tags: [['a']] } }, true],
    [{ size: 1, name: 'a' }, { in: { size: [1], name: ['b'] } }, false],
  ]);
});

describe('like', () => {
  table([
    [{ name: 'Ada Lovelace' }, { like: { name: 'LOVE' } }, 1],
    [{ name: 'Ada Lovelace' }, { like: { name: 'ada lovelace' } }, true],
    [{ name: 'Ada Lovelace' }, { like: { name: 'ada%' } }, true],
    [{ name: 'Ada Lovelace' }, { like: { name: 'love%' } }, false],
    [{ name: 'Ada Lovelace' }, { like: { name: '%lace' } }, true],
    [{ name: 'Ada Lovelace' }, { like: { name: '%love' } }, false],
    [{ name: 'Ada Lovelace' }, { like: { name: 'a%a%l%e' } }, true],
    [{ name: 'Ada Lovelace' }, { like: { name: 'a%x%e' } }, false],
    [{ name: 'aXbXc' }, { like: { name: 'a%b%c' } }, true],
    [{ name: 'abab' }, { like: { name: 'ab%ab' } }, true],
    [{ name: 'ab' }, { like: { name: 'ab%ab' } }, false],
    [{ name: 'aba' }, { like: { name: 'ab%ba' } }, false],
    [{ name: 'abcbc' }, { like: { name: '%bc%bc' } }, true],
    [{ name: 'abc' }, { like: { name: '%bc%bc' } }, false],
    [{ name: 'x' }, { like: { name: '' } }, true],
    [{ name: '' }, { like: { name: '' } }, true],
    [{ name: '' }, { like: { name: '%' } }, true],
    [{ name: '' }, { like: { name: '%%' } }, true],
    [{ name: '' }, { like: { name: 'a' } }, false],
    [{ name: null }, { like: { name: '' } }, false],
    [{}, { like: { name: '%' } }, false],
    [{ name: '5%' }, { like: { name: '5\\%' } }, false],
    [{ name: '5\\x' }, { like: { name: '5\\%' } }, true],
    [{ name: 'axb' }, { like: { name: 'a_b' } }, false],
    [{ name: 'a_b' }, { like: { name: 'A_B' } }, true],
    [{ name: 'a*b' }, { like: { name: 'a*' } }, true],
    [{ name: 'a\nb' }, { like: { name: 'a%b' } }, true],
    [{ name: 'ΟΔΟΣ' }, { like: { name: 'οδοσ' } }, true],
    [{ name: 'οδος' }, { like: { name: 'ΟΔΟΣ' } }, false],
    [{ name: 'Straße' }, { like: { name: 'STRASSE' } }, false],
    [{ name: 'É' }, { like: { name: 'é' } }, true],
    [{ name: 'É' }, { like: { name: 'e' } }, false],
    [{ name: '𐐀x' }, { like: { name: '𐐨' } }, true],
    [{ name: '😀😀' }, { like: { name: '😀%😀' } }, true],
    [{ size: 1234 }, { like: { size: '23' } }, true],
    [{ size: -5 }, { like: { size: '-%' } }, true],
    [{ weight: 1e21 }, { like: { weight: '1E+21' } }, true],
    [{ is_open: true }, { like: { is_open: 'TR%' } }, true],
    [{ is_open: null }, { like: { is_open: '' } }, false],
    [{ profile: { a: { b: ['x', 'Deep'] } } }, { like: { profile: 'deep' } }, true],
    [{ profile: { deep: 1 } }, { like: { profile: 'deep' } }, false],
    [{ profile: { a: 12 } }, { like: { profile: '12' } }, false],
    [{ profile: { a: 1 } }, { like: { profile: '' } }, false],
    [{ tags: ['vip', 7] }, { like: { tags: 'v%p' } }, true],
    [{ tags: ['v', 'p'] }, { like: { tags: 'v%p' } }, false],
    [{ tags: [7] }, { like: { tags: '7' } }, false],
  ]);
});

describe('keyword', () => {
  table([
    [{ name: 'Ada Lovelace' }, { keyword: { name: 'ada' } }, 1],
    [{ name: 'Ada Lovelace' }, { keyword: { name: 'grace ada' } }, 1 / 2],
    [{ name: 'Ada Lovelace' }, { keyword: { name: 'ada ADA áda x' } }, 1 / 2],
    [{ name: 'Ada Lovelace' }, { keyword: { name: 'lovelace, ada!' } }, 1],
    [{ name: 'Ada Lovelace' }, { keyword: { name: 'love' } }, false],
    [{ name: 'Ada' }, { keyword: { name: '' } }, false],
    [{ name: 'Ada' }, { keyword: { name: ' —%' } }, false],
    [{ name: '' }, { keyword: { name: '' } }, false],
    [{}, { keyword: { name: 'ada' } }, false],
    [{ name: 'Café' }, { keyword: { name: 'cafe' } }, 1],
    [{ name: 'οδός' }, { keyword: { name: 'ΟΔΟΣ' } }, 1],
    [{ size: 42 }, { keyword: { size: '42' } }, 1],
    [{ weight: -1.5 }, { keyword: { weight: '5' } }, 1],
    [{ is_open: false }, { keyword: { is_open: 'False' } }, 1],
    [{ tags: ['a b', ['c']] }, { keyword: { tags: 'a b c d' } }, 3 / 4],
    [{ profile: { a: 'x', b: { c: 'y' } } }, { keyword: { profile: 'y x' } }, 1],
    [{ profile: { a: 42 } }, { keyword: { profile: '42' } }, false],
  ]);
});

describe('fuzzy', () => {
  table([
    [{ name: 'Ada Lovelace' }, { fuzzy: { name: 'lovelace ada' } }, 1],
    [{ name: 'Ada Lovelace' }, { fuzzy: { name: 'love' } }, 0.9],
    [{ name: 'Ada Lovelace' }, { fuzzy: { name: 'lo' } }, false],
    [{ name: 'Ada Lovelace' }, { fuzzy: { name: 'lovelcae' } }, 1 - 1 / 8],
    [{ name: 'Ada Lovelace' }, { fuzzy: { name: 'ad' } }, false],
    [{ name: 'Ada Lovelace' }, { fuzzy: { name: 'aad love' } }, (1 - 1 / 3 + 0.9) / 2],
    [{ name: 'Ada Lovelace' }, { fuzzy: { name: 'ada grace' } }, false],
    [{ name: 'ad' }, { fuzzy: { name: 'ada' } }, 1 - 1 / 3],
    [{ name: 'Ada' }, { fuzzy: { name: '' } }, false],
    [{ name: 'Ada' }, { fuzzy: { name: '!' } }, false],
    [{}, { fuzzy: { name: 'ada' } }, false],
    [{ name: 'adam ada' }, { fuzzy: { name: 'ada' } }, 1],
    [{ name: 'order1234' }, { fuzzy: { name: 'order1235' } }, false],
    [{ size: 1234 }, { fuzzy: { size: '123' } }, 0.9],
    [{ size: 1234 }, { fuzzy: { size: '1243' } }, false],
    [{ profile: { a: 'Grace', b: ['Hopper'] } }, { fuzzy: { profile: 'hoper grace' } }, 0.9],
  ]);
});

describe('contains', () => {
  table([
    [{ tags: ['a', 1] }, { contains: { tags: 'a' } }, 1],
    [{ tags: ['a', 1] }, { contains: { tags: 1 } }, true],
    [{ tags: ['a', 1] }, { contains: { tags: '1' } }, false],
    [{ tags: [null] }, { contains: { tags: null } }, true],
    [{ tags: [] }, { contains: { tags: null } }, false],
    [{ tags: [['a']] }, { contains: { tags: 'a' } }, false],
    [{ tags: [false] }, { contains: { tags: false } }, true],
    [{}, { contains: { tags: null } }, false],
    [{ tags: ['a', 'b'] }, { contains: { tags: 'a' }, not: { contains: { tags: 'c' } } }, true],
  ]);
});

describe('any', () => {
  const parts = [{ name: 'Wheel', n: 4 }, { name: 'Door', n: 2 }, 'loose', null, ['x']];
  table([
    [{ parts }, { any: { parts: { eq: { name: 'Door' } } } }, 1],
    [{ parts }, { any: { parts: { eq: { name: 'Door', n: 4 } } } }, false],
    [{ parts }, { any: { parts: { gt: { n: 3 } } } }, true],
    [{ parts }, { any: { parts: { gt: { n: '3' } } } }, false],
    [{ parts }, { any: { parts: { gt: { name: 3 } } } }, false],
    [{ parts }, { any: { parts: { eq: { unknown: null } } } }, true],
    [{ parts: ['loose', null, []] }, { any: { parts: { eq: { unknown: null } } } }, false],
    [{ parts: ['loose'] }, { any: { parts: {} } }, false],
    [{ parts: [{}] }, { any: { parts: {} } }, true],
    [{ parts: [] }, { any: { parts: {} } }, false],
    [{}, { any: { parts: {} } }, false],
    [{ parts }, { any: { parts: { not: { eq: { n: 4 } } } } }, true],
    [{ parts: [{ n: 4 }] }, { any: { parts: { not: { eq: { n: 4 } } } } }, false],
    [{ parts: [{ a: { b: 'x' } }] }, { any: { parts: { eq: { 'a.b': 'x' } } } }, true],
    [
      { parts: [{ a: [{ b: 'x' }] }] },
      { any: { parts: { any: { a: { eq: { b: 'x' } } } } } },
      true,
    ],
    [{ parts: [{ a: 'x' }] }, { any: { parts: { any: { a: {} } } } }, false],
    [{ parts: [{ a: 'x' }] }, { any: { parts: { contains: { a: 'x' } } } }, false],
    [{ parts: [{ a: ['x'] }] }, { any: { parts: { contains: { a: 'x' } } } }, true],
    [{ parts: [{ a: 'x' }] }, { any: { parts: { eq: { toString: null, length: null } } } }, true],
    [{ parts: [{ n: 12 }] }, { any: { parts: { like: { n: '1%' } } } }, 1],
    [{ parts: [{ '': 'x' }] }, { any: { parts: { eq: { '': 'x' } } } }, true],
  ]);
});

describe('paths', () => {
  const profile = JSON.parse(
    '{"plan":"pro","n":7,"deep":{"er":true},"list":[{"a":1}],"none":null,"":{"":1},"a.b":2,"__proto__":{"x":1}}',
  ) as unknown;
  table([
    [{ profile }, { eq: { 'profile.plan': 'pro' } }, true],
    [{ profile }, { eq: { 'profile.deep.er': true } }, true],
    [{ profile }, { eq: { 'profile.deep': { er: true } } }, true],
    [{ profile }, { eq: { 'profile.n': '7' } }, false],
    [{ profile }, { eq: { 'profile.n': 7 } }, true],
    [{ profile }, { gt: { 'profile.n': 6.5 } }, true],
    [{ profile }, { gt: { 'profile.n': '6' } }, false],
    [{ profile }, { gte: { 'profile.deep': '' } }, false],
    [{ profile }, { lt: { 'profile.none': 1 } }, false],
    [{ profile }, { lt: { 'profile.deep.er': 2 } }, false],
    [{ profile }, { eq: { 'profile.none': null } }, true],
    [{ profile }, { eq: { 'profile.nowhere': null } }, true],
    [{ profile }, { eq: { 'profile.nowhere.at.all': null } }, true],
    [{ profile }, { neq: { 'profile.nowhere': 1 } }, true],
    [{}, { eq: { 'profile.plan': null } }, true],
    [{ profile: 'text' }, { eq: { 'profile.length': null } }, true],
    [{ profile }, { eq: { 'profile.list.0': null } }, true],
    [{ profile }, { eq: { 'profile.list.length': null } }, true],
    [{ profile }, { any: { 'profile.list': { eq: { a: 1 } } } }, true],
    [{ profile }, { contains: { 'profile.list': 1 } }, false],
    [{ profile }, { contains: { 'profile.plan': 'pro' } }, false],
    [{ profile }, { any: { 'profile.deep': {} } }, false],
    [{ profile }, { eq: { 'profile.constructor': null } }, true],
    [{ profile }, { eq: { 'profile.__proto__.x': 1 } }, true],
    [{ profile }, { eq: { 'profile..': 1 } }, true],
    [{ profile }, { eq: { 'profile.a.b': null } }, true],
    [{ profile }, { eq: [{ path: ['profile', 'a.b'], value: 2 }] }, true],
    [{ profile }, { neq: [{ path: ['profile', 'a.b'], value: 2 }] }, false],
    [{ profile }, { gt: [{ path: ['profile', 'a', 'b'], value: 1 }] }, false],
    [{ profile }, { eq: [{ path: 'profile.n', value: 7 }], gt: { 'profile.n': 6 } }, true],
    [
      { profile },
      {
        gt: [
          { path: ['profile', 'n'], value: 6 },
          { path: ['profile', 'n'], value: 7 },
        ],
      },
      false,
    ],
    [{ profile }, { any: [{ path: ['profile', 'list'], value: { eq: { a: 1 } } }] }, true],
    [{ profile }, { like: { 'profile.n': '7' } }, true],
    [{ profile }, { keyword: { 'profile.deep.er': 'true' } }, true],
    [{ profile }, { keyword: { 'profile.deep': 'true' } }, false],
    [{ profile }, { in: { 'profile.plan': [7, null, 'pro'] } }, true],
  ]);
});

describe('and, or, not', () => {
  const yes = { eq: { name: 'a' } };
  const no = { eq: { name: 'b' } };
  const rows: readonly (readonly [filter: unknown, fits: boolean])[] = [
    [{}, true],
    [{ and: [] }, true],
    [{ or: [] }, false],
    [{ not: {} }, false],
    [{ and: [yes, no] }, false],
    [{ and: [yes, {}] }, true],
    [{ or: [no, yes] }, true],
    [{ or: [no, no] }, false],
    [{ not: no }, true],
    [{ not: yes }, false],
    [{ and: [yes], or: [no] }, false],
    [{ ...yes, not: no }, true],
    [{ and: [yes], not: { or: [no, yes] } }, false],
  ];
  table(rows.map(([filter, fits]): Row => [{ name: 'a' }, filter, fits]));
});

describe('the score', () => {
  const values = { name: 'Ada Lovelace', note: 'countess', size: 1 };
  const rows: readonly (readonly [filter: unknown, score: number, why: string])[] = [
    [{}, 1, 'there is no text condition'],
    [{ eq: { size: 1 } }, 1, 'there is no text condition'],
    [{ keyword: { name: 'ada grace' }, eq: { size: 1 } }, 1 / 2, 'only text conditions count'],
    [{ keyword: { name: 'ada x' }, like: { note: 'count' } }, 3 / 4, 'it is their mean'],
    [
      { or: [{ keyword: { name: 'ada x' } }, { like: { note: 'x' } }] },
      1 / 2,
      'of those that hold',
    ],
    [
      { like: { note: 'c' }, not: { keyword: { name: 'x ada y z', note: 'x' } } },
      1,
      'not of those under not',
    ],
    [{ not: { not: { keyword: { name: 'ada x' } } } }, 1, 'not even under two'],
    [
      {
        or: [
          { and: [{ keyword: { name: 'ada x' } }, { eq: { size: 2 } }] },
          { like: { note: '%' } },
        ],
      },
      3 / 4,
      'of each that holds, whatever stands beside it',
    ],
  ];
  for (const [filter, score, why] of rows)
    test(`of ${JSON.stringify(filter)} is ${score}: ${why}`, () => {
      const checked = filterOf(filter);
      assert.equal(matches(checked, values), true);
      assert.equal(scoreOf(checked, values), score);
    });

  const parts = [{ name: 'ada' }, { name: 'Grace Ada', n: 1 }, { name: 'x' }, 'ada grace x'];
  const anyRows: readonly (readonly [filter: unknown, score: number])[] = [
    [inside({ keyword: { name: 'ada' } }), 1],
    [inside({ keyword: { name: 'ada grace x' } }), 2 / 3],
    [inside({ keyword: { name: 'ada grace' }, like: { name: 'x' } }), 1],
    [inside({ eq: { n: 1 } }), 1],
    [{ or: [inside({ keyword: { name: 'nobody x' } }), { like: { name: 'y' } }] }, 1 / 2],
  ];
  for (const [filter, score] of anyRows)
    test(`of ${JSON.stringify(filter)} is that of the best elements: ${score}`, () => {
      assert.equal(scoreOf(filterOf(filter), { parts }), score);
    });
});

describe('laws', () => {
  const values = arbitraryRecords(schema, { maxLength: 1 }).map(([record]) => record?.values ?? {});
  const filter = arbitraryFilter(schema);
  const field = fc.constantFrom('profile', 'profile.a', 'address.plan.b');

  test('of and, or, not', () => {
    fc.assert(
      fc.property(values, filter, filter, (record, a, b) => {
        const [isA, isB] = [holds(a, record), holds(b, record)];
        assert.equal(holds({ and: [a, b] }, record), isA && isB);
        assert.equal(holds({ or: [a, b] }, record), isA || isB);
        assert.equal(holds({ not: a }, record), !isA);
        assert.equal(
          holds({ not: { and: [a, b] } }, record),
          holds({ or: [{ not: a }, { not: b }] }, record),
        );
        assert.equal(
          holds({ not: { or: [a, b] } }, record),
          holds({ and: [{ not: a }, { not: b }] }, record),
        );
      }),
      { numRuns: 500 },
    );
  });

  test('of neq and in', () => {
    const value = arbitraryJson();
    fc.assert(
      fc.property(values, field, value, value, (record, name, a, b) => {
        const eq = (operand: unknown) => ({ eq: { [name]: operand } });
        assert.equal(holds({ neq: { [name]: a } }, record), !holds(eq(a), record));
        assert.equal(
          holds({ in: { [name]: [a, b] } }, record),
          holds({ or: [eq(a), eq(b)] }, record),
        );
      }),
    );
  });

  test('of order: whatever is there is less, equal or greater', () => {
    fc.assert(
      fc.property(values, values, (record, other) => {
        for (const name of ['name', 'size', 'weight']) {
          const operand = other[name] ?? null;
          if (operand === null) continue;
          const is = (operator: string) => holds({ [operator]: { [name]: operand } }, record);
          const isThere = (record[name] ?? null) !== null;
          assert.equal(is('lt') || is('eq') || is('gt'), isThere);
          assert.equal(is('lte'), is('lt') || is('eq'));
          assert.equal(is('gte'), is('gt') || is('eq'));
          assert.ok(!(is('lt') && is('gt')));
        }
      }),
    );
  });

  test('of the score: above 0, at most 1, and 1 where no text is searched', () => {
    fc.assert(
      fc.property(values, filter, (record, given) => {
        const score = scoreOf(filterOf(given), record);
        assert.ok(score > 0 && score <= 1);
        if (!/like|keyword|fuzzy/.test(JSON.stringify(given))) assert.equal(score, 1);
      }),
      { numRuns: 500 },
    );
  });

  test('of equality: every value equals itself and its JSON, keys in any order', () => {
    fc.assert(
      fc.property(values, (record) => {
        for (const [name, value] of Object.entries(record)) {
          const copy: unknown = JSON.parse(JSON.stringify(value), (_, each: unknown) =>
            typeof each === 'object' && each !== null && !Array.isArray(each)
              ? Object.fromEntries(Object.entries(each).toReversed())
              : each,
          );
          assert.ok(holds({ eq: { [name]: copy } }, record));
        }
      }),
    );
  });
});
