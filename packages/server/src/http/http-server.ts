import type { Socket } from 'node:net';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ConnectorError } from '@patchbay/connectors';
import type { VerifiedToken } from '../access/access.ts';
import type { Admission, StrangersWait } from '../admission/admission.ts';
import type { Applications } from '../access/applications.ts';
import type { Gate } from '../access/gate.ts';
import { isOfOneApplication, needsToken, requireReach } from '../access/reach.ts';
import { isWithin } from '../network-of.ts';
import { CallAbortedError } from '../operations/active-calls.ts';
import { newUuid } from '../uuid.ts';
import { clientErrorAnswer, notHttp } from './client-error.ts';
import { Exchange, goingDown, noTurnOfStranger, type ExchangeParts } from './exchange.ts';
import { fromFastifyError } from './fastify-errors.ts';
import { countHeader } from './header-count.ts';
import {
  LARGE_BYTES,
  malformed,
  MAX_VALUES,
  MAX_VALUES_OF_STRANGER,
  readJsonBody,
} from './json-body.ts';
import { inPlaceOfApplication } from './in-place-of-application.ts';
import { loggableAddress } from './loggable-address.ts';
import { PathTable, takesHead } from './path-table.ts';
import { responseUnderWay, whenItsTurn } from '../pipeline.ts';
import { RequestInPieces } from '../request-in-pieces.ts';
import { refuseMembers } from './require-body.ts';
import { routeNotFound } from './route-not-found.ts';
import type { Answer, Call, PublicCall, PublicRoute, Route } from './route.ts';

/** Bounds of what a client may send, and how long it may take. */
export interface HttpLimits {
  readonly maxBodyBytes: number;
  readonly maxHeaderBytes: number;
  /** Longest time until the headers, and until the whole request, is there. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How often slow requests are looked for. */
  readonly timeoutCheckIntervalMs: number;
  /** A client that has an answer to read and takes nothing of it for this long is cut. */
  readonly writeIdleTimeoutMs: number;
}

/** @see docs/wire.md#limits */
export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  maxBodyBytes: 1_048_576,
  maxHeaderBytes: 16_384,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 30_000,
  timeoutCheckIntervalMs: 5_000,
  writeIdleTimeoutMs: 30_000,
};

export interface HttpServerParts extends ExchangeParts {
  readonly routes: readonly Route[];
  readonly gate: Gate;
  readonly applications: Pick<Applications, 'accessOf'>;
  readonly limits: HttpLimits;
  readonly trustedProxies: TrustedProxies | undefined;
  /** Whether calls are answered still: those that drain the service are while it is going down. */
  readonly takesCalls: () => boolean;
}

/** How many proxies stand before the service, or their addresses; what they say of a client's is believed. */
export type TrustedProxies = number | readonly string[];

declare module 'fastify' {
  interface FastifyRequest {
    patchbay: Exchange | null;
  }
}

/** Makes the HTTP server of the routes: Fastify parses and routes, everything else is ours. */
export function makeHttpServer(parts: HttpServerParts): FastifyInstance {
  const { limits, clock, trustedProxies } = parts;
  const app = fastify({
    logger: false,
    genReqId: () => newUuid(clock.now()),
    bodyLimit: limits.maxBodyBytes,
    trustProxy: trustProxy(trustedProxies),
    requestTimeout: limits.requestTimeoutMs,
    connectionTimeout: limits.writeIdleTimeoutMs,
    forceCloseConnections: 'idle',
    // Its own 503 is no problem+json; `guard` below gives one.
    return503OnClosing: false,
    http: {
      maxHeaderSize: limits.maxHeaderBytes,
      IncomingMessage: RequestInPieces,
      // Its own 400 is no problem+json; `requireHost` below gives one.
      requireHostHeader: false,
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.timeoutCheckIntervalMs,
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: limits.maxHeaderBytes },
    clientErrorHandler: (error, socket) => answerClientError(parts, error, socket),
    // Of paths that cannot be read, for which there are no hooks.
    frameworkErrors: (error, request, reply) => {
      piecesOf(request).boundAsStrangers();
      whenItsTurn(request.raw, reply.raw, () =>
        exchangeOf(parts, request, reply).fail(fromFastifyError(error)),
      );
    },
  });
  app.decorateRequest('patchbay', null);
  app.addHook('onRequest', (request, reply, done) => whenItsTurn(request.raw, reply.raw, done));
  // A client that has reset its connection has no address any more; Node keeps one that it was asked for.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.raw.socket.remoteAddress !== undefined) done();
    else exchangeOf(parts, request, reply).fail(new CallAbortedError('client'));
  });
  app.addHook('onRequest', requireHost);
  acceptJsonOnly(app, limits);
  app.setErrorHandler((error, request, reply) => {
    // No route takes QUERY, which Fastify refuses before it looks for one.
    if (isMissingContentType(error)) return answerNoRoute(request, reply);
    // The client went before its body was here.
    const isLeft = request.raw.destroyed && !request.raw.complete;
    const told = isLeft ? new CallAbortedError('client') : fromFastifyError(error);
    exchangeOf(parts, request, reply).fail(told);
  });
  const paths = new PathTable(parts.routes);
  const answerNoRoute = (request: FastifyRequest, reply: FastifyReply) => {
    const methods = paths.methodsOf(request.url);
    if (methods.length === 0) exchangeOf(parts, request, reply).fail(routeNotFound());
    else {
      void reply.header('allow', methods.join(', '));
      exchangeOf(parts, request, reply).fail(methodNotAllowed(methods));
    }
  };
  // Before its body is read.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) answerNoRoute(request, reply);
    else done();
  });
  // Node would answer 417 by itself; a server may as well ignore what it does not know.
  app.server.on('checkExpectation', (request, response) => {
    app.server.emit('request', request, response);
  });
  app.server.on('timeout', (socket: Socket) => cutIfIdle(parts, socket));
  for (const route of parts.routes) addRoute(app, route, parts);
  return app;
}

