import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { editDistance } from './edit-distance.ts';

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '𐐨'), maxLength: 6 });

describe('the edit distance', () => {
  const rows: readonly (readonly [a: string, b: string, distance: number])[] = [
    ['', '', 0],
    ['', 'abc', 3],
    ['abc', 'abc', 0],
    ['abc', 'abd', 1],
    ['abc', 'acb', 1],
    ['abc', 'ab', 1],
    ['ca', 'abc', 3],
    ['kitten', 'sitting', 3],
    ['𐐨', '𐐩', 1],
  ];
  for (const [a, b, distance] of rows)
    test(`of "${a}" and "${b}" is ${distance}`, () => {
      assert.equal(editDistance(a, b, 9), distance);
      assert.equal(editDistance(b, a, 9), distance);
    });

  test('is told up to its bound only', () => {
    fc.assert(
      fc.property(word, word, fc.nat({ max: 6 }), (a, b, bound) => {
        const distance = editDistance(a, b, Infinity) ?? Infinity;
        assert.equal(editDistance(a, b, bound), distance <= bound ? distance : undefined);
      }),
    );
  });

  test('is zero for equal words only, and at most the longer length', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = editDistance(a, b, Infinity) ?? Infinity;
        assert.equal(distance === 0, a === b);
        assert.ok(distance <= Math.max(Array.from(a).length, Array.from(b).length));
      }),
    );
  });
});
