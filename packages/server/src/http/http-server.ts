import { Readable } from 'node:stream';
import type { Socket } from 'node:net';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ConnectorError, type Clock, type ErrorCode } from '@patchbay/connectors';
import type { VerifiedToken } from '../access/access.ts';
import type { Gate } from '../access/gate.ts';
import type { RateLimit } from '../access/rate-limit.ts';
import { needsToken, requireReach } from '../access/reach.ts';
import type { CallLog } from '../call-log.ts';
import { asConnectorError } from '../known-error.ts';
import type { Logger } from '../log.ts';
import { CallAbortedError } from '../operations/active-calls.ts';
import { newUuid } from '../uuid.ts';
import { clientErrorAnswer } from './client-error.ts';
import { fromFastifyError } from './fastify-errors.ts';
import { parseJsonBody, type JsonBody } from './json-body.ts';
import { PathTable } from './path-table.ts';
import { PROBLEM_TYPE, renderProblem, type Problem } from './problem.ts';
import type { Answer, Call, PublicCall, Route } from './route.ts';

/** Bounds of what a client may send. */
export interface HttpLimits {
  readonly maxBodyBytes: number;
  readonly maxHeaderBytes: number;
  /** Longest time until the headers, and until the whole request, is there. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How often slow requests are looked for. */
  readonly timeoutCheckIntervalMs: number;
}

/** @see docs/wire.md#limits */
export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  maxBodyBytes: 1_048_576,
  maxHeaderBytes: 16_384,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 30_000,
  timeoutCheckIntervalMs: 5_000,
};

export interface HttpServerParts {
  readonly routes: readonly Route[];
  readonly gate: Gate;
  readonly rateLimit: RateLimit | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: HttpLimits;
  /** Whether the service is going down and takes no more calls. */
  readonly isClosing: () => boolean;
}

/** What is known of a request besides Fastify's part. */
interface RequestState {
  readonly startedAt: number;
  readonly log: CallLog;
  /** Why a stream broke in the middle of an answer. */
  streamError?: ErrorCode;
  verified?: VerifiedToken;
  rateHeaders?: Readonly<Record<string, string>>;
}

declare module 'fastify' {
  interface FastifyRequest {
    patchbay: RequestState | null;
  }
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Makes the HTTP server of the routes: Fastify parses and routes, everything else is ours. */
export function makeHttpServer(parts: HttpServerParts): FastifyInstance {
  const { limits, clock } = parts;
  const app = fastify({
    logger: false,
    genReqId: () => newUuid(clock.now()),
    bodyLimit: limits.maxBodyBytes,
    requestTimeout: limits.requestTimeoutMs,
    forceCloseConnections: 'idle',
    // Its own 503 is no problem+json; `guard` below gives one.
    return503OnClosing: false,
    http: {
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.timeoutCheckIntervalMs,
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: limits.maxHeaderBytes },
    clientErrorHandler: (error, socket) => answerClientError(parts, error, socket),
    frameworkErrors: (error, request, reply) => {
      sendError(parts, request, reply, fromFastifyError(error));
    },
  });
  app.decorateRequest('patchbay', null);
  acceptJsonOnly(app, limits);
  app.setErrorHandler((error, request, reply) => {
    // No route takes QUERY, which Fastify refuses before it looks for one.
    if (isMissingContentType(error)) return answerNoRoute(request, reply);
    // The client went before its body was here.
    const isLeft = request.raw.destroyed && !request.raw.complete;
    const told = isLeft ? new CallAbortedError('client') : fromFastifyError(error);
    sendError(parts, request, reply, told);
  });
  const paths = new PathTable(parts.routes);
  const answerNoRoute = (request: FastifyRequest, reply: FastifyReply) => {
    const methods = paths.methodsOf(request.url);
    if (methods.length === 0) sendError(parts, request, reply, routeNotFound());
    else {
      void reply.header('allow', methods.join(', '));
      sendError(parts, request, reply, methodNotAllowed(methods));
    }
  };
  app.setNotFoundHandler(answerNoRoute);
  // Node would answer 417 by itself; a server may as well ignore what it does not know.
  app.server.on('checkExpectation', (request, response) => {
    app.server.emit('request', request, response);
  });
  for (const route of parts.routes) addRoute(app, route, parts);
  return app;
}

/** Checks are ours: bodies become values or `malformed_json`, and nothing is coerced. */
function acceptJsonOnly(app: FastifyInstance, limits: HttpLimits): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/json(?:\s*;\s*charset="?utf-?8"?)?\s*;?\s*$/i,
    { parseAs: 'buffer', bodyLimit: limits.maxBodyBytes },
    (_request, bytes, done) => {
      try {
        // `parseAs: 'buffer'` gives a Buffer.
        done(null, parseJsonBody(bytes as Buffer));
      } catch (error) {
        // `parseJsonBody` throws ConnectorErrors.
        done(error as ConnectorError);
      }
    },
  );
}

