import {
  bareError,
  ConnectorError,
  givenUpUnread,
  type Clock,
  type Download,
} from '@patchbay/connectors/definitions';
import type { Attempt } from './exchange.ts';

interface FileOptions {
  readonly baseUrl: string;
  readonly clock: Clock;
  /** A file that brings nothing for this long is given up. */
  readonly idleTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Reads an answer whose body is a file: its head now, its bytes as the caller takes them. */
export function readFile(options: FileOptions) {
  return async (response: Response): Promise<Attempt<Download>> => {
    const { headers, status, body } = response;
    const length = headers.get('content-length');
    // Where the body was compressed on its way, its length says nothing about the file.
    const isPlain = headers.get('content-encoding') === null;
    const value: Download = {
      isPartial: status === 206,
      contentType: headers.get('content-type'),
      contentRange: headers.get('content-range'),
      sizeBytes: length === null || !isPlain ? null : Number(length),
      bytes: givenUpUnread(bytesOf(body, options), {
        ...options,
        // What cannot be cancelled is over.
        giveUp: () => void body?.cancel().catch(() => undefined),
      }),
    };
    return { isFailure: false, value };
  };
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;
type ReadResult = Awaited<ReturnType<Reader['read']>>;

async function* bytesOf(
  body: ReadableStream<Uint8Array> | null,
  options: FileOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const chunk = await nextChunk(reader, options);
      if (chunk.done) return;
      yield chunk.value;
    }
  } finally {
    // Harmless at the end; ends the transfer where the caller stops early.
    await reader.cancel().catch(() => undefined);
  }
}

/** The next chunk, or an error when it takes too long, is cut off, or the caller aborts. */
async function nextChunk(
  reader: Reader,
  { baseUrl, clock, idleTimeoutMs, signal }: FileOptions,
): Promise<ReadResult> {
  signal?.throwIfAborted();
  const stopped = Promise.withResolvers<never>();
  const onAbort = () => stopped.reject(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const cancelTimer = clock.after(idleTimeoutMs, () =>
    stopped.reject(
      new ConnectorError(
        'upstream_timeout',
        {},
        { message: `${baseUrl} sent nothing more of the file for ${idleTimeoutMs} ms.` },
      ),
    ),
  );
  try {
    return await Promise.race([readOrExplain(reader, baseUrl), stopped.promise]);
  } finally {
    cancelTimer();
    signal?.removeEventListener('abort', onAbort);
  }
}

async function readOrExplain(reader: Reader, baseUrl: string): Promise<ReadResult> {
  try {
    return await reader.read();
  } catch (error) {
    throw new ConnectorError(
      'upstream_unavailable',
      {},
      {
        message: `${baseUrl} broke off before the whole file was here.`,
        cause: bareError(error),
      },
    );
  }
}
