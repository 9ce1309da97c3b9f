import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ConnectorError, isConnectorError, type Clock, type ErrorCode } from '@patchbay/connectors';
import { isStoreError, TimeSlices } from '@patchbay/store';
import { beginStretch, newCallTimes, type CallTimes } from '@patchbay/connectors/engine';
import type { VerifiedToken } from '../access/access.ts';
import { holderOf, type Admission } from '../admission/admission.ts';
import type { Release } from '../admission/fair-turns.ts';
import type { RateHeaders } from '../admission/rate-limit.ts';
import type { Holder } from '../admission/room.ts';
import type { CallLog } from '../call-log.ts';
import { asConnectorError } from '../known-error.ts';
import type { Logger } from '../log.ts';
import { networkOf } from '../network-of.ts';
import type { ServiceObserver } from '../service-observer.ts';
import { CallAbortedError, type ActiveCalls } from '../operations/active-calls.ts';
import type { CallDeadline } from '../operations/call-deadline.ts';
import { closeOnceRead } from './close-once-read.ts';
import { ASK_AGAIN, isHad } from './entity-tag.ts';
import { deadlineOf } from './execute-input.ts';
import { countHeader } from './header-count.ts';
import type { JsonBody } from './json-body.ts';
import { loggableAddress } from './loggable-address.ts';
import { loggableText } from './loggable-text.ts';
import { encode, shortText, sizeOf, type Pieces } from './long-text.ts';
import { PROBLEM_TYPE, renderProblem } from './problem.ts';
import type { Answer, Call, PublicCall } from './route.ts';
import { serverTiming } from './server-timing.ts';
import type { SharedText } from './shared-text.ts';
import type { StrangerLines } from './stranger-lines.ts';

export interface ExchangeParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly admission: Admission;
  readonly strangerLines: StrangerLines;
  readonly activeCalls: Pick<ActiveCalls, 'onceAborted'>;
  /** Whether the service is going down. */
  readonly isClosing: () => boolean;
  readonly observer?: Pick<ServiceObserver, 'onCall'> | undefined;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** One request and its answer, which is sent and logged here, whatever it is. */
export class Exchange {
  readonly #parts: ExchangeParts;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  /** By the monotonic clock. */
  readonly #arrivedAt: number;
  readonly #log: CallLog = {};
  #verified: VerifiedToken | undefined;
  #rateHeaders: RateHeaders | undefined;
  #times: CallTimes | undefined;
  #turn: Release | undefined;
  #endWait: (() => void) | undefined;
  /** Told when the client goes before it has its answer. */
  readonly #onDisconnect = new Set<() => void>();
  #watchesClose = false;
  /** Its handler has it. */
  #isHeard = false;
  #isLogged = false;

  constructor(parts: ExchangeParts, request: FastifyRequest, reply: FastifyReply) {
    this.#parts = parts;
    this.#request = request;
    this.#reply = reply;
    this.#arrivedAt = parts.clock.monotonic();
  }

  /** Who asks, as far as that is known; later answers say so in the log. */
  admit(verified: VerifiedToken): void {
    this.#verified = verified;
  }

  /** What the answer says of the rate limit. */
  tellRate(headers: RateHeaders): void {
    this.#rateHeaders = headers;
  }

  /** From now on it is added up where the time goes, and its answer tells it. */
  tellTimes(): void {
    this.#times = newCallTimes();
  }

