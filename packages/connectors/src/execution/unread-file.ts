import { ConnectorError } from '../errors.ts';

type Bytes = AsyncGenerator<Uint8Array, void, undefined>;

interface UnreadFile {
  /** Whoever has not begun to read by then never will. By the clock that the connection itself is timed by. */
  readonly idleTimeoutMs: number;
  /** Ends the transfer; called at most once. */
  readonly giveUp: () => void;
}

/**
 * Bytes that come over a connection, which they would hold for ever where nobody begins to read: a generator that has
 * not begun runs nothing when it is left, and a connection that waits for its reader is never idle.
 *
 * @throws `upstream_timeout` to whoever begins too late.
 */
export function givenUpUnread(bytes: Bytes, { idleTimeoutMs, giveUp }: UnreadFile): Bytes {
  let isBegun = false;
  let isTooLate = false;
  const begin = () => {
    isBegun = true;
    clearTimeout(timer);
  };
  const leave = () => {
    if (isBegun) return;
    begin();
    giveUp();
  };
  const timer = setTimeout(() => {
    isTooLate = true;
    leave();
  }, idleTimeoutMs);
  // No process waits for this alone; in browsers a timer is a number, and there is nothing that waits.
  if (typeof timer === 'object') timer.unref();
  return {
    next: async () => {
      begin();
      if (isTooLate) throw tooLate(idleTimeoutMs);
      return bytes.next();
    },
    return: (value) => {
      leave();
      return bytes.return(value);
    },
    throw: (error) => {
      leave();
      return bytes.throw(error);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      await this.return();
    },
  };
}

function tooLate(idleTimeoutMs: number): ConnectorError<'upstream_timeout'> {
  const message = `Nobody began to read the file within ${idleTimeoutMs} ms of its opening, so it was given up; open it again.`;
  return new ConnectorError('upstream_timeout', {}, { message });
}
