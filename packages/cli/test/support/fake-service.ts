import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** Something that answers in the place of a service. */
export interface FakeService extends AsyncDisposable {
  readonly url: string;
}

export async function startFakeService(
  answer: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
): Promise<FakeService> {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
