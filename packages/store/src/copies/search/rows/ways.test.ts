import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SEARCH_PACE } from '../../search-pace.ts';
import { hasGrams, hasTerms } from '../filter/predicate.ts';
import type { RowQuery } from './row-query.ts';
import { bestWay } from './ways.ts';

const GRAMS = hasGrams([1, 2]);

describe('a page goes on, after 300 rows,', () => {
  test('with all rows that grams find at once, where few have them', () =>
    assert.equal(wayOn(GRAMS, { toFetch: 0, taken: 0 }), 'gather'));
  test('through a window, where many have the grams and few match', () =>
    assert.equal(wayOn(GRAMS, { toFetch: 7, taken: 0 }), 'window'));
  test('row by row, where most have the grams and match', () =>
    assert.equal(wayOn(GRAMS, { toFetch: 200, taken: 150 }), 'walk'));
  test('with the few rows that have a word', () =>
    assert.equal(wayOn(hasTerms('&&', [1]), { toFetch: 0, taken: 0 }), 'few'));
});

interface Seen {
  readonly toFetch: number;
  readonly taken: number;
}

function wayOn(predicate: RowQuery['tier']['predicate'], seen: Seen) {
  // As much of a query as its way depends on.
  const query: Pick<RowQuery, 'pace' | 'order' | 'bounds'> & {
    readonly tier: Pick<RowQuery['tier'], 'predicate'>;
  } = { pace: SEARCH_PACE, order: [], bounds: [], tier: { predicate } };
  const progress = { walked: 300, missing: 20, ...seen };
  return bestWay(query as RowQuery, progress, { moreThan: 0, isWideRange: false });
}
