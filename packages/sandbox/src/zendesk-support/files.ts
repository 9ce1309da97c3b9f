import { hash32 } from '../seeded-random.ts';
import type { StreamedBody } from '../upstream.ts';

/** A file without its bytes, which {@link fileBytes} makes from its id. */
export interface StoredFile {
  readonly name: string;
  readonly contentType: string;
  readonly size: number;
  /** Whether the file is shown inside a text, and left out of lists of attachments. */
  readonly isInline: boolean;
}

/** Bytes of a file, from `start` up to but without `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const CHUNK_BYTES = 65_536;
/** A prime, so that bytes that are displaced by any round number differ from the right ones. */
const PERIOD = 65_521;
const BLOCK = patternBlock();

/**
 * The bytes of a file, the same every time, without ever holding more than a chunk. A byte depends
 * on the file and on its place, so that a wrong range cannot pass for the right one.
 */
export function fileBytes(fileId: number, { start, end }: ByteRange): StreamedBody {
  const shift = hash32(7, fileId % 0xffff_ffff, 62) % PERIOD;
  return {
    length: end - start,
    *chunks(length) {
      const stop = Math.min(end, start + length);
      let at = start;
      while (at < stop) {
        const from = (at + shift) % PERIOD;
        const chunk = BLOCK.subarray(from, from + Math.min(CHUNK_BYTES, stop - at));
        at += chunk.length;
        yield chunk;
      }
    },
  };
}

/**
 * Reads a Range header. It gives the whole file for no header and for several ranges, which the
 * host does not support, and undefined for a range that the file does not have.
 */
export function readRange(header: string | undefined, size: number): ByteRange | undefined {
  const whole = { start: 0, end: size };
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return whole;
  if (first === '') {
    const length = Number(last);
    return length === 0 || size === 0
      ? undefined
      : { start: Math.max(0, size - length), end: size };
  }
  const start = Number(first);
  const end = last === '' ? size : Math.min(size, Number(last) + 1);
  if (last !== '' && Number(last) < start) return whole;
  return start < size ? { start, end } : undefined;
}

function patternBlock(): Buffer {
  const block = Buffer.alloc(PERIOD + CHUNK_BYTES);
  for (let at = 0; at < block.length; at += 1) block[at] = hash32(11, at % PERIOD, 63) & 0xff;
  return block;
}
