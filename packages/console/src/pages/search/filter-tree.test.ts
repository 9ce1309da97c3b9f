import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FilterNode } from './filter-tree.ts';
import { readFilter, treeOf } from './read-filter.ts';
import { filterOf, placesOf } from './write-filter.ts';

/** What a tree says, without the ids. */
function told(node: FilterNode): unknown {
  switch (node.as) {
    case 'condition':
      return [node.operator, node.path, node.value];
    case 'element':
      return ['element', node.path, told(node.group)];
    case 'group':
      return { [node.join]: node.nodes.map(told) };
  }
}

describe('filters as a form shows them', () => {
  const cases: readonly (readonly [name: string, filter: object, tree: unknown])[] = [
    ['nothing', {}, { all: [] }],
    ['one condition', { eq: { a: 1 } }, { all: [['eq', 'a', 1]] }],
    ['a null', { neq: { a: null } }, { all: [['neq', 'a', null]] }],
    [
      'a name with a dot',
      { eq: [{ path: ['a', 'b.c'], value: 'x' }] },
      { all: [['eq', ['a', 'b.c'], 'x']] },
    ],
    [
      'groups in groups',
      { and: [{ or: [{ eq: { a: 1 } }, { gt: { b: 2 } }] }, { not: { fuzzy: { c: 'x y' } } }] },
      {
        all: [
          {
            any: [
              ['eq', 'a', 1],
              ['gt', 'b', 2],
            ],
          },
          { none: [['fuzzy', 'c', 'x y']] },
        ],
      },
    ],
    [
      'none of several',
      { not: { or: [{ eq: { a: 1 } }, { in: { b: [2, 3] } }] } },
      {
        none: [
          ['eq', 'a', 1],
          ['in', 'b', [2, 3]],
        ],
      },
    ],
    [
      'not all of several',
      { not: { and: [{ eq: { a: 1 } }, { eq: { b: 2 } }] } },
      {
        none: [
          {
            all: [
              ['eq', 'a', 1],
              ['eq', 'b', 2],
            ],
          },
        ],
      },
    ],
    [
      'an element',
      { any: { items: { and: [{ eq: { x: 1 } }, { like: { y: '%' } }] } } },
      {
        all: [
          [
            'element',
            'items',
            {
              all: [
                ['eq', 'x', 1],
                ['like', 'y', '%'],
              ],
            },
          ],
        ],
      },
    ],
  ];
  for (const [name, filter, tree] of cases)
    test(`${name}, there and back`, () => {
      assert.deepEqual(told(treeOf(filter)), tree);
      assert.deepEqual(filterOf(treeOf(filter)), filter);
      // Written as the form says it, each part stands where the form says that it does.
      const { tree: read, places } = readFilter(filter);
      const said = placesOf(read, 'filter');
      for (const [node, place] of places)
        if (node.as !== 'group') assert.equal(said.get(node), place);
    });

  test('each part has its place in the filter, as faults tell it', () => {
    const filter = {
      and: [
        { or: [{ eq: { 'a.b': 1 } }, { gt: [{ path: ['c', 'd.e'], value: 2 }] }] },
        { not: { any: { items: { eq: { x: 1 }, lt: { y: 2 } } } } },
      ],
    };
    const places = [...readFilter(filter).places].map(([node, place]) => [node.as, place]);
    assert.deepEqual(places, [
      ['condition', 'filter.and.0.or.0.eq.a.b'],
      ['condition', 'filter.and.0.or.1.gt.0'],
      ['group', 'filter.and.0.or'],
      ['condition', 'filter.and.1.not.any.items.eq.x'],
      ['condition', 'filter.and.1.not.any.items.lt.y'],
      ['group', 'filter.and.1.not.any.items'],
      ['element', 'filter.and.1.not.any.items'],
      ['group', 'filter.and.1.not'],
      ['group', 'filter'],
    ]);
  });

  test('operators side by side all have to hold', () => {
    const short = { eq: { a: 1, b: 2 }, gt: { c: 3 }, like: null };
    const long = { and: [{ eq: { a: 1 } }, { eq: { b: 2 } }, { gt: { c: 3 } }] };
    assert.deepEqual(filterOf(treeOf(short)), long);
  });

  test('what is no filter is told, with its place', () => {
    for (const [filter, message] of [
      [[], 'filter must be an object.'],
      [{ eqq: { a: 1 } }, 'filter.eqq is no operator.'],
      [{ and: [{ eq: 1 }] }, 'filter.and.0.eq must be an object.'],
      [{ or: {} }, 'filter.or must be an array of filters.'],
      [{ eq: [{ path: 1 }] }, 'filter.eq.0.path must be a name, or an array of names.'],
    ] as const)
      assert.throws(() => treeOf(filter), { message });
  });
});
