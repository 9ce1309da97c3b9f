import type { Dispatcher } from 'undici';
// By its file: in the place of the package, Bun has one of its own, which sends nothing that is dispatched.
import { Agent, errors } from 'undici/index.js';
import { isConnectorError } from '../errors.ts';
import { hasMoreValues } from './answer-values.ts';
import { bareError } from '../bare-error.ts';
import type { BuiltRequest } from './request-builder.ts';

/** Where an upstream is. */
export interface UpstreamBase {
  /** Scheme, host and port. */
  readonly origin: string;
  /** What the paths of requests follow; empty for most. */
  readonly path: string;
}

/** How a request is sent. */
export interface SendOptions {
  readonly base: UpstreamBase;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** As in `UpstreamCall`. */
  readonly onBytes?: OnBytes | undefined;
  /** Told right before the request goes out over a connection. Where it has not been by the time that `send` rejects, it never goes out. */
  readonly onBegun?: (() => void) | undefined;
}

/**
 * Told of the bytes of each piece of an answer. A ConnectorError that it throws ends the request; as long as what it returns is
 * pending, no more is taken in.
 */
export type OnBytes = (bytes: number) => void | Promise<void>;

/** An answer whose body has arrived whole. */
export interface UpstreamResponse {
  readonly status: number;
  /** Header names in lower case; of repeated headers, the first. */
  readonly header: (name: string) => string | undefined;
  readonly body: string;
}

/** Why no whole answer came. */
export type TransportFailure =
  /** No connection, or none that TLS makes safe: the request surely did not reach the upstream. */
  | 'unreachable'
  /** No connection was free, or came about, in time: the request has not gone out, and never will. */
  | 'unsent'
  /** The upstream took too long. */
  | 'timeout'
  /** The connection broke before the whole answer was here. */
  | 'cut'
  /** The answer is larger than we read. */
  | 'too_large';

export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly failure: TransportFailure;

  constructor(failure: TransportFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.failure = failure;
  }
}

/** The answers we read are at most this long, since all of one is held in memory: of 500 large records a page has a half. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** Ten times what the largest pages have. */
export const MAX_ANSWER_VALUES = 2_000_000;

/** Calls that fail before a request is sent; by code, EHOSTUNREACH may also come while reading. */
const CONNECTING_CALLS = new Set(['connect', 'getaddrinfo']);
/** What is wrong with a certificate. @see https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const CERTIFICATE_FAULTS =
  /^(?:CERT_|CRL_|ERR_TLS_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|HOSTNAME_MISMATCH$|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$)/;
/** A handshake that either side refused: an alert, no TLS at all. */
const HANDSHAKE_FAULTS = /^(?:EPROTO$|ERR_SSL_)/;
/** A dispatcher that takes no more requests. */
const CLOSED_CODES = new Set(['UND_ERR_CLOSED', 'UND_ERR_DESTROYED']);
const TIMEOUT_CODES = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

let sharedAgent: Agent | undefined;
let sharedFileAgent: Agent | undefined;

/**
 * The connection pool of callers that bring none; idle connections keep no process alive. HTTP/1.1 only: of an HTTP/2
 * stream that is refused, undici would send the request again by itself, a write too.
 */
export function defaultDispatcher(): Dispatcher {
  sharedAgent ??= new Agent({ connections: 128, keepAliveTimeout: 4_000, allowH2: false });
  return sharedAgent;
}

/**
 * The same for files. A file holds its connection for as long as its reader takes, so calls must not
 * wait for one, nor files for those of somebody else: how many there are is for the caller to bound.
 */
export function defaultFileDispatcher(): Dispatcher {
  sharedFileAgent ??= new Agent({ keepAliveTimeout: 4_000, allowH2: false });
  return sharedFileAgent;
}

/** The parts of a base URL. */
export function baseOf(baseUrl: string): UpstreamBase {
  const { origin, pathname } = new URL(baseUrl);
  return { origin, path: pathname.replace(/\/$/, '') };
}

/**
 * Sends one request and reads the whole answer, at most `MAX_BODY_BYTES`. Follows no redirect and
 * repeats nothing.
 *
 * @throws TransportError, what `onBytes` throws, or the signal's reason when it aborts.
 */
