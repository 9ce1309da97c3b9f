import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import type { FaultBoard, FaultPlan, Hang } from './fault-board.ts';
import { headerNames, loggableParams } from './request-log.ts';
import type { OpenLogEntry, RequestLog, RequestLogEntry } from './request-log.ts';
import type {
  IncomingRequest,
  StreamedBody,
  Upstream,
  UpstreamAnswer,
  UpstreamCall,
} from './upstream.ts';

/** What answering a request needs from the sandbox around it. */
export interface ExchangeContext {
  readonly board: FaultBoard;
  readonly log: RequestLog;
  readonly clock: () => number;
  readonly onRequest: ((entry: RequestLogEntry) => void) | undefined;
  /** Aborted when the sandbox closes, so that no delay outlives it. */
  readonly closing: AbortSignal;
}

/** One request on its way to its answer. */
export interface Exchange {
  readonly request: IncomingRequest;
  readonly rawPath: string;
  readonly rawHeaders: readonly string[];
  readonly response: ServerResponse;
}

interface Caught<Call extends UpstreamCall> {
  readonly upstream: Upstream<Call>;
  readonly call: Call;
  readonly plan: FaultPlan;
  readonly response: ServerResponse;
  readonly closing: AbortSignal;
}

/** The status that was sent, or null when the connection was cut instead of answered. */
type Outcome = number | null;

const DEFAULT_OVERSIZE_BYTES = 50_000_000;
const OVERSIZE_CHUNK = Buffer.alloc(65_536, 'x');

/** Reads, logs and answers one request, with whatever faults it meets. */
export async function serveExchange<Call extends UpstreamCall>(
  upstream: Upstream<Call>,
  exchange: Exchange,
  context: ExchangeContext,
): Promise<void> {
  const { response } = exchange;
  const call = upstream.read(exchange.request);
  const nowMs = context.clock();
  // Times that it tells are by its own clock.
  response.setHeader('date', new Date(nowMs).toUTCString());
  const entry = openEntry(exchange, call, nowMs);
  context.log.add(entry);
  const end = upstream.begin?.(call);
  if (end !== undefined) response.once('close', end);
  const plan = context.board.plan(call);
  if (plan === undefined) {
    entry.status = await send(response, upstream.answer(call, []));
  } else {
    entry.status = await answerWithFaults({
      upstream,
      call,
      plan,
      response,
      closing: context.closing,
    });
  }
  context.onRequest?.(entry);
}

/** Sends an answer whole and returns its status. */
export async function send(response: ServerResponse, answer: UpstreamAnswer): Promise<number> {
  const { status, headers, body } = answer;
  response.writeHead(status, [...headers, 'content-length', String(body.length)]);
  if (!Buffer.isBuffer(body)) await writeStream(response, body, body.length);
  response.end(Buffer.isBuffer(body) ? body : undefined);
  return status;
}

async function answerWithFaults<Call extends UpstreamCall>(caught: Caught<Call>): Promise<Outcome> {
  const { plan, closing } = caught;
  for (const delayMs of plan.delaysMs) await delay(delayMs, undefined, { signal: closing });
  const { replacement } = plan;
  const isHeldFirst = await holdUntilReleased(plan.hangs.filter((hang) => !hang.afterApplying));
  if (!isHeldFirst) return null;
  const isApplied =
    replacement === undefined || ('afterApplying' in replacement && replacement.afterApplying);
  const answer = isApplied ? caught.upstream.answer(caught.call, plan.shaping) : undefined;
  const isHeldAfter = await holdUntilReleased(plan.hangs.filter((hang) => hang.afterApplying));
  if (!isHeldAfter) return null;
  if (replacement !== undefined) return replaceAnswer(caught, replacement);
  // Without a replacement the call was applied above, so there is an answer.
  if (answer === undefined) return null;
  return plan.truncation === undefined
    ? await send(caught.response, answer)
    : await sendTruncated(caught.response, answer, plan.truncation.how ?? 'connection');
}

/** Waits for every hang; false when the sandbox closed meanwhile and nobody is there to answer. */
async function holdUntilReleased(hangs: readonly Hang[]): Promise<boolean> {
  const ends = await Promise.all(hangs.map((hang) => hang.released));
  return !ends.includes('closed');
}

