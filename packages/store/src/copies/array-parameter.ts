/**
 * Arrays of PostgreSQL in their binary form, for `unnest`: a batch has tens of thousands of elements,
 * and to write them as text, and to read that text, takes several times as long. The form is that of
 * PostgreSQL's `array_send`; the driver sends a Buffer as it is.
 */

/** Numbers of the types, fixed in PostgreSQL's catalogue. */
const TYPES = { boolean: 16, int8: 20, int4: 23, text: 25, float8: 701 } as const;

/** Bytes of a value of the types that always have as many. */
const SIZES = { boolean: 1, int8: 8, int4: 4, float8: 8 } as const;

const HEADER_BYTES = 20;
const NULL_LENGTH = -1;

/** Bytes that most texts need at most, for a first guess at the room. */
const TEXT_BYTES = 32;
/** The most bytes that one UTF-16 unit takes in UTF-8. */
const BYTES_PER_UNIT = 3;

export function textParameter(values: readonly (string | null)[]): Buffer {
  let array = begin('text', values.length, values.length * TEXT_BYTES);
  let at = HEADER_BYTES;
  for (const value of values) {
    array = withRoom(array, at, 4 + BYTES_PER_UNIT * (value?.length ?? 0));
    const bytes = value === null ? NULL_LENGTH : array.write(value, at + 4);
    array.writeInt32BE(bytes, at);
    at += 4 + Math.max(bytes, 0);
  }
  return array.subarray(0, at);
}

export function int8Parameter(values: readonly (number | null)[]): Buffer {
  return fixedParameter('int8', values, writeInt8);
}

export function int4Parameter(values: readonly number[]): Buffer {
  return fixedParameter('int4', values, (array, value, at) => array.writeInt32BE(value, at));
}

export function float8Parameter(values: readonly (number | null)[]): Buffer {
  return fixedParameter('float8', values, (array, value, at) => array.writeDoubleBE(value, at));
}

export function booleanParameter(values: readonly (boolean | null)[]): Buffer {
  const numbers = values.map((value) => (value === null ? null : Number(value)));
  return fixedParameter('boolean', numbers, (array, value, at) => array.writeUInt8(value, at));
}

type WriteNumber = (array: Buffer, value: number, at: number) => void;

function fixedParameter(
  type: keyof typeof SIZES,
  values: readonly (number | null)[],
  write: WriteNumber,
): Buffer {
  const size = SIZES[type];
  const array = begin(type, values.length, values.length * size);
  let at = HEADER_BYTES;
  for (const value of values) {
    array.writeInt32BE(value === null ? NULL_LENGTH : size, at);
    at += 4;
    if (value === null) continue;
    write(array, value, at);
    at += size;
  }
  return array.subarray(0, at);
}

/** Writes a safe integer in two halves: a Buffer takes 64 bits as a bigint only. */
function writeInt8(array: Buffer, value: number, at: number): void {
  array.writeInt32BE(Math.floor(value / 0x100000000), at);
  array.writeUInt32BE(value >>> 0, at + 4);
}

function begin(type: keyof typeof TYPES, length: number, bytes: number): Buffer {
  const array = Buffer.allocUnsafe(HEADER_BYTES + 4 * length + bytes);
  array.writeInt32BE(1, 0); // dimensions
  array.writeInt32BE(1, 4); // nulls are possible
  array.writeInt32BE(TYPES[type], 8);
  array.writeInt32BE(length, 12);
  array.writeInt32BE(1, 16); // number of the first element
  return array;
}

function withRoom(array: Buffer, at: number, bytes: number): Buffer {
  if (at + bytes <= array.length) return array;
  const larger = Buffer.allocUnsafe(Math.max(2 * array.length, at + bytes));
  array.copy(larger, 0, 0, at);
  return larger;
}
