import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock, ErrorCode } from '@patchbay/connectors';
import type { VerifiedToken } from '../access/access.ts';
import type { RateHeaders } from '../access/rate-limit.ts';
import type { CallLog } from '../call-log.ts';
import { asConnectorError } from '../known-error.ts';
import type { Logger } from '../log.ts';
import { CallAbortedError } from '../operations/active-calls.ts';
import type { JsonBody } from './json-body.ts';
import { PROBLEM_TYPE, renderProblem } from './problem.ts';
import type { Answer, Call, PublicCall } from './route.ts';

export interface ExchangeParts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether the service is going down and takes no more calls. */
  readonly isClosing: () => boolean;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** One request and its answer, which is sent and logged here, whatever it is. */
export class Exchange {
  readonly #parts: ExchangeParts;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #startedAt: number;
  readonly #log: CallLog = {};
  #verified: VerifiedToken | undefined;
  #rateHeaders: RateHeaders | undefined;

  constructor(parts: ExchangeParts, request: FastifyRequest, reply: FastifyReply) {
    this.#parts = parts;
    this.#request = request;
    this.#reply = reply;
    this.#startedAt = parts.clock.now();
  }

  /** Who asks, as far as that is known; later answers say so in the log. */
  admit(verified: VerifiedToken): void {
    this.#verified = verified;
  }

  /** What the answer says of the rate limit. */
  tellRate(headers: RateHeaders): void {
    this.#rateHeaders = headers;
  }

  /** The request as handlers see it. */
  call(isAlso: boolean): PublicCall & Partial<Call> {
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
      address: request.ip,
      log: this.#log,
      ...this.#verified,
      header: (name) => firstOf(headers[name]),
      onDisconnect: (callback) => {
        const { raw } = this.#reply;
        const onClose = () => {
          if (!raw.writableEnded) callback();
        };
        raw.once('close', onClose);
        return () => raw.off('close', onClose);
      },
    };
  }

  answer({ status, body, text, stream, type = JSON_TYPE, headers }: Answer): void {
    this.#log.code ??= 'ok';
    if (headers !== undefined) void this.#reply.headers(headers);
    if (stream === undefined) {
      this.#send(status, type, text ?? JSON.stringify(body));
      return this.#logCall(status);
    }
    let broken: ErrorCode | undefined;
    const onError = (error: unknown) => {
      if (error instanceof CallAbortedError && error.reason === 'client') return;
      broken = asConnectorError(error).code;
    };
    const { raw } = this.#reply;
    this.#send(status, type, readableOf(stream, raw, onError));
    // How a stream went is known at its end only.
    raw.once('close', () => {
      if (!raw.writableFinished) this.#log.code = broken ?? 'client_disconnected';
      this.#logCall(status);
    });
  }

  fail(error: unknown): void {
    if (error instanceof CallAbortedError && error.reason === 'client') {
      // Nobody is there to be answered.
      this.#log.code = 'client_disconnected';
      this.#reply.hijack();
      return this.#logCall(0);
    }
    const { code, status, headers, body } = renderProblem(error, this.#request.id);
    this.#log.code = code;
    void this.#reply.headers(headers);
    this.#send(status, PROBLEM_TYPE, body);
    this.#logCall(status, error);
  }

  #send(status: number, type: string, payload: string | Readable): void {
    const reply = this.#reply;
    if (this.#rateHeaders !== undefined) void reply.headers(this.#rateHeaders);
    // A connection kept alive would keep a closing server waiting.
    if (this.#parts.isClosing()) void reply.header('connection', 'close');
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store');
    void reply
      .code(status)
      .header('x-request-id', this.#request.id)
      .header('x-content-type-options', 'nosniff')
      .header('content-type', type)
      .send(payload);
  }

  /** One line per call: who, what, outcome, duration; never contents. */
  #logCall(status: number, error?: unknown): void {
    const { clock, logger } = this.#parts;
    const { method, id, routeOptions } = this.#request;
    const level = levelOf(status, routeOptions.url);
    if (!logger.isLevelEnabled(level)) return;
    const log = this.#log;
    const access = this.#verified?.access;
    const hasStack = status === 500 || log.code === 'not_ready';
    logger[level](
      {
        request_id: id,
        method,
        route: routeOptions.url,
        status,
        code: log.code,
        duration_ms: clock.now() - this.#startedAt,
        application_id: access?.applicationId,
        external_user_id: access?.type === 'scoped' ? access.externalUserId : undefined,
        connector_id: log.connectorId,
        entity: log.entity,
        action: log.action,
        tool: log.tool,
        replayed: log.isReplayed,
        client_id: log.clientId,
        address: log.address,
        err: hasStack ? error : undefined,
      },
      'call',
    );
  }
}

/** A failure in the middle cuts the connection, which is all that can still be said. */
function readableOf(
  stream: AsyncIterable<Uint8Array>,
  raw: FastifyReply['raw'],
  onError: (error: unknown) => void,
): Readable {
  const readable = Readable.from(stream);
  readable.once('error', onError);
  // Also where nobody reads it, as in answers to HEAD, whoever makes it learns of the end.
  raw.once('close', () => readable.destroy());
  return readable;
}

function levelOf(status: number, url: string | undefined): 'debug' | 'info' | 'error' {
  if (status === 500) return 'error';
  return url === '/healthz' || url === '/readyz' ? 'debug' : 'info';
}

function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
