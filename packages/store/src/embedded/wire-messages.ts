/** A request code in place of a protocol version, before a connection's start message. */
export const SSL_REQUEST = 80_877_103;
export const GSS_REQUEST = 80_877_104;
export const CANCEL_REQUEST = 80_877_102;

/** The beginning of the message that ends an answer; the state of the transaction follows. */
const READY = Buffer.from([...Buffer.from('Z'), 0, 0, 0, 5]);

const LENGTH_BYTES = 4;
const TYPED_HEADER_BYTES = 5;

/**
 * Cuts what a client sends into whole protocol messages. Chunks are joined only once a message is
 * complete, so that a large one costs one copy.
 *
 * @see https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
export class MessageReader {
  #chunks: Buffer[] = [];
  #byteCount = 0;

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#byteCount += chunk.length;
  }

  /** The next message of a connection that has not started: a length, a code, a body. */
  nextUntyped(): Buffer | undefined {
    const header = this.#peek(LENGTH_BYTES);
    return header === undefined ? undefined : this.#take(header.readInt32BE(0));
  }

  /** The next message of a started connection: a type, a length that excludes it, a body. */
  nextTyped(): Buffer | undefined {
    const header = this.#peek(TYPED_HEADER_BYTES);
    return header === undefined ? undefined : this.#take(1 + header.readInt32BE(1));
  }

  #peek(byteCount: number): Buffer | undefined {
    if (this.#byteCount < byteCount) return undefined;
    const [first] = this.#chunks;
    return first !== undefined && first.length >= byteCount ? first : this.#join();
  }

  #take(byteCount: number): Buffer | undefined {
    if (this.#byteCount < byteCount) return undefined;
    const [first] = this.#chunks;
    const source = first !== undefined && first.length >= byteCount ? first : this.#join();
    this.#chunks[0] = source.subarray(byteCount);
    this.#byteCount -= byteCount;
    return source.subarray(0, byteCount);
  }

  #join(): Buffer {
    const joined = Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }
}

/**
 * Whether the database answers once it has this message, and not before: what came earlier only
 * waits for it. `Sync`, `Query` and `FunctionCall` end a request, `Flush` does not.
 */
export function asksForAnswer(message: Buffer): boolean {
  return endsRequest(message) || typeOf(message) === 'H';
}

/** Whether a client owes nothing more after this message, unless a transaction is open. */
export function endsRequest(message: Buffer): boolean {
  return 'SQF'.includes(typeOf(message));
}

export function isTermination(message: Buffer): boolean {
  return typeOf(message) === 'X';
}

const READY_BYTES = 6;

/**
 * What has come of an answer, to judge it by its end. It comes in pieces of 8 KiB, cut wherever that is: the last
 * one may be but the end of a message.
 */
export class AnswerEnd {
  #only: Buffer | undefined;
  #end: Buffer | undefined;

  push(piece: Buffer): void {
    this.#only = this.#end === undefined ? piece : undefined;
    this.#end =
      this.#end === undefined || piece.length >= READY_BYTES
        ? piece
        : Buffer.concat([this.#end.subarray(-READY_BYTES), piece]);
  }

  /**
   * Whether the answer says at its end that the next request may come. PostgreSQL says so after every
   * request, even one that failed, unless it has ended.
   */
  isComplete(): boolean {
    const ready = this.#end?.subarray(-READY_BYTES);
    return ready?.length === READY_BYTES && ready.subarray(0, -1).equals(READY);
  }

  /** What PostgreSQL said when it ended, if that alone came: other answers may hold records. */
  lastWords(): string {
    if (this.#only === undefined || typeOf(this.#only) !== 'E')
      return 'it ended in the midst of an answer';
    const fields = this.#only.toString('utf8', TYPED_HEADER_BYTES).split('\0');
    return fields.find((field) => field.startsWith('M'))?.slice(1) ?? 'it ended with an error';
  }
}

/** A message without a body, for example `Sync`. */
export function emptyMessage(type: string): Buffer {
  return Buffer.from([type.charCodeAt(0), 0, 0, 0, LENGTH_BYTES]);
}

function typeOf(message: Buffer): string {
  return String.fromCharCode(message[0] ?? 0);
}
