import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { filterOf, treeOf, type FilterNode } from './filter-tree.ts';

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
