/**
 * The hashes that copies are searched by. They stand in the database, so they are frozen: whoever
 * changes what any of these functions returns counts `HASH_VERSION` up, and all copies are read anew.
 *
 * A hash only finds candidates among a connector's records. Its 53 bits are what a JavaScript number
 * and PostgreSQL's `int8` both hold exactly.
 */
export const HASH_VERSION = 1;

/** A hash in the making: two lanes of 32 bits. */
export interface HashLanes {
  readonly first: number;
  readonly second: number;
}

const FIRST_SEED = 0x9e3779b9 ^ HASH_VERSION;
const SECOND_SEED = 0x7f4a7c15;

/** Hashes of a text by UTF-16 units; the tag keeps texts of different meaning apart. */
export function textLanes(text: string, tag = 0): HashLanes {
  let first = FIRST_SEED ^ tag;
  let second = SECOND_SEED + tag;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    first = Math.imul(first ^ unit, 0x85ebca6b);
    first = (first << 13) | (first >>> 19);
    second = Math.imul(second ^ unit, 0xc2b2ae35);
    second = (second << 17) | (second >>> 15);
  }
  return mixed(first ^ text.length, second ^ Math.imul(text.length, 0x27d4eb2f));
}

/** HashLanes for `below` standing under `above`, as a segment of a path under the path. */
export function nestedLanes(above: HashLanes, below: HashLanes): HashLanes {
  return mixed(
    Math.imul(above.first, 0x2c1b3c6d) ^ below.first,
    Math.imul(above.second, 0x297a2d39) ^ below.second,
  );
}

/** A hash of 53 bits, for something at a place. */
export function termOf(place: HashLanes, thing: HashLanes): number {
  const { first, second } = mixed(place.first ^ thing.first, place.second ^ thing.second);
  return (second & 0x1fffff) * 0x100000000 + (first >>> 0);
}

/** A signed hash of 32 bits of three UTF-16 units. */
// oxlint-disable-next-line max-params -- For every three letters of a text; an object each would cost more than the hash.
export function gramOf(place: HashLanes, a: number, b: number, c: number): number {
  let hash = Math.imul(place.first ^ a, 0x85ebca6b);
  hash = Math.imul(((hash << 15) | (hash >>> 17)) ^ b, 0xc2b2ae35);
  hash = Math.imul(((hash << 15) | (hash >>> 17)) ^ c, 0x27d4eb2f);
  hash ^= place.second;
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return hash ^ (hash >>> 15);
}

/** Every bit of the result depends on every bit of both lanes. */
function mixed(first: number, second: number): HashLanes {
  let a = first ^ (second >>> 16);
  let b = second ^ (first >>> 15);
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b, 0x9e3779b1);
  b = Math.imul(b ^ (b >>> 15), 0xc2b2ae35) ^ Math.imul(a, 0x27d4eb2f);
  a = Math.imul(a ^ (a >>> 13), 0x2c1b3c6d) ^ (b >>> 14);
  b = Math.imul(b ^ (b >>> 16), 0x297a2d39) ^ (a >>> 15);
  return { first: a ^ (a >>> 16), second: b ^ (b >>> 13) };
}
