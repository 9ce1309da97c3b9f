import type { Steps } from '@patchbay/connectors/engine';

/** A text in pieces, which are made anew each time, one after another. */
export type Pieces = () => Iterable<string>;

/** What is measured or encoded in one step, in bytes, or in UTF-16 units before they are bytes. */
const STEP = 65_536;
/** The most bytes that one UTF-16 unit takes in UTF-8. */
const BYTES_PER_UNIT = 3;

/** The whole text, unless it has more UTF-16 units than `longest`; then no more pieces are made. */
export function shortText(pieces: Pieces, longest: number): string | undefined {
  const made: string[] = [];
  let length = 0;
  for (const piece of pieces()) {
    length += piece.length;
    if (length > longest) return undefined;
    made.push(piece);
  }
  return made.join('');
}

/** How many bytes the text is in UTF-8. */
export function* sizeOf(pieces: Pieces): Steps<number> {
  let size = 0;
  let units = 0;
  for (const piece of pieces()) {
    size += Buffer.byteLength(piece);
    units += piece.length;
    if (units < STEP) continue;
    units = 0;
    yield;
  }
  return size;
}

/** The text in UTF-8; `size` is what `sizeOf` has found. */
export function* encode(pieces: Pieces, size: number): Steps<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(size);
  let at = 0;
  let end = STEP;
  for (const piece of pieces()) {
    if (piece.length * BYTES_PER_UNIT <= STEP) at += bytes.write(piece, at);
    else at = yield* encodeLong(piece, bytes, at);
    if (at < end) continue;
    end = at + STEP;
    yield;
  }
  return bytes;
}

/** @returns Where in `bytes` the text ends. */
function* encodeLong(text: string, bytes: Buffer, start: number): Steps<number> {
  const encoder = new TextEncoder();
  let at = start;
  for (let done = 0; done < text.length;) {
    const { read, written } = encoder.encodeInto(text.slice(done), bytes.subarray(at, at + STEP));
    done += read;
    at += written;
    yield;
  }
  return at;
}
