import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bytesOf } from './budget.ts';
import { fitFacets } from './fit-facets.ts';

const facets = {
  name: {
    values: Array.from({ length: 20 }, (_, index) => ({ value: `v${index}`, count: 20 - index })),
    relation: 'exact',
    other: 7,
  },
  open: { values: [{ value: true, count: 3 }], relation: 'exact', other: 0 },
};

describe('facets that have to fit', () => {
  test('stay as they are where they do', () => {
    assert.deepEqual(fitFacets(facets, 10_000), facets);
  });

  test('keep their commonest values, and count those left out among the others', () => {
    const fitting = fitFacets(facets, 300);
    assert.ok(bytesOf(fitting) <= 300);
    assert.deepEqual(fitting['name']?.values, facets.name.values.slice(0, 5));
    assert.equal(fitting['name'].other, 7 + (15 * 16) / 2);
    assert.deepEqual(fitting['open'], facets.open);
  });

  test('keep none where not even one fits', () => {
    assert.deepEqual(fitFacets(facets, 1)['open'], { values: [], relation: 'exact', other: 3 });
  });
});
