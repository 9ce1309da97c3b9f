import type { ConnectorError, Download } from '@patchbay/connectors';
import { invalidRequest } from '@patchbay/connectors/engine';
import type { OpenFile } from '../operations/outcome.ts';
import type { Answer } from './route.ts';

/** Longer files are streamed only: as text in a JSON answer they would have to be in memory whole. */
export const MAX_INLINE_BYTES = 8 * 1024 * 1024;

/**
 * The answer to a download: its bytes as they come, or as JSON for a client that asks for that.
 *
 * @param accept The `Accept` header.
 * @throws `invalid_request` for a file of more than 8 MiB that is to come as JSON and as nothing else.
 * @see docs/wire.md#downloads
 */
export async function fileAnswer(open: OpenFile, accept: string | undefined): Promise<Answer> {
  const isLong = (open.file.sizeBytes ?? 0) > MAX_INLINE_BYTES;
  return wantsJson(accept) && !(isLong && takesAnything(accept))
    ? { status: 200, text: await jsonOf(open), isRepeatable: true }
    : { ...streamOf(open.file), discard: open.discard };
}

/** JSON is what the client asks for first. */
function wantsJson(accept: string | undefined): boolean {
  return /^\s*application\/json\s*(?:[,;]|$)/i.test(accept ?? '');
}

function takesAnything(accept = ''): boolean {
  return accept.split(',').some((each) => each.trim().startsWith('*/*'));
}

/** A media type has no other characters, and a terminal may obey those. */
const VISIBLE = /^[\x20-\x7e]+$/;

/** The bytes are for the client to save: a browser must not show them as a page of ours. */
function streamOf({ isPartial, contentType, contentRange, sizeBytes, bytes }: Download): Answer {
  return {
    status: isPartial ? 206 : 200,
    type:
      contentType !== null && VISIBLE.test(contentType) ? contentType : 'application/octet-stream',
    stream: bytes,
    headers: {
      'content-disposition': 'attachment',
      ...(contentRange === null ? {} : { 'content-range': contentRange }),
      ...(sizeBytes === null ? {} : { 'content-length': String(sizeBytes) }),
    },
  };
}

async function jsonOf({ file, discard }: OpenFile): Promise<string> {
  try {
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
  } catch (error) {
    discard();
    throw error;
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
