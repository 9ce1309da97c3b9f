import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';

/** One request as an upstream of ours saw it. */
export interface SeenRequest {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An upstream that misbehaves as a test wants. */
export interface OwnUpstream extends AsyncDisposable {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
}

/** Answers the nth request (from 0). */
export type Answer = (response: ServerResponse, nth: number, request: SeenRequest) => void;

/** Starts an upstream for what the sandbox cannot do. */
export async function startUpstream(answer: Answer): Promise<OwnUpstream> {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const line = `${request.method ?? ''} ${request.url ?? ''}`;
      const seenRequest = { line, headers: request.headers, body: await readBody(request) };
      seen.push(seenRequest);
      answer(response, seen.length - 1, seenRequest);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Proven: it listens on a port, not on a pipe.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Sends an answer whole; objects as JSON, text as it is. */
export function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const isText = typeof body === 'string';
  response.writeHead(status, {
    'content-type': isText ? 'text/html' : 'application/json',
    ...headers,
  });
  response.end(isText ? body : JSON.stringify(body));
}

/** A URL of this machine where nothing listens. */
export async function deadUrl(): Promise<string> {
  const { url, [Symbol.asyncDispose]: stop } = await startUpstream(() => undefined);
  await stop();
  return url;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Sends back the bytes that come, which is no HTTP. */
export async function startEcho(
  before: string,
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', (bytes) => socket.end(Buffer.concat([Buffer.from(before), bytes])));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Proven: it listens on a port, not on a pipe.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}
