import { IncomingMessage } from 'node:http';
import { cutBody, onceToReadOn, SmallPieces } from './small-pieces.ts';

/** So many pieces are taken as they come: nearly all bodies have fewer. */
const SINGLE_PIECES = 64;
/** Later ones that are smaller are put together to pieces of the other size. */
export const SMALL_BYTES = 1_024;
const JOINED_BYTES = 16_384;
/** So many pieces a body may have, however small, of a call without a token and of one with it. */
export const PIECES_OF_STRANGER = 4_096;
export const PIECES_WITH_TOKEN = 32_768;
/** And one more for each so many bytes of it. */
export const BYTES_A_PIECE = 64;
/** So many more where nobody reads it: its call has been answered. */
const UNREAD_PIECES = 1_024;

/**
 * A request whose body may come in pieces of a byte or a few, as chunks: a megabyte of them fits into one of 6 MB, and
 * takes 200 MB of memory as they are. So they are put together; and since each takes time, whether or not anybody reads
 * it, a client that sends no end of them is cut, and those of many that come at once are taken one after the other.
 */
export class RequestInPieces extends IncomingMessage {
  #pieces = 0;
  #bytes = 0;
  #joined: Buffer | undefined;
  #joinedBytes = 0;
  #most = PIECES_WITH_TOKEN;
  #isOfStranger = false;
  #small: SmallPieces | undefined;
  /** Its socket is to be read on later. */
  #isStopped = false;
  #isAskedFor = false;
  #larger: { readonly bytes: number; readonly tell: () => void } | undefined;

  /** Until it is known whose it is, it may be that of somebody with a token. */
  boundAsStrangers(): void {
    this.#isOfStranger = true;
    this.#most = PIECES_OF_STRANGER;
  }

  /** Whether its route wants no token. */
  get isOfStranger(): boolean {
    return this.#isOfStranger;
  }

  /** Calls back where the body comes to more than so many bytes. */
  onceLarger(bytes: number, tell: () => void): void {
    this.#larger = { bytes, tell };
  }

  /** Node's parser puts each piece here. */
  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (piece === null) {
      this.#pushJoined();
      return super.push(piece, encoding);
    }
    if (this.destroyed) return false;
    this.#pieces += 1;
    this.#bytes += piece.length;
    if (this.#pieces > this.#most + this.#bytes / BYTES_A_PIECE) {
      return this.#cut('The body came in too many pieces of a few bytes.');
    }
    if (this.#larger !== undefined && this.#bytes > this.#larger.bytes) {
      const { tell } = this.#larger;
      this.#larger = undefined;
      tell();
    }
    if (this.#pieces <= SINGLE_PIECES || piece.length >= SMALL_BYTES) {
      this.#pushJoined();
      return super.push(piece, encoding);
    }
    this.#small ??= new SmallPieces();
    const after = this.#small.take();
    if (after === 'cut') return this.#cut('Many bodies came at once in pieces of a few bytes.');
    if (after === 'read on later') this.#stop();
    return this.#join(piece);
  }

  /** Node's own reads the socket on. */
  override _read(size: number): void {
    if (this.#isStopped) this.#isAskedFor = true;
    else super._read(size);
  }

  /** Node's own would have the parser throw away, uncounted, what comes after an answer that did not wait for the body. */
  _dump(): void {
    this.#most = Math.min(this.#most, this.#pieces + UNREAD_PIECES);
    this.removeAllListeners('data');
    this.resume();
  }

  /** Whoever waits for the body is told; Node drops the error where nobody does. */
  #cut(why: string): false {
    cutBody(this.socket);
    this.destroy(new Error(why));
    return false;
  }

  #stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.socket.pause();
    onceToReadOn(() => this.#readOn());
  }

  #readOn(): boolean {
    const { socket } = this;
    this.#isStopped = false;
    if (socket.destroyed) return false;
    if (this.#isAskedFor) super._read(0);
    // Where as much has come as is kept, it is read on when somebody asks for more.
    else if (this.complete || this.readableLength < this.readableHighWaterMark) socket.resume();
    this.#isAskedFor = false;
    return true;
  }

  #join(piece: Buffer): boolean {
    const isRoomLeft = this.#joinedBytes + piece.length > JOINED_BYTES ? this.#pushJoined() : true;
    this.#joined ??= Buffer.allocUnsafe(JOINED_BYTES);
    this.#joinedBytes += piece.copy(this.#joined, this.#joinedBytes);
    return isRoomLeft;
  }

  #pushJoined(): boolean {
    if (this.#joined === undefined) return true;
    const joined = this.#joined.subarray(0, this.#joinedBytes);
    this.#joined = undefined;
    this.#joinedBytes = 0;
    return super.push(joined);
  }
}
