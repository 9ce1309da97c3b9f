const FIRST_MULTIPLIER = 0x9e3779b1;
const SECOND_MULTIPLIER = 0x85ebca6b;
const FIRST_INVERSE = inverseModulo32(FIRST_MULTIPLIER);
const SECOND_INVERSE = inverseModulo32(SECOND_MULTIPLIER);

/**
 * An unsigned 32-bit number, the same in every process for the same three inputs: all seeded data
 * is a function of (seed, record, purpose), so nothing has to be generated in order or kept.
 */
export function hash32(seed: number, record: number, purpose = 0): number {
  let hash = (seed ^ Math.imul(record, FIRST_MULTIPLIER)) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), SECOND_MULTIPLIER);
  hash ^= Math.imul(purpose + 0x165667b1, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 16), SECOND_MULTIPLIER);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** The element of a non-empty list that a hash selects. */
export function pick<Item>(items: readonly [Item, ...Item[]], hash: number): Item {
  return items[hash % items.length] ?? items[0];
}

/** A bijection on unsigned 32-bit numbers, undone by {@link unscramble32}. */
export function scramble32(value: number, seed: number): number {
  let mixed = Math.imul((value ^ seed) >>> 0, FIRST_MULTIPLIER);
  mixed = Math.imul(mixed ^ (mixed >>> 16), SECOND_MULTIPLIER);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** The value that {@link scramble32} was given with the same seed. */
export function unscramble32(scrambled: number, seed: number): number {
  // A shift by half the width is its own inverse.
  let mixed = Math.imul(scrambled ^ (scrambled >>> 16), SECOND_INVERSE);
  mixed = Math.imul(mixed ^ (mixed >>> 16), FIRST_INVERSE);
  return (mixed ^ seed) >>> 0;
}

function inverseModulo32(odd: number): number {
  // Newton's iteration doubles the number of right bits each time: 3, 6, 12, 24, 48.
  let inverse = odd;
  for (let round = 0; round < 5; round += 1) {
    inverse = Math.imul(inverse, 2 - Math.imul(odd, inverse));
  }
  return inverse;
}
