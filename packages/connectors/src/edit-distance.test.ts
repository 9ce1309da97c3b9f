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

  test('is what the whole table of cells says', () => {
    const edited = fc
      .tuple(
        fc.string({ unit: fc.constantFrom('a', 'b', 'é', '𐐨'), maxLength: 40 }),
        word,
        fc.nat(),
      )
      .map(([long, inserted, at]): readonly [string, string] => {
        const place = at % (long.length + 1);
        return [long, long.slice(0, place) + inserted + long.slice(place + inserted.length)];
      });
    fc.assert(
      fc.property(fc.oneof(edited, fc.tuple(word, word)), fc.nat({ max: 4 }), ([a, b], bound) => {
        const distance = plainDistance(Array.from(a), Array.from(b));
        assert.equal(editDistance(a, b, bound), distance <= bound ? distance : undefined);
        assert.equal(editDistance(a, b, Infinity), distance);
      }),
      { numRuns: 5_000 },
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

/** Every cell, none spared. */
function plainDistance(from: readonly string[], to: readonly string[]): number {
  const cells = new Map<string, number>();
  const cell = (row: number, column: number) => cells.get(`${row} ${column}`) ?? Infinity;
  for (let row = 0; row <= from.length; row++)
    for (let column = 0; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap =
        row > 1 &&
        column > 1 &&
        from[row - 1] === to[column - 2] &&
        from[row - 2] === to[column - 1];
      const ways = [
        cell(row - 1, column) + 1,
        cell(row, column - 1) + 1,
        cell(row - 1, column - 1) + (isSame ? 0 : 1),
        isSwap ? cell(row - 2, column - 2) + 1 : Infinity,
        row + column === 0 ? 0 : Infinity,
      ];
      cells.set(`${row} ${column}`, Math.min(...ways));
    }
  return cell(from.length, to.length);
}