/** Fastify takes a number for none, since it cannot tell who is near: that is the operator's to know. */
function trustProxy(
  trusted: TrustedProxies | undefined,
): false | ((address: string, hop: number) => boolean) {
  if (trusted === undefined) return false;
  return typeof trusted === 'number' ? (_, hop) => hop < trusted : isWithin(trusted);
}

/** Checks are ours: bodies become values or `malformed_json`, and nothing is coerced. */
function acceptJsonOnly(app: FastifyInstance, limits: HttpLimits): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/json(?:\s*;\s*charset="?utf-?8"?)?\s*;?\s*$/i,
    { parseAs: 'buffer', bodyLimit: limits.maxBodyBytes },
    (request: FastifyRequest, bytes: Buffer) => {
      const coding = request.headers['content-encoding'] ?? 'identity';
      if (!/^identity$/i.test(coding)) throw malformed('send it without a Content-Encoding');
      return readJsonBody(
        bytes,
        piecesOf(request).isOfStranger ? MAX_VALUES_OF_STRANGER : MAX_VALUES,
      );
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
      exposeHeadRoute: takesHead(route),
      onRequest: (request, reply, done) => {
        guard(route, parts, { exchange: exchangeOf(parts, request, reply), request, reply, done });
      },
      handler: async (request, reply) => {
        const exchange = exchangeOf(parts, request, reply);
        const answer =
          route.reach === 'public' && route.waitsFor !== undefined
            ? await handleOfStranger(route, parts, { exchange, request, isAlso })
            : await handle(route, parts, exchange.call(isAlso));
        const answering = exchange.answer(answer);
        if (answering !== undefined) await answering;
        return reply;
      },
    });
  }
}