function addRoute(app: FastifyInstance, route: Route, parts: HttpServerParts): void {
  const alsoPaths = route.also ?? [];
  for (const url of [route.path, ...alsoPaths]) {
    const isAlso = url !== route.path;
    app.route({
      method: route.method,
      url,
      onRequest: (request, reply, done) => guard(route, parts, request, reply, done),
      handler: async (request, reply) => {
        const answer = await handle(route, callOf(request, reply, isAlso));
        sendAnswer(parts, request, reply, answer);
        return reply;
      },
    });
  }
}

/** Judges the token before anything of the body is read. */
function guard(
  route: Route,
  parts: HttpServerParts,
  request: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const state = stateOf(request, parts);
  try {
    if (parts.isClosing() && route.reach !== 'public') throw closing();
    if (!needsToken(route.reach)) return done();
    const verified = parts.gate.admit(request.headers.authorization);
    if (!(verified instanceof Promise)) {
      enter(route, parts, state, verified);
      return done();
    }
    verified
      .then((each) => enter(route, parts, state, each))
      .then(
        // A hook that is a promise would cost every call one, so it goes on by Fastify's callback.
        // oxlint-disable-next-line promise/no-callback-in-promise -- Fastify's way to go on
        () => done(),
        // oxlint-disable-next-line promise/no-callback-in-promise -- likewise
        (error: Error) => done(error),
      );
  } catch (error) {
    // Everything thrown in there is an Error.
    done(error as Error);
  }
}

function enter(
  route: Route,
  parts: HttpServerParts,
  state: RequestState,
  verified: VerifiedToken,
): void {
  const { access } = verified;
  state.verified = verified;
  const taken = parts.rateLimit?.take(access.applicationId);
  if (taken !== undefined) state.rateHeaders = taken.headers;
  if (taken?.error !== undefined) throw taken.error;
  requireReach(route.reach, access);
}

function handle(route: Route, call: PublicCall & Partial<Call>): Answer | Promise<Answer> {
  if (route.reach === 'public') return route.handle(call);
  // `guard` has admitted the request, or it would not have come here.
  return route.handle(call as Call);
}

function callOf(
  request: FastifyRequest,
  reply: FastifyReply,
  isAlso: boolean,
): PublicCall & Partial<Call> {
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
    log: request.patchbay?.log ?? {},
    ...request.patchbay?.verified,
    header: (name) => firstOf(headers[name]),
    onDisconnect: (callback) => {
      const { raw } = reply;
      const onClose = () => {
        if (!raw.writableEnded) callback();
      };
      raw.once('close', onClose);
      return () => raw.off('close', onClose);
    },
  };
}

function stateOf(request: FastifyRequest, { clock }: HttpServerParts): RequestState {
  return (request.patchbay ??= { startedAt: clock.now(), log: {} });
}

function sendAnswer(
  parts: HttpServerParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { status, body, text, stream, type, headers }: Answer,
): void {
  const state = stateOf(request, parts);
  state.log.code ??= 'ok';
  if (headers !== undefined) void reply.headers(headers);
  send(parts, request, reply, {
    state,
    status,
    type: type ?? JSON_TYPE,
    text:
      stream === undefined
        ? (text ?? JSON.stringify(body))
        : readableOf(stream, reply, (error) => {
            if (error instanceof CallAbortedError && error.reason === 'client') return;
            state.streamError = asConnectorError(error).code;
          }),
  });
  if (stream === undefined) return logCall(parts, request, status);
  // How a stream went is known at its end only.
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) state.log.code = state.streamError ?? 'client_disconnected';
    logCall(parts, request, status);
  });
}

