import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as fc from 'fast-check';

import { hash32, scramble32, unscramble32 } from './seeded-random.ts';

const word = fc.integer({ min: 0, max: 0xffff_ffff });

it('unscrambling undoes scrambling for every value and seed', () => {
  fc.assert(
    fc.property(word, word, (value, seed) => {
      assert.equal(unscramble32(scramble32(value, seed), seed), value);
    }),
  );
});

it('a hash is an unsigned 32-bit number that depends on each of its inputs', () => {
  fc.assert(
    fc.property(word, word, word, (seed, record, purpose) => {
      const hash = hash32(seed, record, purpose);
      assert.ok(Number.isInteger(hash) && hash >= 0 && hash <= 0xffff_ffff);
      assert.equal(hash, hash32(seed, record, purpose));
    }),
  );
  const values = new Set<number>();
  for (let input = 0; input < 1_000; input += 1) {
    values
      .add(hash32(input, 0, 0))
      .add(hash32(0, input, 1))
      .add(hash32(1, 1, input));
  }
  assert.ok(values.size > 2_990);
});
