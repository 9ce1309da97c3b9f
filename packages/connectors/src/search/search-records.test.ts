import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { arbitraryRecords, arbitrarySearchParams } from '../../test/support/arbitrary-search.ts';
import { searchedThings } from '../../test/support/searched-things.ts';
import { checkSearch } from './check-search.ts';
import { compareCodePoints } from './code-points.ts';
import type { SortKey } from './filter.ts';
import { compareHits, pickFields, searchRecords, type ScoredRecord } from './search-records.ts';
import { searchSchemaOf } from './search-schema.ts';

const schema = searchSchemaOf(searchedThings);
assert.ok(schema);

function keysIn(sort: readonly SortKey[], records: readonly ScoredRecord[]): string {
  return records
    .toSorted(compareHits(sort))
    .map(({ key }) => key)
    .join(' ');
}

const scored = (key: string, values: Record<string, unknown>, score = 1): ScoredRecord => ({
  key,
  values,
  score,
});

describe('hits are ordered', () => {
  test('by score, best first, then by key', () => {
    const records = [scored('b', {}, 0.5), scored('c', {}, 1), scored('a', {}, 0.5)];
    assert.equal(keysIn([], records), 'c a b');
  });

  test('by a sort, whatever the score', () => {
    const records = [scored('a', { size: 2 }, 1), scored('b', { size: 1 }, 0.1)];
    assert.equal(keysIn([{ field: 'size', order: 'asc' }], records), 'b a');
    assert.equal(keysIn([{ field: 'size', order: 'desc' }], records), 'a b');
  });

  test('by keys where all else is equal, score too, in both directions', () => {
    const records = [scored('b', { size: 1 }, 0.2), scored('a', { size: 1 }, 0.1)];
    assert.equal(keysIn([{ field: 'size', order: 'desc' }], records), 'a b');
  });

  const values = { a: null, b: 1, c: 2 };
  const rows: readonly (readonly [
    field: string,
    values: Readonly<Record<string, unknown>>,
    asc: string,
    desc: string,
  ])[] = [
    ['size', values, 'b c a', 'c b a'],
    ['is_open', { a: true, b: false, c: null, d: undefined }, 'b a c d', 'a b c d'],
    ['name', { a: 'b', b: 'B', c: '', d: null }, 'c b a d', 'a b c d'],
    ['name', { a: '😀', b: '\uFFFD', c: '\uE000', d: 'z' }, 'd c b a', 'a b c d'],
    ['weight', { a: -1.5, b: -2, c: 0, d: 10 }, 'b a c d', 'd c a b'],
  ];
  for (const [field, byKey, asc, desc] of rows)
    test(`by ${field}: ${JSON.stringify(byKey)}, nulls last in both directions`, () => {
      const records = Object.entries(byKey).map(([key, value]) => scored(key, { [field]: value }));
      assert.equal(keysIn([{ field, order: 'asc' }], records), asc);
      assert.equal(keysIn([{ field, order: 'desc' }], records), desc);
    });

  test('by several fields, each in its direction', () => {
    const records = [
      scored('a', { is_open: true, size: 1 }),
      scored('b', { is_open: false, size: 1 }),
      scored('c', { is_open: false, size: 2 }),
    ];
    const sort: readonly SortKey[] = [
      { field: 'is_open', order: 'asc' },
      { field: 'size', order: 'desc' },
    ];
    assert.equal(keysIn(sort, records), 'c b a');
  });

  test('by keys as code points', () => {
    const records = ['😀', '\uFFFD', 'b', 'B', '10', '9'].map((key) => scored(key, {}));
    assert.equal(keysIn([], records), '10 9 B b \uFFFD 😀');
  });

  test('totally: every two of them, and the same whatever the order they came in', () => {
    fc.assert(
      fc.property(
        arbitraryRecords(schema),
        arbitrarySearchParams(schema),
        fc.array(fc.nat()),
        (records, params, ranks) => {
          const search = checkSearch(schema, params);
          const compare = compareHits(search.sort);
          const hits = records.map((record) => ({ ...record, score: 1 }));
          for (const a of hits)
            for (const b of hits) {
              assert.equal(Math.sign(compare(a, b)) + Math.sign(compare(b, a)), 0);
              assert.equal(compare(a, b) === 0, a.key === b.key);
            }
          const shuffled = [...records.keys()]
            .toSorted((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0))
            .flatMap((index) => records.slice(index, index + 1));
          assert.deepEqual(
            searchRecords(schema, shuffled, search),
            searchRecords(schema, records, search),
          );
        },
      ),
    );
  });
});

