import type { ConnectorError, Download } from '@patchbay/connectors';
import { invalidRequest } from './input.ts';

/** Longer files are streamed only: as text in a JSON answer they would have to be in memory whole. */
export const MAX_INLINE_BYTES = 8 * 1024 * 1024;

/** Whether the client wants a file inside a JSON answer: JSON is what it asks for first. */
export function wantsInline(accept: string | undefined): boolean {
  return /^\s*application\/json\s*(?:[,;]|$)/i.test(accept ?? '');
}

/**
 * A file as a JSON text.
 *
 * @throws `invalid_request` for a file of more than 8 MiB.
 * @see wire contract, part 4
 */
export async function inlineFile(file: Download): Promise<string> {
  if ((file.sizeBytes ?? 0) > MAX_INLINE_BYTES) throw tooLong();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of file.bytes) {
    size += chunk.length;
    if (size > MAX_INLINE_BYTES) throw tooLong();
    chunks.push(chunk);
  }
  return JSON.stringify({
    content_base64: Buffer.concat(chunks).toString('base64'),
    content_type: file.contentType,
    size,
  });
}

/** The bytes of a file; `onEnd` is called once, however the reading ends. */
export async function* withEnd(
  bytes: AsyncIterable<Uint8Array>,
  onEnd: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* bytes;
  } finally {
    onEnd();
  }
}

function tooLong(): ConnectorError<'invalid_request'> {
  return invalidRequest([
    {
      field: 'Accept',
      errorCode: 'not_allowed',
      message: 'application/json goes up to 8 MiB; leave it out and the file is streamed',
    },
  ]);
}
