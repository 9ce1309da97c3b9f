import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** @see https://www.rfc-editor.org/rfc/rfc9110.html#section-8.4.1 */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** What `Content-Encoding` says was done to the bytes, in small letters; `undefined` where nothing was. */
export function codingOf(contentEncoding: string | undefined): string | undefined {
  const coding = contentEncoding?.trim().toLowerCase() ?? '';
  return coding === '' || coding === 'identity' ? undefined : coding;
}

/** Whether `decoded` can undo it. */
export function isDecodable(coding: string): boolean {
  return Object.hasOwn(DECODERS, coding);
}

/**
 * The bytes as they were before, chunk by chunk: only what is asked for is read and undone. What goes wrong with the
 * body comes as it is; leaving early ends it.
 *
 * @throws CodingError where the bytes are not what the coding makes.
 */
export async function* decoded(
  body: Readable,
  coding: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const decoder = DECODERS[coding]?.();
  if (decoder === undefined) throw new CodingError(coding);
  // Whoever reads the decoder is told of every error.
  pipeline(body, decoder, () => undefined);
  try {
    yield* decoder as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw isOfDecoder(error) ? new CodingError(coding, error) : error;
  }
}

/** Bytes that are not what a coding makes. */
export class CodingError extends Error {
  override readonly name = 'CodingError';

  constructor(coding: string, cause?: unknown) {
    super(`The bytes are not ${coding}.`, { cause });
  }
}

/** By the names of zlib, and of Brotli as Node.js spells them. */
function isOfDecoder(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    /^(?:Z_|ERR__ERROR_)/.test(error.code)
  );
}
