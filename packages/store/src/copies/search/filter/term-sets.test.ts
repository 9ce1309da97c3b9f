import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasOneSet, hasSome } from './term-sets.ts';

const PLACE = {
  connectorId: '00000000-0000-7000-8000-000000000000',
  isDistributed: false,
  mostSets: 66,
  table: { name: 'contacts' },
};

test('so many of many terms take no more work than there are ways to choose them', () => {
  const terms = Array.from({ length: 64 }, (_, index) => index);
  for (let count = 1; count <= terms.length; count++) {
    const { index, breadth, isExact } = hasSome(PLACE, terms, count);
    assert.equal(index, 'inverted');
    assert.ok(breadth <= 66, `${count}: ${breadth}`);
    assert.equal(isExact, [1, 63, 64].includes(count), `${count}`);
  }
});

test('of more sets than a statement should look for, it says nothing', () => {
  const sets = Array.from({ length: 67 }, (_, index) => [index, 1_000 + index]);
  assert.partialDeepStrictEqual(hasOneSet(PLACE, sets), { constant: true, isExact: false });
  assert.equal(hasOneSet(PLACE, sets.slice(1)).index, 'inverted');
  assert.equal(hasOneSet({ ...PLACE, mostSets: Infinity }, sets).index, 'inverted');
});