export async function send(
  dispatcher: Dispatcher,
  { method, path, body }: BuiltRequest,
  { base, headers, timeoutMs, ...watch }: SendOptions,
): Promise<UpstreamResponse> {
  const { signal } = watch;
  signal.throwIfAborted();
  const answer = new WholeAnswer(watch);
  const options = {
    origin: base.origin,
    path: base.path + path,
    method,
    headers,
    body: body ?? null,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  };
  try {
    dispatcher.dispatch(options, answer);
  } catch (error) {
    throw notTaken(error, answer.leave());
  }
  try {
    return await answer.arrived;
  } catch (error) {
    signal.throwIfAborted();
    throw isConnectorError(error) ? error : transportErrorOf(error, answer.hasBegun);
  }
}

/**
 * Gathers an answer as undici hands it over. Listening directly, without a stream in between,
 * halves what a small answer costs.
 */
class WholeAnswer implements Dispatcher.DispatchHandler {
  readonly arrived: Promise<UpstreamResponse>;
  readonly #signal: AbortSignal;
  readonly #onBytes: SendOptions['onBytes'];
  readonly #onBegun: SendOptions['onBegun'];
  readonly #resolve: (response: UpstreamResponse) => void;
  readonly #reject: (error: unknown) => void;
  #bytes: Buffer = Buffer.alloc(0);
  #sizeBytes = 0;
  #status = 0;
  #headers: Dispatcher.ResponseData['headers'] = {};
  #controller: Dispatcher.DispatchController | undefined;
  #isLeft = false;

