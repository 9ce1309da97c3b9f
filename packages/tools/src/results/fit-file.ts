import { allKinds, type Download } from '@patchbay/connectors/definitions';
import type { JsonObject } from '../host.ts';
import { bytesOf, MAX_BYTES } from './budget.ts';
import { canBeCutOut, partOfFile, type PartOfFile } from './part-of-file.ts';

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
 * The beginning of a file, or of the range of it that was asked for, as far as it fits: text as text,
 * anything else as base64. What does not fit is not read, and the answer says how to go on.
 */
export async function fitFile(download: Download, call: FileCall): Promise<JsonObject> {
  const rangeParam = rangeParamOf(call);
  const part = partOfFile(download, rangeParam && call.params[rangeParam]);
  const { file } = part;
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
    ...(isWhole && taken === bytes.length && !part.isAnother
      ? {}
      : goOnAfter(part, { ...call, rangeParam }, taken)),
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
function goOnAfter(
  part: PartOfFile,
  { params, maxBytes, rangeParam }: FileCall & { readonly rangeParam: string | undefined },
  taken: number,
): JsonObject {
  const rest = rangeAfter(part, taken);
  const canGoOn = rangeParam !== undefined && rest !== undefined;
  return {
    ...(canGoOn ? { next_params: { ...params, [rangeParam]: rest } } : {}),
    truncated: {
      bytes_given: taken,
      max_bytes: maxBytes,
      rest: `${canGoOn ? 'Go on with params = next_params. ' : whyNotOn(part, rangeParam)}Give a max_bytes of up to ${MAX_BYTES}.`,
    },
  };
}

/** The range that is left; `undefined` where nothing is, or where it would not be found. */
function rangeAfter(
  { begin, last, ignoresRanges, isAnother }: PartOfFile,
  taken: number,
): string | undefined {
  if (begin === undefined || isAnother) return undefined;
  const next = begin + taken;
  if (ignoresRanges && !canBeCutOut(next)) return undefined;
  return last !== undefined && next > last ? undefined : `bytes=${next}-${last ?? ''}`;
}

function whyNotOn({ ignoresRanges, isAnother }: PartOfFile, rangeParam = ''): string {
  if (!ignoresRanges) return '';
  const why = `The host of this file ignores ${rangeParam} and sends whole files only: `;
  return `${why}${isAnother ? 'these bytes are from its beginning, not from the range' : 'what follows is too far in to be looked for'}. `;
}

function rangeParamOf({ kind: kindName, entity: entityName }: FileCall): string | undefined {
  const kind = allKinds().find((each) => each.kind === kindName);
  const entity = Object.values(kind?.entities ?? {}).find(({ name }) => name === entityName);
  const action = Object.values(entity?.actions ?? {}).find(({ verb }) => verb === 'download');
  return action?.verb === 'download' ? action.rangeParam : undefined;
}