test('code points are compared as UTF-8 bytes are', () => {
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const byBytes = Buffer.compare(Buffer.from(a), Buffer.from(b));
      assert.equal(Math.sign(compareCodePoints(a, b)), byBytes);
    }),
  );
});

describe('the data of a hit', () => {
  const values = {
    id: 't1',
    name: 'x',
    profile: { a: { b: 1, c: 2 }, 'a.b': 3, list: [{ a: 1 }] },
  };

  test('are all searchable fields in the order of the reference, null where absent', () => {
    const data = pickFields(schema, { profile: {}, id: 't1', unknown: 1 }, undefined);
    assert.deepEqual(Object.keys(data), searchedThings.search.fields);
    assert.deepEqual(data['name'], null);
    assert.ok(!('unknown' in data));
  });

  test('lack an id that has no value', () => {
    assert.ok(!('id' in pickFields(schema, { id: null, name: 'x' }, undefined)));
    assert.deepEqual(pickFields(schema, {}, [['id'], ['name']]), { name: null });
  });

  const rows: readonly (readonly [fields: readonly (readonly string[])[], json: string])[] = [
    [[['name']], '{"name":"x"}'],
    [[['name'], ['id']], '{"id":"t1","name":"x"}'],
    [[['size']], '{"size":null}'],
    [
      [
        ['profile', 'a', 'c'],
        ['profile', 'a', 'b'],
      ],
      '{"profile":{"a":{"c":2,"b":1}}}',
    ],
    [[['profile', 'a.b']], '{"profile":{"a.b":3}}'],
    [[['profile', 'x', 'y']], '{"profile":{"x":{"y":null}}}'],
    [[['address', 'street']], '{"address":{"street":null}}'],
    [[['profile', 'list', '0']], '{"profile":{"list":{"0":null}}}'],
    [
      [
        ['profile', 'a', 'b'],
        ['profile', 'a'],
      ],
      '{"profile":{"a":{"b":1,"c":2}}}',
    ],
    [[['profile'], ['profile', 'none']], `{"profile":${JSON.stringify(values.profile)}}`],
    [[['name'], ['name']], '{"name":"x"}'],
    [[['profile', '__proto__', 'x']], '{"profile":{"__proto__":{"x":null}}}'],
  ];
  for (const [fields, json] of rows)
    test(`of ${JSON.stringify(fields)} are ${json}`, () => {
      assert.equal(JSON.stringify(pickFields(schema, values, fields)), json);
    });
});

describe('a search in memory', () => {
  const records = [
    { key: '1', values: { id: '1', name: 'Ada Lovelace' } },
    { key: '2', values: { id: '2', name: 'Adam' } },
    { key: '3', values: { id: '3', name: 'Grace' } },
  ];
  const search = (params: unknown) => searchRecords(schema, records, checkSearch(schema, params));

  test('gives hits with id, score and data, best first', () => {
    const query = { filter: { fuzzy: { name: 'ada' } } };
    assert.deepEqual(search({ query, fields: ['name'] }), [
      { id: '1', score: 1, data: { name: 'Ada Lovelace' } },
      { id: '2', score: 0.9, data: { name: 'Adam' } },
    ]);
  });

  test('gives at most as many as asked for', () => {
    assert.deepEqual(
      search({ query: { sort: [{ name: 'desc' }] }, limit: 2 }).map(({ id }) => id),
      ['3', '2'],
    );
  });
});