  constructor({ signal, onBytes, onBegun }: Pick<SendOptions, 'signal' | 'onBytes' | 'onBegun'>) {
    const { promise, resolve, reject } = Promise.withResolvers<UpstreamResponse>();
    this.arrived = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = signal;
    this.#onBytes = onBytes;
    this.#onBegun = onBegun;
    signal.addEventListener('abort', this.#abort, { once: true });
  }

  /** Whether the request has been given to a connection that stands. */
  get hasBegun(): boolean {
    return this.#controller !== undefined;
  }

  /**
   * Gives up a request that its dispatcher threw over: whatever that makes of it later, it does not go out any more.
   *
   * @returns As `hasBegun`.
   */
  leave(): boolean {
    this.#isLeft = true;
    this.#signal.removeEventListener('abort', this.#abort);
    // Whatever comes of it, nobody waits for it.
    this.arrived.catch(() => undefined);
    return this.hasBegun;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Waited for a connection until its time was over: it does not go out any more. To abort it would end the connection, which
    // is good for whoever waits next; of a handler that throws here, undici takes the request alone back, and by this code tries it not again.
    if (this.#isLeft || this.#signal.aborted) throw new errors.RequestAbortedError();
    this.#controller = controller;
    this.#onBegun?.();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Dispatcher.ResponseData['headers'],
  ): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // Handed over where a pause ends, and to pause for it would bring it again.
    if (chunk.length === 0) return;
    try {
      const turn = this.#onBytes?.(chunk.length);
      if (turn !== undefined) pauseUntil(turn, controller);
    } catch (error) {
      // By its contract a ConnectorError.
      controller.abort(error as Error);
      return;
    }
    if (this.#sizeBytes + chunk.length <= MAX_BODY_BYTES) this.#keep(chunk);
    else
      controller.abort(
        new TransportError('too_large', `The answer has more than ${MAX_BODY_BYTES} bytes.`),
      );
  }

  /** In one piece, since a chunk of a byte would take a hundred. Most answers are a single chunk. */
  #keep(chunk: Buffer): void {
    const sizeBytes = this.#sizeBytes + chunk.length;
    if (this.#sizeBytes === 0) this.#bytes = chunk;
    else {
      if (this.#bytes.length < sizeBytes) {
        const larger = Buffer.allocUnsafeSlow(Math.max(sizeBytes, 2 * this.#bytes.length));
        this.#bytes.copy(larger, 0, 0, this.#sizeBytes);
        this.#bytes = larger;
      }
      chunk.copy(this.#bytes, this.#sizeBytes);
    }
    this.#sizeBytes = sizeBytes;
  }

  onResponseEnd(): void {
    this.#signal.removeEventListener('abort', this.#abort);
    const bytes = this.#bytes.subarray(0, this.#sizeBytes);
    if (hasMoreValues(bytes, MAX_ANSWER_VALUES)) {
      const most = MAX_ANSWER_VALUES.toLocaleString('en');
      this.#reject(new TransportError('too_large', `The answer has more than ${most} values.`));
      return;
    }
    this.#resolve({
      status: this.#status,
      header: (name) => firstOf(this.#headers[name]),
      body: bytes.toString('utf8'),
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#signal.removeEventListener('abort', this.#abort);
    this.#reject(error);
  }

  readonly #abort = (): void => {
    const reason: unknown = this.#signal.reason;
    this.#controller?.abort(reason instanceof Error ? reason : new Error('aborted'));
    this.#reject(reason);
  };
}

function pauseUntil(turn: Promise<void>, controller: Dispatcher.DispatchController): void {
  controller.pause();
  turn.then(
    () => controller.resume(),
    (error: Error) => controller.abort(error),
  );
}

/**
 * What an error of undici means for the request.
 *
 * @param hasBegun Whether the request may have been given to a connection. What tells of none that came about then proves
 * nothing: faults of TLS come from one that stands, too (an alert, another certificate in another handshake), and a dispatcher that
 * follows redirects, or tries again, makes another one after the request has gone out.
 */
export function transportErrorOf(error: unknown, hasBegun: boolean): TransportError {
  if (error instanceof TransportError) return error;
  const { code, syscall } = systemErrorOf(error);
  const because = (failure: TransportFailure, message: string) =>
    new TransportError(failure, message, bareError(error));
  const unreached = hasBegun ? undefined : whyUnreached(code, syscall);
  if (unreached !== undefined) return because('unreachable', unreached);
  if (TIMEOUT_CODES.has(code)) return because('timeout', 'No answer in time.');
  return because('cut', `The connection broke (${code === '' ? 'no code' : code}).`);
}

/** Why a request reached nothing; `undefined` where that is not certain. */
function whyUnreached(code: string, syscall: string): string | undefined {
  if (CONNECTING_CALLS.has(syscall) || code === 'UND_ERR_CONNECT_TIMEOUT')
    return `No connection (${code}).`;
  if (CERTIFICATE_FAULTS.test(code))
    return `Its certificate is not accepted (${code}). Behind a proxy that inspects TLS, name the certificate of that proxy in NODE_EXTRA_CA_CERTS.`;
  if (isOfHandshake(code, syscall)) return `No TLS connection came about (${code}).`;
  if (code === 'UND_ERR_INVALID_ARG') return `No request could be made of it (${code}).`;
  if (CLOSED_CODES.has(code)) return `The dispatcher that was given is closed (${code}).`;
  return undefined;
}

/** Node.js tells of a handshake that is hung up on as a reset of its own, by no system call. */
function isOfHandshake(code: string, syscall: string): boolean {
  return HANDSHAKE_FAULTS.test(code) || (code === 'ECONNRESET' && syscall === '');
}

/** What it means that a dispatcher throws instead of sending: mostly that it is none of this undici's sort. */
function notTaken(error: unknown, hasBegun: boolean): TransportError {
  const { code } = systemErrorOf(error);
  return new TransportError(
    hasBegun ? 'cut' : 'unreachable',
    `The dispatcher that was given does not take the request${code === '' ? '' : ` (${code})`}; it must be one of undici 7 or later.`,
    bareError(error),
  );
}

/** Code and system call of an error, or of its cause; of several tried addresses, the first. */
function systemErrorOf(error: unknown): { readonly code: string; readonly syscall: string } {
  if (typeof error !== 'object' || error === null) return { code: '', syscall: '' };
  if (error instanceof AggregateError) return systemErrorOf(error.errors[0]);
  if ('code' in error && typeof error.code === 'string')
    return { code: error.code, syscall: 'syscall' in error ? String(error.syscall) : '' };
  return 'cause' in error ? systemErrorOf(error.cause) : { code: '', syscall: '' };
}

function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
