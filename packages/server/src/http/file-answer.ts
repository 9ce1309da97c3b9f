import type { ConnectorError, Download } from '@patchbay/connectors';
import { invalidRequest } from '@patchbay/connectors/engine';
import type { CallDeadline } from '../operations/call-deadline.ts';
import { untilDeadline, type TimedBytes } from '../operations/file-deadline.ts';
import type { OpenFile } from '../operations/outcome.ts';
import type { Answer } from './route.ts';

/** Longer files are streamed only: as text in a JSON answer they would have to be in memory whole. */
export const MAX_INLINE_BYTES = 8 * 1024 * 1024;

/**
 * The answer to a download: its bytes as they come, or as JSON for a client that asks for that.
 *
 * @param accept The `Accept` header.
 * @param deadline Until when JSON is to be there: an answer of bytes has begun by then.
 * @throws `invalid_request` for a file of more than 8 MiB that is to come as JSON and as nothing else;
 * `upstream_timeout`.
 * @see docs/wire.md#downloads
 */
export async function fileAnswer(
  open: OpenFile,
  accept: string | undefined,
  deadline: CallDeadline,
): Promise<Answer> {
  const { file, discard } = open;
  if (!wantsJson(accept)) return { ...streamOf(file), discard };
  const mayBeBytes = takesAnything(accept);
  if (mayBeBytes && isLong(file.sizeBytes)) return { ...streamOf(file), discard };
  if (isLong(file.sizeBytes)) {
    discard();
    throw tooLong();
  }
  const { read, rest } = await readUntil(open, deadline);
  if (rest === undefined) return { status: 200, text: jsonOf(file, read), isRepeatable: true };
  // Of unknown length, it has proved to be long.
  if (mayBeBytes) {
    const bytes = goneOnWith(read, rest);
    return { ...streamOf({ ...file, bytes }), streamBytesHeld: sizeOf(read), discard };
  }
  discard();
  throw tooLong();
}

function isLong(sizeBytes: number | null): boolean {
  return sizeBytes !== null && sizeBytes > MAX_INLINE_BYTES;
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

interface ReadFile {
  readonly read: Uint8Array[];
  /** What is left of a file that is too long for JSON. */
  readonly rest?: TimedBytes['bytes'];
}

/** Reads a file whole, or until it is too long for JSON. */
async function readUntil(open: OpenFile, deadline: CallDeadline): Promise<ReadFile> {
  const { bytes, release } = untilDeadline(open, deadline);
  const read: Uint8Array[] = [];
  try {
    for (let size = 0; ;) {
      const next = await bytes.next();
      if (next.done === true) return { read };
      read.push(next.value);
      size += next.value.length;
      if (size > MAX_INLINE_BYTES) return { read, rest: bytes };
    }
  } catch (error) {
    open.discard();
    throw error;
  } finally {
    release();
  }
}

async function* goneOnWith(read: Uint8Array[], rest: TimedBytes['bytes']): TimedBytes['bytes'] {
  // What is taken is not held for a reader of the rest; from the end, each is taken at once, of however many.
  const waiting = read.toReversed();
  read.length = 0;
  try {
    for (let chunk = waiting.pop(); chunk !== undefined; chunk = waiting.pop()) yield chunk;
    yield* rest;
  } finally {
    // Where the reader leaves before the rest has begun.
    await rest.return();
  }
}

function sizeOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}

function jsonOf({ contentType, contentRange }: Download, read: readonly Uint8Array[]): string {
  const bytes = Buffer.concat(read);
  return JSON.stringify({
    content_base64: bytes.toString('base64'),
    content_type: contentType,
    size: bytes.length,
    content_range: contentRange ?? undefined,
  });
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