/** Judges the token before anything of the body is read. */
function guard(
  route: Route,
  parts: HttpServerParts,
  {
    exchange,
    request,
    reply,
    done,
  }: {
    readonly exchange: Exchange;
    readonly request: FastifyRequest;
    readonly reply: FastifyReply;
    readonly done: (error?: Error) => void;
  },
): void {
  const { admission, limits } = parts;
  const hasLargeBody = mayBeLarge(request.headers);
  // Meanwhile it counts as being sent: of the time for that, something has to be left to send it in.
  const waiting = hasLargeBody ? { mostMs: limits.requestTimeoutMs / 2 } : {};
  const enter = (verified: VerifiedToken): void | Promise<void> => {
    const { access } = verified;
    exchange.admit(verified);
    const rate = admission.countCall(access);
    if (rate !== undefined) exchange.tellRate(rate.headers);
    if (route.isBeyondRateLimit !== true) admission.requireWithinRate(rate);
    requireReach(route.reach, access);
    const turn = admission.enter(
      access,
      (leave) => exchange.whileWaiting(leave, waiting),
      hasLargeBody,
    );
    return turn instanceof Promise
      ? turn.then((release) => exchange.begin(release))
      : exchange.begin(turn);
  };
  if (route.tellsTimes === true) exchange.tellTimes();
  try {
    if (!parts.takesCalls() && route.reach !== 'public') throw goingDown();
    if (!needsToken(route.reach)) {
      boundBody(admission, request, reply);
      return done();
    }
    const verified = parts.gate.admit(request.headers.authorization, request.ip);
    const entered =
      verified instanceof Promise
        ? exchange.deadline().within(verified).then(enter)
        : enter(verified);
    if (entered === undefined) return done();
    entered.then(
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

/**
 * Counts a large body of a stranger: before it is read, or, of one in chunks, when it proves to be large; there is no
 * answer to half a body, so that its client is cut then.
 *
 * @throws `rate_limited`.
 */
function boundBody(admission: Admission, request: FastifyRequest, reply: FastifyReply) {
  const { headers, ip } = request;
  const raw = piecesOf(request);
  const take = () => {
    reply.raw.once('close', admission.takeLargeBody(ip));
  };
  raw.boundAsStrangers();
  if (Number(headers['content-length']) > LARGE_BYTES) take();
  else if (headers['transfer-encoding'] !== undefined)
    raw.onceLarger(LARGE_BYTES, () => {
      try {
        take();
      } catch (error) {
        // Thrown is nothing but an Error.
        raw.destroy(error as Error);
      }
    });
}

/** Whether a body is large, as far as its headers tell: one in chunks may be. */
function mayBeLarge(headers: FastifyRequest['headers']): boolean {
  return (
    Number(headers['content-length']) > LARGE_BYTES || headers['transfer-encoding'] !== undefined
  );
}

function piecesOf({ raw }: FastifyRequest): RequestInPieces {
  if (raw instanceof RequestInPieces) return raw;
  throw new Error('the server makes its requests of another class');
}

/**
 * Handles a call when it is its turn among strangers, once its body is here: whoever sends slowly keeps nobody
 * waiting. The database is asked by a turn for that, also for a call that goes on to an upstream.
 */
async function handleOfStranger(
  route: PublicRoute,
  parts: HttpServerParts,
  {
    exchange,
    request,
    isAlso,
  }: { readonly exchange: Exchange; readonly request: FastifyRequest; readonly isAlso: boolean },
): Promise<Answer> {
  const { admission } = parts;
  const { waitsFor = 'database' } = route;
  const takeTurn = async (of: StrangersWait) =>
    exchange.begin(
      await admission.enterStranger(request.ip, of, (leave) =>
        exchange.whileWaiting(leave, { late: noTurnOfStranger }),
      ),
    );
  if (route.lookUp !== undefined) {
    await takeTurn('database');
    const end = await route.lookUp(exchange.call(isAlso));
    if (end !== undefined) return end;
    exchange.endTurn();
  }
  await takeTurn(waitsFor);
  return handle(route, parts, exchange.call(isAlso));
}

function handle(
  route: Route,
  { applications }: HttpServerParts,
  call: PublicCall & Partial<Call>,
): Answer | Promise<Answer> {
  const { body, isQueryInBody } = route.doc;
  if (body === undefined && isQueryInBody !== true) refuseMembers(call);
  if (route.reach === 'public') return route.handle(call);
  // `guard` has admitted the request, or it would not have come here.
  const admitted = call as Call;
  if (!isOfOneApplication(route.reach)) return route.handle(admitted);
  return inPlaceOfApplication(admitted, applications).then((each) => route.handle(each));
}

function exchangeOf(
  parts: HttpServerParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Exchange {
  return (request.patchbay ??= new Exchange(parts, request, reply));
}

/** Answers what Node's HTTP parser refuses, which never becomes a request. */
function answerClientError(
  { clock, logger, observer, strangerLines }: HttpServerParts,
  error: Error & { readonly code?: string },
  socket: Socket,
): void {
  const answer = clientErrorAnswer(error, newUuid(clock.now()));
  const isMidAnswer = hasBegunAnswer(socket);
  if (answer === undefined || isMidAnswer || !socket.writable) {
    socket.destroy();
    return;
  }
  const { requestId, status, code } = answer;
  // Before a request there is no header that a proxy could say the client's address in.
  const address = loggableAddress(socket.remoteAddress);
  const applicationId = undefined;
  observer?.onCall({ route: undefined, method: '', durationMs: 0, applicationId, log: { code } });
  if (strangerLines.takeLine())
    logger.info({ request_id: requestId, status, code, address }, 'call');
  // Whoever sends on and never ends is not waited for.
  socket.end(answer.bytes, () => setTimeout(() => socket.destroy(), LINGER_MS).unref());
}

/** How long a client that was refused may still take its answer. */
const LINGER_MS = 1_000;

/**
 * Node tells of a connection on which nothing has moved for a while: it stands idle between calls, its
 * client does not take what is there for it, or, which is no reason to cut it, waits for us.
 */
function cutIfIdle({ logger }: HttpServerParts, socket: Socket): void {
  const isUnread = socket.writableLength > 0;
  if (!isUnread && responseUnderWay(socket) !== undefined) return;
  if (isUnread)
    logger.info({ unread_bytes: socket.writableLength }, 'A client that read nothing was cut.');
  socket.destroy();
}

/** @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2 */
function requireHost(
  { raw }: FastifyRequest,
  _: FastifyReply,
  done: (error?: Error) => void,
): void {
  const hosts = countHeader(raw, 'host');
  if (hosts > 1) done(notHttp('it has more than one Host header'));
  else
    done(hosts === 0 && raw.httpVersion === '1.1' ? notHttp('it has no Host header') : undefined);
}

/** Bytes between those of an answer that is under way would garble it. */
function hasBegunAnswer(socket: Socket): boolean {
  return responseUnderWay(socket)?.headersSent === true;
}

function isMissingContentType(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    error.code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE'
  );
}

function methodNotAllowed(methods: readonly string[]): ConnectorError<'method_not_allowed'> {
  return new ConnectorError(
    'method_not_allowed',
    {},
    { message: `The route takes ${methods.join(', ')}.` },
  );
}
