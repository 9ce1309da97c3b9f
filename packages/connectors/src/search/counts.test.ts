import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { arbitraryRecords, arbitrarySearchParams } from '../../test/support/arbitrary-search.ts';
import { searchedThings } from '../../test/support/searched-things.ts';
import { checkSearch } from './check-search.ts';
import { countRecords } from './counts.ts';
import { searchRecords } from './search-records.ts';
import { searchSchemaOf } from './search-schema.ts';

const schema = searchSchemaOf(searchedThings);
assert.ok(schema);

type Values = Readonly<Record<string, unknown>>;

/** The one facet of things that have these values, in the order of their keys. */
function facetOver(path: string | readonly string[], all: readonly Values[], most?: number) {
  const search = checkSearch(schema as NonNullable<typeof schema>, { query: {}, facets: [path] });
  const records = all.map((values, index) => ({ key: String(index).padStart(5, '0'), values }));
  const { facets } = countRecords(records.toReversed(), search, most);
  return facets?.[typeof path === 'string' ? path : path.join('.')];
}

const told = (facet: ReturnType<typeof facetOver>) =>
  facet?.values.map(({ value, count }) => [value, count]);

describe('a total', () => {
  const records = Array.from({ length: 5 }, (_, index) => ({
    key: String(index),
    values: { size: index },
  }));
  const totalOf = (most: number, params = {}) => {
    const query = { filter: { gte: { size: 2 } } };
    return countRecords(records, checkSearch(schema, { query, count: true, ...params }), most)
      .total;
  };

  test('is of all that match, whatever the page', () => {
    assert.deepEqual(totalOf(3), { value: 3, relation: 'exact' });
    assert.deepEqual(totalOf(3, { limit: 1 }), { value: 3, relation: 'exact' });
  });

  test('is told up to a bound, and that there are more', () => {
    assert.deepEqual(totalOf(2), { value: 2, relation: 'at_least' });
  });

  test('is there where it is asked for only, as facets are', () => {
    assert.deepEqual(countRecords(records, checkSearch(schema, { query: {} })), {});
    assert.deepEqual(
      countRecords(records, checkSearch(schema, { query: {}, count: false, facets: [] })),
      {},
    );
    const both = checkSearch(schema, { query: {}, count: true, facets: ['size'] });
    assert.deepEqual(Object.keys(countRecords(records, both)), ['total', 'facets']);
  });
});

describe('a facet', () => {
  test('has the commonest values first, and of one count by their JSON', () => {
    const values = ['b', 'a', 'b', '😀', '\uE000', 'A', 'a', 'b'].map((name) => ({ name }));
    assert.deepEqual(facetOver('name', values), {
      values: [
        { value: 'b', count: 3 },
        { value: 'a', count: 2 },
        { value: 'A', count: 1 },
        { value: '\uE000', count: 1 },
        { value: '😀', count: 1 },
      ],
      relation: 'exact',
      other: 0,
    });
    assert.deepEqual(told(facetOver('size', [{ size: 9 }, { size: 10 }, { size: -1 }])), [
      [-1, 1],
      [10, 1],
      [9, 1],
    ]);
  });

  test('tells 20 values, and how often there were others', () => {
    const values = Array.from({ length: 25 }, (_, index) => ({ size: 100 + index }));
    const facet = facetOver('size', [...values, ...values.slice(-3)]);
    assert.equal(facet?.values.length, 20);
    assert.deepEqual(told(facet)?.slice(0, 4), [
      [122, 2],
      [123, 2],
      [124, 2],
      [100, 1],
    ]);
    assert.equal(facet.other, 5);
  });

  test('counts no nulls, no objects and no arrays inside arrays', () => {
    assert.deepEqual(
      told(
        facetOver('tags', [
          { tags: null },
          {},
          { tags: [] },
          { tags: [null, {}, ['a'], 'b', 1, true, '1'] },
        ]),
      ),
      [
        ['1', 1],
        ['b', 1],
        [1, 1],
        [true, 1],
      ],
    );
  });

  test('counts an element once a record, however often it is there', () => {
    assert.deepEqual(
      told(facetOver('tags', [{ tags: ['a', 'a', 'b'] }, { tags: ['a', 1, 1.0] }])),
      [
        ['a', 2],
        ['b', 1],
        [1, 1],
      ],
    );
  });

  test('looks at a path of own members, at scalars and arrays alike, but into no array', () => {
    const values = [
      { plan: 'free' },
      { plan: ['free', 'pro', 'free'] },
      { plan: { a: 1 } },
      [{ plan: 'x' }],
      'plan',
    ].map((profile) => ({ profile }));
    assert.deepEqual(told(facetOver('profile.plan', values)), [
      ['free', 2],
      ['pro', 1],
    ]);
    assert.deepEqual(
      told(facetOver(['profile', 'a.b'], [{ profile: { 'a.b': 1, a: { b: 2 } } }])),
      [[1, 1]],
    );
    assert.deepEqual(told(facetOver('profile.length', [{ profile: [1] }])), []);
  });

  test('tells no text of more than 256 characters: they count among the others, once a record', () => {
    const fits = '😀'.repeat(256);
    const long = 'x'.repeat(257);
    const facet = facetOver('tags', [
      { tags: [fits, long] },
      { tags: [long, `${long}x`] },
      { tags: ['a'] },
    ]);
    assert.deepEqual(told(facet), [
      ['a', 1],
      [fits, 1],
    ]);
    assert.equal(facet?.other, 2);
  });

  test('is of the first matches by key, where there are too many', () => {
    const facet = facetOver('name', [{ name: 'b' }, { name: 'b' }, { name: 'a' }], 2);
    assert.deepEqual(facet, {
      values: [{ value: 'b', count: 2 }],
      relation: 'at_least',
      other: 0,
    });
  });

  test('adds up to what its records hold', () => {
    fc.assert(
      fc.property(arbitraryRecords(schema), arbitrarySearchParams(schema), (records, params) => {
        const search = checkSearch(schema, { ...params, count: true, facets: ['is_open', 'name'] });
        const hits = searchRecords(schema, records, {
          ...search,
          limit: 10_000,
          fields: undefined,
        });
        const { total, facets = {} } = countRecords(records, search);
        assert.deepEqual(total, { value: hits.length, relation: 'exact' });
        for (const [name, { values, other }] of Object.entries(facets)) {
          const sum = values.reduce((all, { count }) => all + count, other);
          assert.equal(sum, hits.filter(({ data }) => data[name] !== null).length);
        }
      }),
    );
  });
});