async function replaceAnswer<Call extends UpstreamCall>(
  { upstream, call, response }: Caught<Call>,
  fault: NonNullable<FaultPlan['replacement']>,
): Promise<Outcome> {
  switch (fault.kind) {
    case 'rateLimit':
      return await send(response, upstream.rateLimited(call, fault.retryAfterSeconds ?? 1));
    case 'serverError': {
      const status = fault.status ?? 500;
      return await send(
        response,
        fault.body === 'html' ? htmlPage(status) : upstream.failed(call, status),
      );
    }
    case 'htmlBody':
      return await send(response, htmlPage(200));
    case 'cutConnection':
      response.destroy();
      return null;
    case 'oversize':
      return await sendOversize(response, fault.bytes ?? DEFAULT_OVERSIZE_BYTES);
  }
}

/** Sends half the body: declared whole and then cut, or ended cleanly in the middle of the JSON. */
async function sendTruncated(
  response: ServerResponse,
  answer: UpstreamAnswer,
  how: 'connection' | 'json',
): Promise<number> {
  const { body } = answer;
  const half = Math.floor(body.length / 2);
  const halfBody = Buffer.isBuffer(body) ? body.subarray(0, half) : { ...body, length: half };
  if (how === 'json') return await send(response, { ...answer, body: halfBody });
  response.writeHead(answer.status, [...answer.headers, 'content-length', String(body.length)]);
  if (!Buffer.isBuffer(body)) await writeStream(response, body, half);
  await new Promise<void>((resolve) => {
    // A write error is ignored: it means that the client itself closed the connection first.
    response.write(Buffer.isBuffer(halfBody) ? halfBody : '', () => resolve());
  });
  response.destroy();
  return answer.status;
}

/** Streams valid JSON of exactly `bytes` bytes, never more of it in memory than one chunk. */
async function sendOversize(response: ServerResponse, bytes: number): Promise<number> {
  const start = Buffer.from('{"ok":true,"padding":"');
  const end = Buffer.from('"}');
  response.writeHead(200, ['content-type', 'application/json; charset=utf-8']);
  response.write(start);
  let left = bytes - start.length - end.length;
  while (left > 0 && !response.destroyed) {
    const chunk = OVERSIZE_CHUNK.subarray(0, Math.min(left, OVERSIZE_CHUNK.length));
    left -= chunk.length;
    if (!response.write(chunk)) await drainedOrClosed(response);
  }
  response.end(end);
  return 200;
}

/** Writes the beginning of a body no faster than it is read. */
async function writeStream(
  response: ServerResponse,
  body: StreamedBody,
  length: number,
): Promise<void> {
  for (const chunk of body.chunks(length)) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await drainedOrClosed(response);
  }
}

/** A client that refuses to read on closes the connection, and then `drain` never comes. */
async function drainedOrClosed(response: ServerResponse): Promise<void> {
  const settled = new AbortController();
  const { signal } = settled;
  const waits = ['drain', 'close'].map((event) =>
    once(response, event, { signal }).catch((error: unknown) => {
      // The wait that lost the race is aborted below; anything else is a broken connection,
      // which `response.destroyed` tells the loop.
      if (!signal.aborted && !response.destroyed) throw error;
    }),
  );
  await Promise.race(waits);
  settled.abort();
}

function htmlPage(status: number): UpstreamAnswer {
  const page =
    '<!DOCTYPE html>\n<html lang="en">\n<head><title>Server trouble</title></head>\n' +
    '<body><h1>Something is broken here</h1><p>We are looking into it.</p></body>\n</html>\n';
  return { status, headers: ['content-type', 'text/html; charset=utf-8'], body: Buffer.from(page) };
}

function openEntry(exchange: Exchange, call: UpstreamCall, at: number): OpenLogEntry {
  const { request } = exchange;
  return {
    at,
    method: call.method,
    verb: request.verb,
    path: exchange.rawPath,
    params: loggableParams(call.params),
    headers: headerNames(exchange.rawHeaders),
    authorization: schemeOf(request.authorization),
    status: null,
  };
}

/** Only a first word that is followed by something is a scheme: a lone word may be a secret. */
function schemeOf(authorization: string | undefined): string | null {
  if (authorization === undefined) return null;
  const space = authorization.indexOf(' ');
  return space === -1 ? '' : authorization.slice(0, space);
}
