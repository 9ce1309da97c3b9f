import type { Download } from '@patchbay/connectors/definitions';

/** A file, or the part of it that was asked for. */
export interface PartOfFile {
  /** What is to be read of it. */
  readonly file: Download;
  /** Where that begins in the file; `undefined` where the host does not say. */
  readonly begin: number | undefined;
  /** The last byte that was asked for; `undefined` for the last of the file. */
  readonly last: number | undefined;
  /** Whether its host was asked for a range, and sent the whole file. */
  readonly ignoresRanges: boolean;
  /** Whether it is another part than was asked for. */
  readonly isAnother: boolean;
}

/** Bytes of a file from `begin` to `last`, both included, or as many as `fromEnd`. */
interface Range {
  readonly begin: number | undefined;
  readonly last: number | undefined;
  readonly fromEnd: number;
}

/** The furthest that a part is looked for in a whole file: what comes before it is read for nothing. */
const MAX_SKIPPED_BYTES = 8 * 1024 * 1024;

/**
 * The part of a file that was asked for. Of a host that ignores ranges it is cut out of the whole
 * file, unless it begins too far in: then it is the file from its beginning.
 *
 * @param asked The range as its header has it, one as the definitions of params take it.
 */
export function partOfFile(file: Download, asked: unknown): PartOfFile {
  const range = rangeOf(asked);
  if (range === undefined) return { ...WHOLE, file, begin: file.isPartial ? sentFrom(file) : 0 };
  const { last } = range;
  if (file.isPartial) return { ...WHOLE, file, begin: sentFrom(file) ?? range.begin, last };
  const begin = beginIn(file, range);
  if (!canBeCutOut(begin)) return { ...WHOLE, file, ignoresRanges: true, isAnother: true };
  return { ...WHOLE, file: cutOut(file, begin, last), begin, last, ignoresRanges: true };
}

const WHOLE = { begin: 0, last: undefined, ignoresRanges: false, isAnother: false };

/** Whether what begins there is found in a whole file. */
export function canBeCutOut(begin: number | undefined): begin is number {
  return begin !== undefined && begin <= MAX_SKIPPED_BYTES;
}

/** `undefined` for none, and for one that ends before it begins, which hosts ignore by right. */
function rangeOf(asked: unknown): Range | undefined {
  const found = typeof asked === 'string' ? /^bytes=(\d*)-(\d*)$/.exec(asked) : null;
  if (found === null) return undefined;
  const [begin, last] = found
    .slice(1)
    .map((digits) => (digits === '' ? undefined : Number(digits)));
  if (begin === undefined) return { begin, last: undefined, fromEnd: last ?? 0 };
  return last !== undefined && last < begin ? undefined : { begin, last, fromEnd: 0 };
}

function sentFrom({ contentRange }: Download): number | undefined {
  const begin = /^bytes (\d+)-/.exec(contentRange ?? '')?.[1];
  return begin === undefined ? undefined : Number(begin);
}

function beginIn({ sizeBytes }: Download, { begin, fromEnd }: Range): number | undefined {
  if (begin !== undefined) return begin;
  return sizeBytes === null ? undefined : Math.max(0, sizeBytes - fromEnd);
}

function cutOut(file: Download, begin: number, last: number | undefined): Download {
  const whole = file.sizeBytes;
  const end = Math.min(whole ?? Infinity, (last ?? Infinity) + 1);
  const bytes = bytesBetween(file.bytes, begin, end);
  const isPartial = true;
  if (whole === null) return { ...file, isPartial, sizeBytes: null, bytes };
  const sizeBytes = Math.max(0, end - begin);
  const given = sizeBytes === 0 ? '*' : `${begin}-${end - 1}`;
  return { ...file, isPartial, sizeBytes, contentRange: `bytes ${given}/${whole}`, bytes };
}

async function* bytesBetween(
  chunks: AsyncIterable<Uint8Array>,
  begin: number,
  end: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let at = 0;
  for await (const chunk of chunks) {
    const part = chunk.subarray(Math.max(0, begin - at), Math.max(0, end - at));
    if (part.length > 0) yield part;
    at += chunk.length;
    // Leaving early ends the transfer.
    if (at >= end) return;
  }
}
