import { allKinds, type Download } from '@patchbay/connectors/definitions';
import type { JsonObject } from '../host.ts';
import { bytesOf, MAX_BYTES } from './budget.ts';

/** Everything of the answer that is not the file's content. */
const ENVELOPE_BYTES = 1_024;

const TEXT_TYPES = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml)\b)/i;

/** The call that asked for a file. */
export interface FileCall {
  readonly kind: string;
  readonly entity: string;
  readonly params: JsonObject;
  readonly maxBytes: number;
}

/**
 * The beginning of a file, as far as it fits: text as text, anything else as base64. What does not
 * fit is not read, and the answer says how to go on.
 */
export async function fitFile(file: Download, call: FileCall): Promise<JsonObject> {
  const room = call.maxBytes - ENVELOPE_BYTES;
  const { bytes, isWhole } = await readBeginning(file.bytes, room);
  const isText = TEXT_TYPES.test(file.contentType ?? '') && isUtf8(bytes, isWhole);
  const writing = isText ? utf8 : base64;
  const end = isWhole ? bytes.length : writing.endBefore(bytes, bytes.length);
  const { text, taken } = contentOf(bytes.subarray(0, end), writing, room);
  return {
    data: {
      content_type: file.contentType,
      size: file.sizeBytes,
      ...(file.contentRange === null ? {} : { content_range: file.contentRange }),
      ...(isText ? { content_text: text } : { content_base64: text }),
    },
    ...(isWhole && taken === bytes.length ? {} : goOnAfter(file, call, taken)),
  };
}

async function readBeginning(
  chunks: AsyncIterable<Uint8Array>,
  room: number,
): Promise<{ readonly bytes: Uint8Array; readonly isWhole: boolean }> {
  const read: Uint8Array[] = [];
  let length = 0;
  let isWhole = true;
  for await (const chunk of chunks) {
    if (length + chunk.length > room) {
      read.push(chunk.subarray(0, room - length));
      length = room;
      isWhole = false;
      // Leaving the loop early ends the transfer.
      break;
    }
    read.push(chunk);
    length += chunk.length;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of read) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return { bytes, isWhole };
}

/** Whether bytes are text in UTF-8; of another encoding, only base64 keeps them as they are. */
function isUtf8(bytes: Uint8Array, isWhole: boolean): boolean {
  const end = isWhole ? bytes.length : endOfCharacter(bytes, bytes.length);
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, end));
    return true;
  } catch {
    return false;
  }
}

/** How bytes are written down. */
interface Writing {
  readonly write: (bytes: Uint8Array) => string;
  /** The last place up to `end` where the bytes can be parted. */
  readonly endBefore: (bytes: Uint8Array, end: number) => number;
}

const base64: Writing = {
  write: (bytes) => {
    let text = '';
    for (let at = 0; at < bytes.length; at += 0x8000)
      text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
    return btoa(text);
  },
  // Three bytes are four characters, so that the parts of a file can be joined.
  endBefore: (_, end) => end - (end % 3),
};

const utf8: Writing = {
  write: (bytes) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes),
  endBefore: (bytes, end) => endOfCharacter(bytes, end),
};

/** As much of the bytes as fits when written down and quoted. */
function contentOf(
  bytes: Uint8Array,
  { write, endBefore }: Writing,
  room: number,
): { readonly text: string; readonly taken: number } {
  let taken = bytes.length;
  for (;;) {
    const text = write(bytes.subarray(0, taken));
    const size = bytesOf(text);
    if (size <= room || taken === 0) return { text, taken };
    // As if all bytes took the same room; one less, so that each round makes progress.
    taken = endBefore(bytes, Math.floor((taken * room) / size) - 1);
  }
}

/** The last place up to `end` where no character is cut in two. */
function endOfCharacter(bytes: Uint8Array, end: number): number {
  let start = end;
  while (start > 0 && end - start < 3 && isContinuation(bytes[start - 1])) start -= 1;
  const lead = bytes[start - 1];
  if (lead === undefined || lead < 0xc0) return end;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  return start - 1 + length <= end ? end : start - 1;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Where the rest of the file is to be had. */
function goOnAfter(file: Download, call: FileCall, taken: number): JsonObject {
  const { params, maxBytes } = call;
  const begin = Number(/^bytes (\d+)-/.exec(file.contentRange ?? '')?.[1] ?? 0);
  const rangeParam = rangeParamOf(call);
  const more = `Give a max_bytes of up to ${MAX_BYTES}.`;
  return {
    ...(rangeParam === undefined
      ? {}
      : { next_params: { ...params, [rangeParam]: `bytes=${begin + taken}-` } }),
    truncated: {
      bytes_given: taken,
      max_bytes: maxBytes,
      rest: rangeParam === undefined ? more : `Go on with params = next_params. ${more}`,
    },
  };
}

function rangeParamOf({ kind: kindName, entity: entityName }: FileCall): string | undefined {
  const kind = allKinds().find((each) => each.kind === kindName);
  const entity = Object.values(kind?.entities ?? {}).find(({ name }) => name === entityName);
  const action = Object.values(entity?.actions ?? {}).find(({ verb }) => verb === 'download');
  return action?.verb === 'download' ? action.rangeParam : undefined;
}
