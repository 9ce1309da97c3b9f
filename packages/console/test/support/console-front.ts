import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { builtFolder } from '../../../connect/test/support/build.ts';
import type { RealService } from '../../../connect/test/support/real-service.ts';

type Json = Readonly<Record<string, unknown>>;

/** A session of the console, as the front keeps it. */
interface FrontSession {
  readonly role: 'operator' | 'application';
  readonly application: { readonly id: string; readonly name: string } | null;
  readonly expires_at: string;
}

/** The console and its session in front of a real service, to which everything else goes. */
export interface ConsoleFront {
  readonly url: string;
  /** How long sessions last that begin from now on. */
  sessionMs: number;
  /** Answers instead of the service, by method and path; a test takes them away again. */
  readonly instead: Map<string, { readonly status: number; readonly body: unknown }>;
  /** Paths of the API that were asked for with a cookie. */
  readonly withCookie: readonly string[];
  newLinkSecret(): string;
  endSessions(): void;
  close(): Promise<void>;
}

const COOKIE = 'console-session';
const BUILT = builtFolder('console');
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

export async function startConsoleFront(service: RealService): Promise<ConsoleFront> {
  const sessions = new Map<string, FrontSession>();
  const links = new Set<string>();
  const withCookie: string[] = [];
  const front = {
    url: '',
    sessionMs: 3_600_000,
    instead: new Map<string, { readonly status: number; readonly body: unknown }>(),
    withCookie,
    newLinkSecret: () => {
      const secret = randomBytes(16).toString('hex');
      links.add(secret);
      return secret;
    },
    endSessions: () => sessions.clear(),
  };
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://front');
    const said = front.instead.get(`${request.method ?? ''} ${pathname}`);
    if (said !== undefined) return sendJson(response, said.status, said.body);
    if (pathname === '/console/session') return handleSession(request, response);
    if (pathname === '/console/token') return handleToken(request, response);
    if (pathname.startsWith('/console/assets/')) return sendAsset(response, pathname);
    if (pathname === '/console' || pathname.startsWith('/console/')) return sendPage(response);
    if (request.headers.cookie !== undefined) withCookie.push(pathname);
    if (pathname === '/v1/integrations/connectors' && request.method === 'GET')
      return sendList(service.url, request, response);
    if (pathname === '/v1/stats') return sendStats(request, response);
    if (pathname.endsWith('/sync/runs')) return sendRuns(service.url, request, response);
    passOn(service.url, request, response);
  }

  async function handleSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = cookieOf(request);
    if (request.method !== 'GET' && request.headers['content-type'] !== 'application/json')
      return sendJson(response, 415, { code: 'malformed_json', detail: 'Send JSON.' });
    if (request.method === 'DELETE') {
      sessions.delete(id);
      return void response.writeHead(204).end();
    }
    if (request.method === 'GET') {
      const session = sessions.get(id);
      const isOver = session === undefined || Date.parse(session.expires_at) <= Date.now();
      return isOver ? refuse(response) : sendJson(response, 200, session);
    }
    const whose = await ownerOf(await jsonOf(request));
    if (whose === undefined) return refuse(response);
    const session = {
      ...whose,
      expires_at: new Date(Date.now() + front.sessionMs).toISOString(),
    };
    const newId = randomBytes(8).toString('hex');
    sessions.set(newId, session);
    response.setHeader(
      'set-cookie',
      `${COOKIE}=${newId}; Path=/console; HttpOnly; SameSite=Strict`,
    );
    return sendJson(response, 200, session);
  }

  async function ownerOf(body: Json): Promise<Omit<FrontSession, 'expires_at'> | undefined> {
    const operator = { role: 'operator', application: null } as const;
    if (links.delete(String(body['link_secret']))) return operator;
    if (body['operator_key'] === service.operatorKey) return operator;
    const { client_id: id, client_secret: secret } = service.credentials;
    if (body['client_id'] !== id || body['client_secret'] !== secret) return undefined;
    return { role: 'application', application: await applicationOf(service) };
  }

  async function handleToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = sessions.get(cookieOf(request));
    if (session === undefined) return refuse(response);
    const { application_id: asked } = await jsonOf(request);
    const isOperator = session.role === 'operator' && asked === undefined;
    return sendJson(response, 200, {
      token: isOperator ? service.operatorKey : await applicationToken(service),
      expires_at: new Date(Date.now() + 300_000).toISOString(),
      role: isOperator ? 'operator' : 'application',
      application_id: asked ?? session.application?.id ?? null,
    });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // It listens on TCP, so it has a port.
  front.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(front, {
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

async function applicationOf({ url, operatorKey }: RealService) {
  const response = await fetch(`${url}/v1/applications`, {
    headers: { authorization: `Bearer ${operatorKey}` },
  });
  const { data } = (await response.json()) as {
    readonly data: readonly { readonly id: string; readonly name: string }[];
  };
  const [{ id, name } = { id: '', name: '' }] = data;
  return { id, name };
}

async function applicationToken({ url, credentials }: RealService): Promise<string> {
  const response = await fetch(`${url}/api/v1/account/applications/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  });
  return ((await response.json()) as { readonly access_token: string }).access_token;
}

function cookieOf({ headers }: IncomingMessage): string {
  return new RegExp(`${COOKIE}=(\\w+)`).exec(headers.cookie ?? '')?.[1] ?? '';
}

async function jsonOf(request: IncomingMessage): Promise<Json> {
  return JSON.parse(await text(request)) as Json;
}

function refuse(response: ServerResponse): void {
  sendJson(response, 401, {
    code: 'unauthenticated',
    detail: 'This link, key or secret is wrong, or nobody is signed in.',
  });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const type = status < 400 ? 'application/json' : 'application/problem+json';
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));
}

async function sendPage(response: ServerResponse): Promise<void> {
  const headers = { 'content-type': 'text/html', 'content-security-policy': POLICY };
  response.writeHead(200, headers).end(await readFile(join(BUILT, 'index.html')));
}

async function sendAsset(response: ServerResponse, pathname: string): Promise<void> {
  const contents = await readFile(join(BUILT, pathname.slice('/console'.length)));
  response.writeHead(200, { 'content-type': TYPES[extname(pathname)] ?? '' }).end(contents);
}

/** The list as it is to be: with filters, freshness and the last error. */
async function sendList(
  base: string,
  { url = '', headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { searchParams: query } = new URL(url, base);
  const [q = '', status = ''] = [query.get('q'), query.get('status')].map((each) => each ?? '');
  query.delete('q');
  query.delete('status');
  const page = await readJson(`${base}/v1/integrations/connectors?${query.toString()}`, headers);
  const data = (page['data'] as readonly Json[])
    .filter((each) => status === '' || each['status'] === status)
    .filter((each) => String(each['name']).toLowerCase().includes(q.toLowerCase()))
    .map((each) => ({ ...each, freshness: freshnessOf(each), last_error: null }));
  sendJson(response, 200, { ...page, data });
}

function freshnessOf({ last_synced_at: asOf }: Json): Json {
  if (typeof asOf !== 'string') return { as_of: null, lag_seconds: null, complete: false };
  const lag = Math.round((Date.now() - Date.parse(asOf)) / 1_000);
  return { as_of: asOf, lag_seconds: lag, complete: true };
}

/** Figures as they are to be, made up. */
function sendStats({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const { searchParams: query } = new URL(url, 'http://front');
  const [from, to] = ['from', 'to'].map((name) => Date.parse(query.get(name) ?? ''));
  const step = Number(query.get('step'));
  const count = Math.round(((to ?? 0) - (from ?? 0)) / 1_000 / step);
  const series = Array.from({ length: count }, (_, index) => ({
    at: new Date((from ?? 0) + index * step * 1_000).toISOString(),
    ...figuresOf((index * 13) % 29),
  }));
  sendJson(response, 200, {
    from: query.get('from'),
    to: query.get('to'),
    step,
    total: figuresOf(1_204),
    series,
  });
}

function figuresOf(calls: number): Json {
  return {
    calls,
    errors: calls % 7 === 0 ? 1 : 0,
    latency_ms: calls === 0 ? null : { p50: 20 + calls, p95: 80 + calls * 3 },
    upstream_requests: calls * 2,
    upstream_wait_ms: calls * 11,
    records: calls * 40,
  };
}

/** The history as it is to be, of the last run alone. */
async function sendRuns(
  base: string,
  { url = '', headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = new URL(url, base).pathname.replace(/\/runs$/, '');
  const { last } = await readJson(base + path, headers);
  const figures = { entities: [], records_read: 40, records_written: 40, records_deleted: 0 };
  const data = last === null ? [] : [{ ...(last as Json), ...figures, error: null }];
  sendJson(response, 200, { data, next: null });
}

async function readJson(url: string, headers: IncomingMessage['headers']): Promise<Json> {
  const { authorization = '' } = headers;
  return (await (await fetch(url, { headers: { authorization } })).json()) as Json;
}

/** Streams both ways, as a reverse proxy does. */
function passOn(base: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, headers } = request;
  const onward = ask(base + (request.url ?? '/'), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}
