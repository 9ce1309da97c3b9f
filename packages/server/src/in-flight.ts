import { getHeapStatistics } from 'node:v8';
import { ConnectorError } from '@patchbay/connectors';
import type { Access } from './access/access.ts';

/** Bounds of what waits for clients to take it. */
export interface InFlightLimits {
  /** Longer answers are counted; shorter ones, nearly all there are, go out at once and uncounted. */
  readonly largeAnswerBytes: number;
  /** So long a client has for taking a large answer whole: one that trickles is never idle. */
  readonly largeAnswerTimeoutMs: number;
  /** Of large answers of one caller that it has not taken yet. */
  readonly answerBytesPerCaller: number;
  /** The same of all callers. */
  readonly answerBytesInAll: number;
  /** Files of one connector that are read at once. */
  readonly downloadsPerConnector: number;
}

const MIB = 1024 * 1024;

/** @see docs/wire.md#limits */
export const DEFAULT_IN_FLIGHT_LIMITS: InFlightLimits = {
  largeAnswerBytes: MIB / 4,
  largeAnswerTimeoutMs: 300_000,
  answerBytesPerCaller: 64 * MIB,
  // Whoever gives the process little memory wants little of it to wait for slow clients.
  answerBytesInAll: Math.min(512 * MIB, getHeapStatistics().heap_size_limit / 4),
  downloadsPerConnector: 8,
};

/** Clients that take what they asked for have done so by then. */
const RETRY_AFTER_SECONDS = 5;

/** Ends what was counted; a second call does nothing. */
export type Release = () => void;

/**
 * Counts, per process, what is under way to clients: large answers by whose they are, downloads by
 * connector. Who has too much under way is refused more of it; who has nothing under way is only
 * refused a large answer, and only while those of others take up all the room.
 */
export class InFlight {
  readonly #limits: InFlightLimits;
  readonly #answerBytes = new Map<string, number>();
  readonly #downloads = new Map<string, number>();
  #allAnswerBytes = 0;

  constructor(limits: InFlightLimits) {
    this.#limits = limits;
  }

  /**
   * Asked before anything is done for a call.
   *
   * @throws `rate_limited` for a caller whose large answers take up all its room, or a part of all
   * room while there is none.
   */
  requireRoom(caller: string): void {
    const ownBytes = this.#answerBytes.get(caller);
    if (ownBytes === undefined) return;
    const { answerBytesPerCaller, answerBytesInAll } = this.#limits;
    if (ownBytes >= answerBytesPerCaller || this.#allAnswerBytes >= answerBytesInAll)
      throw answersUnread();
  }

  get largeAnswerTimeoutMs(): number {
    return this.#limits.largeAnswerTimeoutMs;
  }

  isLarge(text: string): boolean {
    return text.length > this.#limits.largeAnswerBytes;
  }

  /**
   * Counts a large answer until it has been taken, or never will be.
   *
   * @param answer.isRepeatable Whether it may be refused: the answer to a write may not, since who
   * does not get it would write again. The only one under way never is.
   * @throws `rate_limited`.
   */
  holdAnswer(
    caller: string,
    answer: { readonly sizeBytes: number; readonly isRepeatable: boolean },
  ): Release {
    const { sizeBytes, isRepeatable } = answer;
    const { answerBytesPerCaller, answerBytesInAll } = this.#limits;
    const ownBytes = this.#answerBytes.get(caller) ?? 0;
    const isTooMuch =
      (ownBytes > 0 && ownBytes + sizeBytes > answerBytesPerCaller) ||
      (this.#allAnswerBytes > 0 && this.#allAnswerBytes + sizeBytes > answerBytesInAll);
    if (isTooMuch && isRepeatable) throw answersUnread();
    this.#allAnswerBytes += sizeBytes;
    const release = countIn(this.#answerBytes, caller, sizeBytes);
    return once(() => {
      this.#allAnswerBytes -= sizeBytes;
      release();
    });
  }

  /**
   * Counts a download until its last byte has been read, or never will be.
   *
   * @throws `rate_limited`.
   */
  startDownload(connectorId: string): Release {
    const { downloadsPerConnector } = this.#limits;
    if ((this.#downloads.get(connectorId) ?? 0) < downloadsPerConnector)
      return once(countIn(this.#downloads, connectorId, 1));
    throw new ConnectorError(
      'rate_limited',
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
      {
        message: `${downloadsPerConnector} files of the connector are being read; read one to its end, or close its connection.`,
      },
    );
  }
}

/** Whose answers count together: those of an application, or of one of its external users. */
export function callerOf(access: Access): string {
  return access.type === 'scoped'
    ? `user ${access.applicationId} ${access.externalUserId}`
    : `application ${access.applicationId}`;
}

/** Adds to a counter that is there only while it is not zero. */
function countIn(counters: Map<string, number>, key: string, amount: number): Release {
  counters.set(key, (counters.get(key) ?? 0) + amount);
  return () => {
    const left = (counters.get(key) ?? 0) - amount;
    if (left === 0) counters.delete(key);
    else counters.set(key, left);
  };
}

function once(release: Release): Release {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    release();
  };
}

function answersUnread(): ConnectorError<'rate_limited'> {
  return new ConnectorError(
    'rate_limited',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
    { message: 'Earlier answers have not been read yet; read them to their end, or ask for less.' },
  );
}
