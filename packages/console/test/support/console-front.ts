import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { RealService } from '../../../connect/test/support/real-service.ts';

/** An answer in the place of the service's own. */
interface Said {
  readonly status: number;
  readonly body: unknown;
}

/** What a browser has between itself and a real service: it passes everything on, unless a test says otherwise. */
export interface ConsoleFront {
  readonly url: string;
  /** Sessions are said to end then; what the service holds of them stays as it is. */
  sessionEndsAt: Date | undefined;
  /** How long every request waits before it is passed on, as on a slow network. */
  delayMs: number;
  /** Answers instead of the service, by method and path; a test takes them away again. */
  readonly instead: Map<string, Said>;
  /** Paths outside the console's own that were asked for with a cookie. */
  readonly withCookie: readonly string[];
  /** Whoever asks for a session or a token from now on is told that there is no session. */
  endSessions(): void;
  /** The secret of a link that signs in once. */
  newLinkSecret(): string;
  close(): Promise<void>;
}

const SESSION = '/console/session';

export async function startConsoleFront(service: RealService): Promise<ConsoleFront> {
  const withCookie: string[] = [];
  const front = {
    url: '',
    sessionEndsAt: undefined as Date | undefined,
    delayMs: 0,
    instead: new Map<string, Said>(),
    withCookie,
    newLinkSecret: () => new URL(service.makeConsoleLink()).hash.slice(1),
    endSessions: () => {
      const body = { code: 'unauthenticated', detail: 'Nobody is signed in.' };
      for (const call of [`GET ${SESSION}`, 'POST /console/token'])
        front.instead.set(call, { status: 401, body });
    },
  };
  const server = createServer((request, response) => {
    if (front.delayMs === 0) answer(request, response);
    else setTimeout(() => answer(request, response), front.delayMs);
  });
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? '/', 'http://front');
    const said = front.instead.get(`${request.method ?? ''} ${pathname}`);
    if (said !== undefined) return sendJson(response, said);
    if (request.headers.cookie !== undefined && !pathname.startsWith('/console'))
      withCookie.push(pathname);
    const { sessionEndsAt } = front;
    passOn(service.url, request, response, (passed) => {
      if (pathname !== SESSION || sessionEndsAt === undefined) passed.pipe(response);
      else void sendEndingAt(sessionEndsAt, passed, response);
    });
  };
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

function sendJson(response: ServerResponse, { status, body }: Said): void {
  const type = status < 400 ? 'application/json' : 'application/problem+json';
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));
}

/** The answer about a session, which ends sooner than the service says. */
async function sendEndingAt(
  endsAt: Date,
  answer: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const session = JSON.parse(await text(answer)) as object;
  response.end(JSON.stringify({ ...session, expires_at: endsAt.toISOString() }));
}

/** Passes a request on, as a reverse proxy does, and hands the answer over once its headers are sent. */
function passOn(
  base: string,
  request: IncomingMessage,
  response: ServerResponse,
  send: (answer: IncomingMessage) => void,
): void {
  const { method, headers } = request;
  const onward = ask(base + (request.url ?? '/'), { method, headers }, (answer) => {
    const { 'content-length': _, ...others } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, others);
    send(answer);
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}
