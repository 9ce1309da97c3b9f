import type { IncomingHttpHeaders } from 'node:http';

import type { FaultTarget, Shaping } from './fault-board.ts';

/** One request as it arrived, its body read whole. */
export interface IncomingRequest {
  readonly verb: string;
  /** The path below the upstream's base path, without the leading slash and the query. */
  readonly path: string;
  /** The query without its question mark. */
  readonly query: string;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  /** Every header, by lower-cased name. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What every upstream says of a call before it is answered. */
export interface UpstreamCall extends FaultTarget {
  readonly params: Readonly<Record<string, unknown>>;
}

/** An answer in full. */
export interface UpstreamAnswer {
  readonly status: number;
  /** Names and values in turn; the content length is added when it is sent. */
  readonly headers: readonly string[];
  readonly body: Buffer | StreamedBody;
}

/** A body made while it is sent, so that it may be larger than the memory. */
export interface StreamedBody {
  readonly length: number;
  /** Gives the first `length` bytes of the body, or fewer if so many are asked for. */
  chunks(length: number): Iterable<Buffer>;
}

/**
 * One simulated service. It reads a request into a call, and answers a call; connections, faults
 * in the transport and the request log are the same for all and live outside.
 */
export interface Upstream<Call extends UpstreamCall> {
  /** The path it is mounted at, with leading and without trailing slash. */
  readonly basePath: string;
  /** Reads a request; what is wrong with it is kept in the call, to be answered later. */
  read(request: IncomingRequest): Call;
  /**
   * Told of a call that arrives, before any fault. What it gives back is called once the answer is
   * sent, or the client has hung up.
   */
  begin?(call: Call): (() => void) | undefined;
  /** Answers a call; faults in the content are the upstream's to build. */
  answer(call: Call, shaping: readonly Shaping[]): UpstreamAnswer;
  /** The vendor's own way of saying "wait". */
  rateLimited(call: Call, retryAfterSeconds: number): UpstreamAnswer;
  /** The vendor's own way of saying "something broke here". */
  failed(call: Call, status: number): UpstreamAnswer;
}
