import { ConnectorError } from '@patchbay/connectors';
import type { CallDeadline } from './call-deadline.ts';
import type { OpenFile } from './outcome.ts';

/** Bytes of a file that somebody reads here, rather than passing them on. */
export interface TimedBytes {
  /**
   * Reading them throws `upstream_timeout` once the deadline has passed, or `rate_limited` where too many are kept, and
   * the file is left.
   */
  readonly bytes: AsyncGenerator<Uint8Array, void, undefined>;
  /** From now on they may take their time, and are not counted; nor are those read before. */
  readonly release: () => void;
}

/** The bytes of a file, which have to be there by the deadline of its call. */
export function untilDeadline(open: OpenFile, deadline: CallDeadline): TimedBytes {
  const late = new AbortController();
  late.signal.addEventListener('abort', open.discard, { once: true });
  const cancel = deadline.onceOver(() => late.abort());
  const reading = { deadline, late: late.signal, isReleased: false };
  const release = () => {
    reading.isReleased = true;
    cancel();
    open.kept.release();
  };
  return { bytes: timed(open, reading, release), release };
}

interface Reading {
  readonly deadline: CallDeadline;
  readonly late: AbortSignal;
  isReleased: boolean;
}

async function* timed(
  { file, kept }: OpenFile,
  reading: Reading,
  release: () => void,
): TimedBytes['bytes'] {
  const { deadline, late } = reading;
  try {
    for await (const chunk of file.bytes) {
      if (!reading.isReleased) kept.take(chunk.length);
      yield chunk;
    }
  } catch (error) {
    throw late.aborted ? tooLate(deadline, error) : error;
  } finally {
    release();
  }
}

function tooLate({ timeoutMs }: CallDeadline, cause: unknown): ConnectorError<'upstream_timeout'> {
  const message = `The file did not come whole within the call's deadline of ${timeoutMs} ms.`;
  return new ConnectorError('upstream_timeout', {}, { message, cause });
}