/** A failure in the middle cuts the connection, which is all that can still be said. */
function readableOf(
  stream: AsyncIterable<Uint8Array>,
  reply: FastifyReply,
  onError: (error: unknown) => void,
): Readable {
  const readable = Readable.from(stream);
  readable.once('error', onError);
  // Also where nobody reads it, as in answers to HEAD, whoever makes it learns of the end.
  reply.raw.once('close', () => readable.destroy());
  return readable;
}

function sendError(
  parts: HttpServerParts,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): void {
  const state = stateOf(request, parts);
  if (error instanceof CallAbortedError && error.reason === 'client') {
    // Nobody is there to be answered.
    state.log.code = 'client_disconnected';
    reply.hijack();
    return logCall(parts, request, 0);
  }
  const problem: Problem = renderProblem(error, request.id);
  state.log.code = problem.code;
  void reply.headers(problem.headers);
  send(parts, request, reply, {
    state,
    status: problem.status,
    type: PROBLEM_TYPE,
    text: problem.body,
  });
  logCall(parts, request, problem.status, error);
}

function send(
  parts: HttpServerParts,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: {
    readonly state: RequestState;
    readonly status: number;
    readonly type: string;
    readonly text: string | Readable;
  },
): void {
  const { state } = answer;
  if (state.rateHeaders !== undefined) void reply.headers(state.rateHeaders);
  // A connection kept alive would keep a closing server waiting.
  if (parts.isClosing()) void reply.header('connection', 'close');
  if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store');
  void reply
    .code(answer.status)
    .header('x-request-id', request.id)
    .header('x-content-type-options', 'nosniff')
    .header('content-type', answer.type)
    .send(answer.text);
}

/** One line per call: who, what, outcome, duration; never contents. */
function logCall(
  parts: HttpServerParts,
  request: FastifyRequest,
  status: number,
  error?: unknown,
): void {
  const { startedAt, log, verified } = stateOf(request, parts);
  const access = verified?.access;
  const level = levelOf(status, request.routeOptions.url);
  if (!parts.logger.isLevelEnabled(level)) return;
  const hasStack = status === 500 || log.code === 'not_ready';
  parts.logger[level](
    {
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url,
      status,
      code: log.code,
      duration_ms: parts.clock.now() - startedAt,
      application_id: access?.applicationId,
      external_user_id: access?.type === 'scoped' ? access.externalUserId : undefined,
      connector_id: log.connectorId,
      entity: log.entity,
      action: log.action,
      tool: log.tool,
      replayed: log.isReplayed,
      err: hasStack ? error : undefined,
    },
    'call',
  );
}

function levelOf(status: number, url: string | undefined): 'debug' | 'info' | 'error' {
  if (status === 500) return 'error';
  return url === '/healthz' || url === '/readyz' ? 'debug' : 'info';
}

/** Answers what Node's HTTP parser refuses, which never becomes a request. */
function answerClientError(
  { clock, logger }: HttpServerParts,
  error: Error & { readonly code?: string },
  socket: Socket,
): void {
  const answer = clientErrorAnswer(error, newUuid(clock.now()));
  const isMidAnswer = hasBegunAnswer(socket);
  if (answer === undefined || isMidAnswer || !socket.writable) {
    socket.destroy();
    return;
  }
  logger.info({ request_id: answer.requestId, status: answer.status, code: answer.code }, 'call');
  socket.end(answer.bytes);
}

/** Bytes between those of an answer that is under way would garble it. */
function hasBegunAnswer(socket: Socket): boolean {
  // Node keeps the answer under way there, and its own default handler looks at the same place.
  const message: unknown = Reflect.get(socket, '_httpMessage');
  return (
    typeof message === 'object' &&
    message !== null &&
    'headersSent' in message &&
    message.headersSent === true
  );
}

function isMissingContentType(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    error.code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE'
  );
}

function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function closing(): ConnectorError<'not_ready'> {
  return new ConnectorError(
    'not_ready',
    { retryAfterSeconds: 5 },
    { message: 'The service is going down; try again in a moment.' },
  );
}

function routeNotFound(): ConnectorError<'route_not_found'> {
  return new ConnectorError(
    'route_not_found',
    {},
    { message: 'There is no such route; /docs lists them.' },
  );
}

function methodNotAllowed(methods: readonly string[]): ConnectorError<'method_not_allowed'> {
  return new ConnectorError(
    'method_not_allowed',
    {},
    { message: `The route takes ${methods.join(', ')}.` },
  );
}
