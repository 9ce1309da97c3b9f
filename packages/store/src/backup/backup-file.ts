import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { constants, createGunzip, createGzip } from 'node:zlib';
import { StoreError } from '../store-error.ts';
import { BACKUP_FORMAT, type BackupPart } from './parts.ts';

/*
 * A backup is gzip of frames: two lengths (big-endian, 32 bits), a head (JSON), a body. Of rows, the body
 * is their JSON; all else is in the head. The last frame has the SHA-256 of all before it, so that a file
 * which was cut off anywhere, or changed, is none.
 */

const LENGTHS_BYTES = 8;
/** What no frame of ours reaches; more is no length. */
const MOST_BYTES = 1_073_741_824;

/** The bytes of a file; an error of the parts is one of the bytes. Until they are read, no part is. */
export async function* encodeBackup(
  parts: AsyncIterable<BackupPart>,
): AsyncGenerator<Uint8Array, void> {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  // Whoever reads the bytes gets the error, too.
  pipeline(Readable.from(frames(parts), { objectMode: false }), gzip, () => undefined);
  yield* gzip;
}

/**
 * The parts of a file, as they come: only with the last one is it known that the file is whole.
 *
 * @throws `backup_unusable`
 */
export async function* decodeBackup(file: Readable): AsyncGenerator<BackupPart> {
  const reader = new FrameReader(file);
  try {
    yield* decode(reader);
  } finally {
    reader.end();
  }
}

async function* decode(reader: FrameReader): AsyncGenerator<BackupPart> {
  const hash = createHash('sha256');
  for (let isFirst = true; ; isFirst = false) {
    const frame = await reader.next();
    const head = parseHead(frame.head);
    if (head.type === 'digest') {
      if (head['sha256'] !== hash.digest('hex')) throw unusable('it was changed');
      await reader.expectEnd();
      return;
    }
    if ((head.type === 'header') !== isFirst) throw unusable('it is none of Patchbay');
    if (isFirst && head['format'] !== BACKUP_FORMAT)
      throw unusable(
        `its format is ${String(head['format'])}, and this program reads ${BACKUP_FORMAT}`,
      );
    hash.update(frame.bytes);
    // Proof: what `frames` wrote, as the digest at the end shows.
    yield {
      ...head,
      ...(head.type === 'rows' ? { json: frame.body.toString() } : {}),
    } as BackupPart;
  }
}

async function* frames(parts: AsyncIterable<BackupPart>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const part of parts) {
    const { json = '', ...head } = 'json' in part ? part : { ...part, json: undefined };
    const frame = frameOf(head, json);
    hash.update(frame);
    yield frame;
  }
  yield frameOf({ type: 'digest', sha256: hash.digest('hex') }, '');
}

function frameOf(head: object, text: string): Buffer {
  const [first, second] = [Buffer.from(JSON.stringify(head)), Buffer.from(text)];
  const lengths = Buffer.alloc(LENGTHS_BYTES);
  lengths.writeUInt32BE(first.length, 0);
  lengths.writeUInt32BE(second.length, 4);
  return Buffer.concat([lengths, first, second]);
}

interface Head {
  readonly type: string;
  readonly [member: string]: unknown;
}

function parseHead(bytes: Buffer): Head {
  try {
    const head: unknown = JSON.parse(bytes.toString());
    // Proof: it is an object with that member.
    if (typeof head === 'object' && head !== null && 'type' in head) return head as Head;
  } catch (error) {
    throw unusable('it is none of Patchbay', error);
  }
  throw unusable('it is none of Patchbay');
}

interface Frame {
  readonly bytes: Buffer;
  readonly head: Buffer;
  readonly body: Buffer;
}

class FrameReader {
  readonly #gunzip = createGunzip();
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(file: Readable) {
    pipeline(file, this.#gunzip, () => undefined);
    this.#chunks = this.#gunzip[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  async next(): Promise<Frame> {
    const lengths = await this.#take(LENGTHS_BYTES);
    const [head, body] = [lengths.readUInt32BE(0), lengths.readUInt32BE(4)];
    if (head + body > MOST_BYTES) throw unusable('it is none of Patchbay');
    const rest = await this.#take(head + body);
    return {
      bytes: Buffer.concat([lengths, rest]),
      head: rest.subarray(0, head),
      body: rest.subarray(head),
    };
  }

  async expectEnd(): Promise<void> {
    if (this.#heldBytes > 0 || (await this.#read())) throw unusable('something follows its end');
  }

  end(): void {
    this.#gunzip.destroy();
  }

  async #take(bytes: number): Promise<Buffer> {
    while (this.#heldBytes < bytes) if (!(await this.#read())) throw cutOff();
    const all = Buffer.concat(this.#held);
    this.#held = [all.subarray(bytes)];
    this.#heldBytes -= bytes;
    return all.subarray(0, bytes);
  }

  /** Whether there was more. */
  async #read(): Promise<boolean> {
    try {
      const next = await this.#chunks.next();
      if (next.done === true) return false;
      this.#held.push(next.value);
      this.#heldBytes += next.value.length;
      return true;
    } catch (error) {
      throw explain(error);
    }
  }
}

/** What zlib, or the file system, says. */
function explain(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'Z_BUF_ERROR') return cutOff(error);
  if (code === 'Z_DATA_ERROR') return unusable('it is none of Patchbay, or was changed', error);
  return error;
}

function cutOff(cause?: unknown): StoreError {
  return unusable('it is cut off', cause);
}

function unusable(why: string, cause?: unknown): StoreError {
  return new StoreError(
    'backup_unusable',
    `The backup cannot be used: ${why}. Nothing was changed.`,
    {
      cause,
    },
  );
}
