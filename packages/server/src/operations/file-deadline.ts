import { ConnectorError } from '@patchbay/connectors';
import type { CallDeadline } from './call-deadline.ts';
import type { OpenFile } from './outcome.ts';

/** Bytes of a file that somebody reads here, rather than passing them on. */
export interface TimedBytes {
  /** Reading them throws `upstream_timeout` once the deadline has passed, and the file is left. */
  readonly bytes: AsyncGenerator<Uint8Array, void, undefined>;
  /** From now on they may take their time. */
  readonly release: () => void;
}

/** The bytes of a file, which have to be there by the deadline of its call. */
export function untilDeadline(open: OpenFile, deadline: CallDeadline): TimedBytes {
  const late = new AbortController();
  late.signal.addEventListener('abort', open.discard, { once: true });
  const release = deadline.onceOver(() => late.abort());
  return { bytes: timed(open, { deadline, late: late.signal, release }), release };
}

async function* timed(
  { file }: OpenFile,
  {
    deadline,
    late,
    release,
  }: {
    readonly deadline: CallDeadline;
    readonly late: AbortSignal;
    readonly release: () => void;
  },
): TimedBytes['bytes'] {
  try {
    yield* file.bytes;
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
