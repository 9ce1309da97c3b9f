import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import type { AttackRequest } from './attacks.ts';
import type { AttackNumbers } from './attack-numbers.ts';

/** How often each outcome came: HTTP statuses, or what happened to the connection. */
export type Tally = Record<string, number>;

interface ClientsOptions {
  readonly url: string;
  readonly numbers: AttackNumbers;
  readonly signal: AbortSignal;
  /** The next request; counts by itself. */
  readonly next: () => AttackRequest;
  readonly tally: Tally;
}

/** Has that many clients send requests until the signal aborts. */
export async function runClients(options: ClientsOptions): Promise<void> {
  const { url, numbers, signal } = options;
  const isSlow = Number.isFinite(numbers.bytesPerSecond);
  const pool = new Pool(url, { connections: numbers.clients, headersTimeout: 0, bodyTimeout: 0 });
  const send = (request: AttackRequest) =>
    isSlow ? readSlowly(options, request) : readWholly({ ...options, pool }, request);
  await Promise.all(
    Array.from({ length: numbers.clients }, async () => {
      for (let sent = 0; sent < numbers.requests && !signal.aborted; sent++) {
        const outcome = await send(options.next());
        options.tally[outcome] = (options.tally[outcome] ?? 0) + 1;
        if (!outcome.startsWith('2')) await wait(numbers.pauseMs);
      }
    }),
  );
  await pool.destroy();
}

async function readWholly(
  { pool, numbers, signal }: ClientsOptions & { readonly pool: Pool },
  request: AttackRequest,
): Promise<string> {
  const { leaveAfterMs } = numbers;
  const leaving = leaveAfterMs === 0 ? [] : [AbortSignal.timeout(leaveAfterMs)];
  const { method, path } = request;
  try {
    const { statusCode, body } = await pool.request({
      method,
      path,
      headers: headersOf(request),
      body: bodyOf(request) ?? null,
      signal: AbortSignal.any([signal, ...leaving]),
    });
    // In pieces that are thrown away: the answers of all clients together do not fit into memory.
    for await (const piece of body) void piece;
    return String(statusCode);
  } catch (error) {
    return outcomeOf(error);
  }
}

function outcomeOf(error: unknown): string {
  if (!(error instanceof Error)) throw error;
  if (error.name === 'TimeoutError') return 'left';
  if (error.name === 'AbortError') return 'under way';
  return 'code' in error ? String(error.code) : error.message;
}

/**
 * Below HTTP, where nothing reads ahead: the service gets rid of no more than `bytesPerSecond`, and
 * what the buffers of two sockets hold.
 */
function readSlowly(
  { url, numbers, signal }: ClientsOptions,
  request: AttackRequest,
): Promise<string> {
  const { bytesPerSecond } = numbers;
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect({
      host: hostname,
      port: Number(port),
      onread: {
        buffer: Buffer.alloc(Math.max(1, bytesPerSecond)),
        // Reads no more until it is told to.
        callback: () => false,
      },
    });
    const reading = setInterval(() => socket.resume(), 1_000);
    if (bytesPerSecond === 0) {
      clearInterval(reading);
      socket.pause();
    }
    const leave = () => socket.destroy();
    signal.addEventListener('abort', leave);
    let outcome = 'closed';
    socket.on('error', (error) => {
      outcome = outcomeOf(error);
    });
    socket.on('close', () => {
      clearInterval(reading);
      signal.removeEventListener('abort', leave);
      resolve(signal.aborted ? 'under way' : outcome);
    });
    socket.write(textOf(request, hostname));
  });
}

function textOf(request: AttackRequest, host: string): string {
  const body = bodyOf(request) ?? '';
  const headers = {
    host,
    ...headersOf(request),
    'content-length': String(Buffer.byteLength(body)),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${request.method} ${request.path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

export function headersOf({ token, headers, body }: AttackRequest): Record<string, string> {
  return {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  };
}

export function bodyOf({ body }: AttackRequest): string | undefined {
  return body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
}
