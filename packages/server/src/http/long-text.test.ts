import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Steps } from '@patchbay/connectors/engine';
import { encode, shortText, sizeOf } from './long-text.ts';

const MIB = 1024 * 1024;
/** Of one, two, three and four bytes, and half of one that has four. */
const LETTERS = ['a', 'é', '€', '😀', '\u{d83d}'];

/** What the steps bring, and how many they were. */
function count<T>(steps: Steps<T>): { readonly value: T; readonly steps: number } {
  for (let done = 1; ; done++) {
    const { value, done: isOver } = steps.next();
    if (isOver === true) return { value, steps: done };
  }
}

describe('a long text', () => {
  const long = LETTERS.map((letter) => letter.repeat(100_000)).join('x');
  const shapes: Readonly<Record<string, readonly string[]>> = {
    none: [],
    short: ['', ...LETTERS, ''],
    many: Array.from({ length: 50_000 }, (_, nth) => `${LETTERS[nth % 4]}${nth}`),
    long: [long],
    'long and short': ['[', long, ',', `y${long}`, ',', ...LETTERS, long, ']'],
  };
  for (const [name, pieces] of Object.entries(shapes))
    test(`is the same bytes as if it were encoded at once, its pieces being ${name}`, () => {
      // Each piece by itself: halves of a letter that meet would become one.
      const expected = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
      const { value: size } = count(sizeOf(() => pieces));
      assert.equal(size, expected.length);
      assert.ok(count(encode(() => pieces, size)).value.equals(expected));
    });

  for (const [name, pieces] of Object.entries({
    'many pieces': Array.from({ length: 8_192 }, () => '€'.repeat(1_024)),
    'one piece': ['€'.repeat(8 * MIB)],
  }))
    test(`is encoded in steps that are short, ${name}`, () => {
      const size = 24 * MIB;
      assert.ok(count(encode(() => pieces, size)).steps >= size / (2 * 65_536));
    });

  test('is made only so far as to know that it is long', () => {
    let made = 0;
    function* pieces() {
      for (; made < 1_000; made++) yield '0123456789';
    }
    assert.equal(shortText(pieces, 100), undefined);
    assert.equal(made, 10);
    assert.equal(
      shortText(() => ['a', 'b'], 2),
      'ab',
    );
  });
});