  /** Its turn, which is over when its answer is made, though it may still have to be sent. */
  begin(turn: Release): void {
    this.#endWait?.();
    this.#turn = turn;
    if (this.#isDisconnected()) this.#endUnheard();
    else this.#watchClose();
  }

  /** Its turn is over before its answer is made: it goes on by another. */
  endTurn(): void {
    this.#turn?.();
    this.#turn = undefined;
  }

  /** A body that never came whole has no handler that would give the turn back; one that runs goes on to its end. */
  #endUnheard(): void {
    if (this.#isHeard || this.#isLogged) return;
    this.#turn?.();
    this.#log.code = 'client_disconnected';
    this.#logCall(0);
  }

  /**
   * Leaves when the client has gone or a shutdown waits no longer, or at the deadline of the call with what it is told
   * then; sooner where it may wait for `mostMs` only.
   */
  whileWaiting(
    leave: (reason: Error) => void,
    {
      late = noTurn,
      mostMs = Infinity,
    }: { readonly late?: () => Error; readonly mostMs?: number } = {},
  ): void {
    const { clock, activeCalls } = this.#parts;
    const end = beginStretch({ clock, times: this.#times, of: 'waitMs' });
    const unwatch = this.#onceDisconnected(() => leave(new CallAbortedError('client')));
    const stay = activeCalls.onceAborted(() => leave(goingDown()));
    const cancel = this.deadline().onceOver(() => leave(late()));
    const cancelSooner = mostMs === Infinity ? undefined : clock.after(mostMs, () => leave(late()));
    this.#endWait = () => {
      end();
      cancel();
      cancelSooner?.();
      stay();
      unwatch();
    };
  }

  /** How long the call may take; made only where something has to be waited for. */
  deadline(): CallDeadline {
    const { headers } = this.#request;
    const arrivedAt = this.#arrivedAt;
    return deadlineOf({ header: (name) => firstOf(headers[name]), arrivedAt }, this.#parts.clock);
  }

  /** The request as handlers see it. */
  call(isAlso: boolean): PublicCall & Partial<Call> {
    this.#isHeard = true;
    const request = this.#request;
    const { headers } = request;
    return {
      requestId: request.id,
      // Fastify's params are strings, its query an object.
      params: request.params as PublicCall['params'],
      query: request.query as PublicCall['query'],
      // The only parser gives a JsonBody.
      body: request.body as JsonBody,
      isAlso,
      arrivedAt: this.#arrivedAt,
      address: request.ip,
      isHttps: request.protocol === 'https',
      log: this.#log,
      times: this.#times,
      ...this.#verified,
      header: (name) => firstOf(headers[name]),
      hasTwice: (name) => countHeader(request.raw, name) > 1,
      onDisconnect: (callback) => this.#onceDisconnected(callback),
      tellAnyway: (told) => void this.#reply.headers(told),
    };
  }

  /**
   * Answers at once, but for what is large.
   *
   * @throws `rate_limited` for a large answer whose caller has not taken earlier ones.
   */
  answer(answer: Answer): Promise<void> | undefined {
    const { status, body, stream, shared, type = JSON_TYPE, headers } = answer;
    this.#log.code ??= 'ok';
    if (shared !== undefined) return this.#answerShared(answer, shared);
    if (stream !== undefined) {
      this.#turn?.();
      this.#answerStream(answer, this.#counted(answer, stream));
      return undefined;
    }
    const { text = JSON.stringify(body), pieces = () => [text] } = answer;
    const short = shortText(pieces, this.#parts.admission.limits.largeAnswerBytes);
    if (short === undefined) return this.#answerLarge(answer, pieces).finally(() => this.#turn?.());
    this.#turn?.();
    if (headers !== undefined) void this.#reply.headers(headers);
    this.#send(status, type, short);
    this.#holdUnsent();
    this.#logCall(status);
    return undefined;
  }

  /** What is left of a short answer once the system has taken its part counts like a large one, and is cut like one. */
  #holdUnsent(): void {
    const { raw } = this.#reply;
    const sizeBytes = raw.writableLength;
    if (sizeBytes === 0) return;
    const { admission } = this.#parts;
    const end = this.#cutWhenLate(
      admission.holdAnswer(this.#holder(), { sizeBytes, isRepeatable: false }),
    );
    raw.once('close', end);
  }

  /** Whom answers count for until they are read. */
  #holder(): Holder {
    const access = this.#verified?.access;
    if (access !== undefined) return holderOf(access);
    return { caller: `address ${networkOf(this.#request.ip)}`, application: undefined };
  }

  /** Cuts the connection when its client has had its time; what comes back ends that, and releases. */
  #cutWhenLate(release: Release): Release {
    const { socket } = this.#request.raw;
    const cut = setTimeout(
      () => socket.destroy(),
      this.#parts.admission.limits.largeAnswerTimeoutMs,
    ).unref();
    return () => {
      clearTimeout(cut);
      release();
    };
  }

  /** Nobody can make the service hold more by not reading it: all answers share the bytes. */
  async #answerShared(
    { status, type = JSON_TYPE, headers }: Answer,
    shared: SharedText,
  ): Promise<void> {
    const asked = this.#request.headers;
    const told = { 'cache-control': ASK_AGAIN, ...headers, vary: 'accept-encoding' };
    // What is not to be kept has no tag.
    const isKept = told['cache-control'] !== 'no-store';
    if (isKept) void this.#reply.header('etag', shared.tag);
    if (isKept && isHad(shared.tag, asked['if-none-match'])) {
      this.#turn?.();
      void this.#reply.headers(told);
      this.#send(304, type, '');
      this.#logCall(304);
      return;
    }
    const { bytes, encoding } = await shared.encodedFor(asked['accept-encoding']);
    this.#turn?.();
    if (this.#isDisconnected()) return this.#leave();
    const encoded = encoding === undefined ? {} : { 'content-encoding': encoding };
    void this.#reply.headers({ ...told, ...encoded });
    this.#send(status, type, bytes);
    this.#logCall(status);
  }

  /**
   * As bytes, which stay where they are until they have been taken: of a text, the socket would make
   * a copy beside it. They are counted, and freed once the client is cut. They are made in slices of time.
   */
  async #answerLarge(
    { status, type = JSON_TYPE, headers, isRepeatable }: Answer,
    pieces: Pieces,
  ): Promise<void> {
    const { method } = this.#request;
    const { admission } = this.#parts;
    const slices = new TimeSlices();
    const sizeBytes = await slices.finish(sizeOf(pieces));
    if (this.#isDisconnected()) return this.#leave();
    const end = this.#cutWhenLate(
      admission.holdAnswer(this.#holder(), {
        sizeBytes,
        isRepeatable: isRepeatable ?? method === 'GET',
      }),
    );
    this.#onceOver(status, () => {
      end();
      return undefined;
    });
    const bytes = await slices.finish(encode(pieces, sizeBytes));
    if (this.#isDisconnected()) {
      this.#reply.hijack();
      return;
    }
    if (headers !== undefined) void this.#reply.headers(headers);
    this.#send(status, type, bytes);
  }

  /**
   * What is in memory of a stream counts like a large answer until it has been taken, and is cut like one.
   *
   * @throws `rate_limited`.
   */
  #counted(
    { streamBytesHeld = 0, discard }: Answer,
    stream: AsyncIterable<Uint8Array>,
  ): AsyncIterable<Uint8Array> {
    if (streamBytesHeld === 0 || this.#isDisconnected()) return stream;
    try {
      const held = { sizeBytes: streamBytesHeld, isRepeatable: true };
      const end = this.#cutWhenLate(this.#parts.admission.holdAnswer(this.#holder(), held));
      this.#reply.raw.once('close', end);
      return onceTaken(stream, streamBytesHeld, end);
    } catch (error) {
      discard?.();
      throw error;
    }
  }

  #answerStream(
    { status, type = JSON_TYPE, headers, discard }: Answer,
    stream: AsyncIterable<Uint8Array>,
  ): void {
    if (this.#isDisconnected()) {
      discard?.();
      return this.#leave();
    }
    let broken: ErrorCode | undefined;
    const readable = Readable.from(stream);
    readable.once('error', (error: unknown) => {
      // In HTTP/1.0 the end of the connection is that of the answer: of a broken one it must not look like an end.
      if (this.#request.raw.httpVersion === '1.0') this.#request.raw.socket.resetAndDestroy();
      if (error instanceof CallAbortedError && error.reason === 'client') return;
      broken = asConnectorError(error).code;
    });
    this.#onceOver(status, () => {
      // Also where nobody reads it, as in answers to HEAD, whoever makes it learns of the end.
      readable.destroy();
      return broken;
    });
    if (headers !== undefined) void this.#reply.headers(headers);
    this.#send(status, type, readable);
  }

  /** How an answer that takes its time went is known, and logged, once its connection is free or closed. */
  #onceOver(status: number, onOver: () => ErrorCode | undefined): void {
    const { raw } = this.#reply;
    raw.once('close', () => {
      const broken = onOver();
      if (!raw.writableFinished) this.#log.code = broken ?? 'client_disconnected';
      this.#logCall(status);
    });
  }

  fail(error: unknown): void {
    this.#endWait?.();
    this.#turn?.();
    if (error instanceof CallAbortedError && error.reason === 'client') return this.#leave();
    const { code, status, headers, body } = renderProblem(error, this.#request.id);
    this.#log.code = code;
    // Fastify would close the connection of a body that it refuses: whoever still sends may be told that instead of
    // the answer. Node takes what comes, until the request has had its time.
    void this.#reply.removeHeader('connection');
    void this.#reply.headers(headers);
    this.#send(status, PROBLEM_TYPE, body);
    this.#holdUnsent();
    this.#logCall(status, error);
  }

  /** Calls back when the client goes before it has its answer; at once where it has gone already. */
  #onceDisconnected(callback: () => void): () => void {
    if (!this.#isDisconnected()) this.#watchClose();
    else if (!this.#reply.raw.writableEnded) callback();
    this.#onDisconnect.add(callback);
    return () => this.#onDisconnect.delete(callback);
  }

  /** One listener for all who want to know: each of its own would cost every call. */
  #watchClose(): void {
    if (this.#watchesClose) return;
    this.#watchesClose = true;
    const { raw } = this.#reply;
    raw.once('close', () => {
      this.#endUnheard();
      if (!raw.writableEnded) for (const tell of this.#onDisconnect) tell();
    });
  }

  /** Whether the client has gone: an answer would never be over. */
  #isDisconnected(): boolean {
    return this.#reply.raw.destroyed;
  }

  /** Nobody is there to be answered. */
  #leave(): void {
    this.#log.code = 'client_disconnected';
    this.#reply.hijack();
    this.#logCall(0);
  }

  #send(status: number, type: string, payload: string | Buffer | Readable): void {
    const reply = this.#reply;
    if (this.#rateHeaders !== undefined) void reply.headers(this.#rateHeaders);
    if (this.#times !== undefined)
      void reply.header('server-timing', serverTiming(this.#times, this.#elapsedMs()));
    // One kept alive would keep a closing server waiting, and bring calls to one that others should answer.
    const { raw } = this.#request;
    if (this.#parts.isClosing() || isInUnknownChunks(raw)) void reply.header('connection', 'close');
    if (!raw.complete) closeOnceRead(raw);
    // Nothing is of no type; of a redirect, it is a page.
    const isNothing = payload === '' && status !== 303;
    if (!isNothing && status !== 304) void reply.header('content-type', type);
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store');
    void reply
      .code(status)
      .header('x-request-id', this.#request.id)
      .header('x-content-type-options', 'nosniff')
      // Of what is not sent, Fastify would tell a length or a type.
      .send(isNothing || status === 304 ? undefined : payload);
  }

  #elapsedMs(): number {
    return this.#parts.clock.monotonic() - this.#arrivedAt;
  }

  /** One line per call: who, what, outcome, duration; never contents. */
  #logCall(status: number, error?: unknown): void {
    if (this.#isLogged) return;
    this.#isLogged = true;
    const { logger, observer, strangerLines } = this.#parts;
    const { method, id, ip, routeOptions } = this.#request;
    const log = this.#log;
    const durationMs = this.#elapsedMs();
    const access = this.#verified?.access;
    const own =
      access === undefined || access.type === 'operator' ? undefined : access.applicationId;
    const applicationId = own ?? log.applicationId;
    observer?.onCall({ route: routeOptions.url, method, durationMs, applicationId, log });
    const level = levelOf(status, routeOptions.url, error);
    if (!logger.isLevelEnabled(level)) return;
    // Of status 0 is whoever has left.
    const isUnservedStranger = access === undefined && (status === 0 || status >= 400);
    if (isUnservedStranger && !strangerLines.takeLine()) return;
    // Where others had all turns, there is nothing to look into.
    const isNotReady = isConnectorError(error, 'not_ready') && error.cause !== undefined;
    const hasStack = status === 500 || isNotReady;
    logger[level](
      {
        request_id: id,
        method,
        route: routeOptions.url,
        status,
        code: log.code,
        duration_ms: Math.round(durationMs),
        address: loggableAddress(ip),
        application_id: applicationId,
        operator: access?.type === 'operator' ? true : log.isOperator,
        external_user_id:
          access?.type === 'scoped' ? loggableText(access.externalUserId) : undefined,
        connector_id: log.connectorId === undefined ? undefined : loggableText(log.connectorId),
        entity: log.entity,
        action: log.action,
        tool: log.tool,
        replayed: log.isReplayed,
        client_id: log.clientId,
        err: hasStack ? error : undefined,
      },
      'call',
    );
  }
}

/** Calls back once so many bytes of a stream have been taken. */
async function* onceTaken(
  stream: AsyncIterable<Uint8Array>,
  sizeBytes: number,
  callback: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  let taken = 0;
  for await (const chunk of stream) {
    yield chunk;
    taken += chunk.length;
    if (taken >= sizeBytes) callback();
  }
}

/** What strangers are told, who have asked for one thing only. */
export function noTurnOfStranger(): ConnectorError<'not_ready'> {
  return new ConnectorError(
    'not_ready',
    { retryAfterSeconds: 1 },
    { message: 'Other calls without a token were under way until the deadline; nothing was done.' },
  );
}

export function goingDown(): ConnectorError<'not_ready'> {
  return new ConnectorError(
    'not_ready',
    { retryAfterSeconds: 5 },
    { message: 'The service is going down; try again in a moment.' },
  );
}

function noTurn(): ConnectorError<'rate_limited'> {
  return new ConnectorError(
    'rate_limited',
    { retryAfterSeconds: 1 },
    { message: 'Other calls were under way until the deadline; ask for fewer at once.' },
  );
}

function levelOf(
  status: number,
  url: string | undefined,
  error: unknown,
): 'debug' | 'info' | 'warn' | 'error' {
  if (status === 500) return 'error';
  // No caller can do anything about the database, such as about its full disk.
  if (isStoreError(error) || (isConnectorError(error) && isStoreError(error.cause))) return 'warn';
  return url !== undefined && ASKED_OFTEN.has(url) ? 'debug' : 'info';
}

/** By machines, every few seconds. */
const ASKED_OFTEN = new Set(['/healthz', '/readyz', '/metrics']);

function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/**
 * In chunks, which HTTP/1.0 does not know: whoever passed it on may have seen its end elsewhere.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-6.1
 */
function isInUnknownChunks({ httpVersion, headers }: FastifyRequest['raw']): boolean {
  return httpVersion === '1.0' && headers['transfer-encoding'] !== undefined;
}
