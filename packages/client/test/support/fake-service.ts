import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request that the fake service has had, but for those for tokens. */
export interface Received {
  readonly call: string;
  readonly token: string;
  readonly key: string | undefined;
  readonly body: unknown;
}

/** What it answers. */
export interface FakeAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** A service that gives tokens, and else what a test says. */
export interface FakeService extends AsyncDisposable {
  readonly url: string;
  readonly received: Received[];
  /** What is answered next; without any, the connection breaks. */
  readonly answers: FakeAnswer[];
  /** How often the application logged in. */
  logins: number;
}

export async function startFakeService(): Promise<FakeService> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request;
    const body = await text(request);
    const parsed: unknown = body === '' ? undefined : JSON.parse(body);
    const send = (status: number, value: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    if (url.endsWith('/applications/token')) {
      service.logins += 1;
      const access_token = `application-token-${service.logins}`;
      return send(200, { access_token, token_type: 'bearer', expires_in: 900 });
    }
    if (url.endsWith('/scoped-token')) return send(200, { token: 'a-scoped', expires_in: 1_200 });
    const key = headers['idempotency-key'];
    service.received.push({
      call: `${method} ${url}`,
      token: headers.authorization?.replace('Bearer ', '') ?? '',
      key: typeof key === 'string' ? key : undefined,
      body: parsed,
    });
    const next = service.answers.shift();
    if (next === undefined) response.destroy();
    else send(next.status, next.body);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // It listens on TCP, so it has a port.
  const { port } = server.address() as AddressInfo;
  const service: FakeService = {
    url: `http://127.0.0.1:${port}`,
    received: [],
    answers: [],
    logins: 0,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return service;
}
