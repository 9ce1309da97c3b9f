import { once } from 'node:events';
import {
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { pipeline } from 'node:stream';

/** One address in front of several upstreams that are alike: tokens say which is meant. */
export interface Gate extends AsyncDisposable {
  readonly url: string;
  /** From now on nothing listens at the address. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
}

/** What makes sense between two neighbours only. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'host']);

/** @param originOf The upstream for an Authorization header. */
export async function openGate(originOf: (authorization: string) => string): Promise<Gate> {
  const server = createServer((incoming, answer) =>
    passOn(originOf(incoming.headers.authorization ?? ''), incoming, answer),
  );
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const goAway = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  await listen(0);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the gate has no port');
  const { port } = address;
  return {
    url: `http://127.0.0.1:${port}`,
    goAway,
    comeBack: () => listen(port),
    [Symbol.asyncDispose]: goAway,
  };
}

function passOn(origin: string, incoming: IncomingMessage, answer: ServerResponse): void {
  const { method, url, headers } = incoming;
  const options = { method, headers: endToEnd(headers), agent: false } as const;
  const onward = request(origin + (url ?? '/'), options, (response) => {
    answer.writeHead(response.statusCode ?? 502, endToEnd(response.headers));
    // Where the upstream's connection breaks, this one is broken too.
    pipeline(response, answer, () => undefined);
  });
  onward.on('error', () => answer.destroy());
  incoming.pipe(onward);
}

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)));
}
