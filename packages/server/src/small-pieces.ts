import type { Socket } from 'node:net';

/** So many small pieces of all bodies are taken in one round of the event loop: some 40 ms of work. */
export const SMALL_PIECES_OF_ROUND = 32_768;
/** Beyond that, bodies are cut that have more of them in the round than this: a read of a socket brings up to 11,000. */
export const SMALL_PIECES_AT_LEAST = 256;
/** After so many of a body in a round, its socket is read on later. */
const MANY_OF_A_BODY = 1_024;
/** Of such sockets one is read on each so often, so that the round is short, and there is time for all others. */
const READ_ON_APART_MS = 20;

/** The round of the event loop that is under way. */
const round = { number: 0, pieces: 0, isCounted: false };
/** What reads sockets on, in the order in which they were stopped. */
const stopped: (() => boolean)[] = [];
let readingOn: NodeJS.Timeout | undefined;

/** What is to be done with a body after a small piece of it. */
export type AfterPiece = 'go on' | 'read on later' | 'cut';

/** Counts the small pieces of one body. Those of all bodies share the rounds of the event loop. */
export class SmallPieces {
  #round = 0;
  #pieces = 0;

  /** Counts one more. */
  take(): AfterPiece {
    beginRound();
    round.pieces += 1;
    if (this.#round !== round.number) {
      this.#round = round.number;
      this.#pieces = 0;
    }
    this.#pieces += 1;
    if (round.pieces > SMALL_PIECES_OF_ROUND && this.#pieces > SMALL_PIECES_AT_LEAST) return 'cut';
    return this.#pieces > MANY_OF_A_BODY ? 'read on later' : 'go on';
  }
}

/**
 * Calls back when it is the turn of a socket that was stopped.
 *
 * @param readOn Whether it has begun to read; else it is the next one's turn.
 */
export function onceToReadOn(readOn: () => boolean): void {
  stopped.push(readOn);
  readingOn ??= setTimeout(readNextOn, READ_ON_APART_MS).unref();
}

/**
 * Has what is left of a read thrown away before anything is made of it, and closes the socket: Node's parser would go
 * through all of it, and make a buffer of each piece. Where Node has its callbacks elsewhere, that only takes longer.
 */
export function cutBody(socket: Socket): void {
  const parser: unknown = Reflect.get(socket, 'parser');
  if (typeof parser === 'object' && parser !== null)
    for (const name of Object.keys(parser)) {
      const callback: unknown = Reflect.get(parser, name);
      if (typeof callback !== 'function' || callback.name !== 'parserOnBody') continue;
      Reflect.set(parser, name, undefined);
      // Other connections get the parser then.
      socket.once('close', () => Reflect.set(parser, name, callback));
    }
  socket.destroy();
}

function beginRound(): void {
  if (round.isCounted) return;
  round.isCounted = true;
  round.number += 1;
  round.pieces = 0;
  setImmediate(() => {
    round.isCounted = false;
  });
}

function readNextOn(): void {
  readingOn = undefined;
  for (let readOn = stopped.shift(); readOn !== undefined; readOn = stopped.shift())
    if (readOn()) break;
  if (stopped.length > 0) readingOn = setTimeout(readNextOn, READ_ON_APART_MS).unref();
}
