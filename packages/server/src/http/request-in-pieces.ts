import { IncomingMessage } from 'node:http';

/** So many pieces a body may have, however small, and one more for each so many bytes of it. */
const PIECES = 1_024;
const BYTES_A_PIECE = 256;

/** Whether a body comes in smaller pieces than any client would send: each costs as much as a large one. */
function areTooSmall(pieces: number, bytes: number): boolean {
  return pieces > PIECES + bytes / BYTES_A_PIECE;
}

/**
 * A request whose client is cut where its body comes in pieces of a byte or a few: as chunks, a megabyte of them fits
 * into one of 6 MB, and takes 200 MB of memory, or a second to be thrown away.
 */
export class RequestInPieces extends IncomingMessage {
  #pieces = 0;
  #bytes = 0;

  /** Node's parser puts each piece here. */
  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (piece === null) return super.push(piece, encoding);
    if (this.destroyed) return false;
    this.#pieces += 1;
    this.#bytes += piece.length;
    if (!areTooSmall(this.#pieces, this.#bytes)) return super.push(piece, encoding);
    // An error would be one that nobody may listen for.
    this.destroy();
    return false;
  }

  /** Node's own would have the parser throw away, uncounted, what comes after an answer that did not wait for the body. */
  _dump(): void {
    this.removeAllListeners('data');
    this.resume();
  }
}
