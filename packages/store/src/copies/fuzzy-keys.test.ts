import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editAllowance, editDistance, letterBits } from '@patchbay/connectors/engine';
import * as fc from 'fast-check';
import { queryKeys, wordKeys } from './fuzzy-keys.ts';
import { textLanes } from './hashes.ts';

const PLACE = textLanes('a dictionary');

/** Few letters, so that many words are near each other; one of them takes two UTF-16 units. */
const arbitraryWord = fc.string({
  unit: fc.constantFrom('a', 'b', 'c', 'é', '𐐨'),
  minLength: 3,
  maxLength: 12,
});

const arbitraryEdit = fc.record({
  how: fc.constantFrom('lose', 'add', 'change', 'swap'),
  at: fc.nat({ max: 12 }),
  letter: fc.constantFrom('a', 'b', 'x'),
});

test('a word within the edit distance of a query has a key that is looked for', () => {
  let near = 0;
  fc.assert(
    fc.property(
      arbitraryWord,
      fc.array(arbitraryEdit, { minLength: 1, maxLength: 2 }),
      (queryWord, edits) => {
        const word = edits.reduce((edited, edit) => applyEdit(edited, edit), queryWord);
        const allowance = editAllowance(queryWord);
        if (allowance === 0 || editDistance(queryWord, word, allowance) === undefined) return;
        near++;
        const keys = new Set(wordKeys(PLACE, word));
        assert.ok(queryKeys(PLACE, queryWord, allowance).some((key) => keys.has(key)));
        const changed = (letterBits(word) ^ letterBits(queryWord)) >>> 0;
        assert.ok(changed.toString(2).replaceAll('0', '').length <= 2 * allowance);
      },
    ),
    { numRuns: 5_000 },
  );
  assert.ok(near > 2_000);
});

test('two swaps, each across where another scheme would cut, are found, too', () => {
  const keys = new Set(wordKeys(PLACE, 'acbedf'));
  assert.ok(queryKeys(PLACE, 'abcdef', 2).some((key) => keys.has(key)));
});

test('few keys suffice', () => {
  assert.equal(wordKeys(PLACE, 'lovelace').length, 10);
  assert.ok(queryKeys(PLACE, 'lovelace', 2).length < 120);
});

function applyEdit(
  word: string,
  { how, at, letter }: { readonly how: string; readonly at: number; readonly letter: string },
): string {
  const letters = Array.from(word);
  switch (how) {
    case 'lose':
      return letters.toSpliced(at, 1).join('');
    case 'add':
      return letters.toSpliced(at, 0, letter).join('');
    case 'change':
      return letters.toSpliced(at, 1, letter).join('');
    default:
      return letters.toSpliced(at, 2, ...letters.slice(at, at + 2).toReversed()).join('');
  }
}
