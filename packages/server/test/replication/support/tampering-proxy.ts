import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** A request on its way to an upstream. */
export interface PassingRequest {
  readonly method: string;
  readonly url: URL;
  readonly authorization: string;
}

/** What comes back instead of, or made of, the upstream's answer. */
export interface PassingAnswer {
  readonly status: number;
  readonly body: string;
  /** So many bytes, which mean nothing, come at once, and the body that much later. */
  readonly ahead?: { readonly bytes: number; readonly ms: number };
}

/** Stands between the service and an upstream, and does what the upstream cannot be made to do. */
export interface TamperingProxy extends AsyncDisposable {
  readonly url: string;
  /** Sees every request, and may change its answer, or keep it for a while. */
  tamper: (request: PassingRequest, answer: () => Promise<PassingAnswer>) => Promise<PassingAnswer>;
}

/** @param target The base URL of the upstream. */
export async function startProxy(target: string): Promise<TamperingProxy> {
  const server = createServer((request, response) => {
    pass(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(target + (request.url ?? ''));
    const body = await readBody(request);
    const method = request.method ?? 'GET';
    const fetched = async (): Promise<PassingAnswer> => {
      const answer = await fetch(url, {
        method,
        headers: headersOf(request),
        ...(body.length === 0 ? {} : { body }),
      });
      return { status: answer.status, body: await answer.text() };
    };
    const authorization = request.headers.authorization ?? '';
    const answer = await proxy.tamper({ method, url, authorization }, fetched);
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    if (answer.ahead !== undefined) {
      response.write(' '.repeat(answer.ahead.bytes));
      await wait(answer.ahead.ms);
    }
    response.end(answer.body);
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Proof: it listens on a port, not on a pipe.
  const { port } = server.address() as AddressInfo;
  const proxy: TamperingProxy = {
    url: `http://127.0.0.1:${port}`,
    tamper: (_, answer) => answer(),
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return proxy;
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const passed = ['authorization', 'content-type', 'accept', 'intercom-version'];
  return Object.fromEntries(
    passed.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}

async function readBody(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  // A request without an encoding gives buffers.
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Uint8Array.from(Buffer.concat(chunks));
}
