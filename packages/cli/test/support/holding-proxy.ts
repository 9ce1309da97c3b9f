import { once } from 'node:events';
import { createServer, request as sendRequest, type IncomingMessage } from 'node:http';

/** Stands before a service and passes everything on, but of a file only the first byte. */
export interface HoldingProxy extends AsyncDisposable {
  readonly url: string;
}

export async function startHoldingProxy(target: string): Promise<HoldingProxy> {
  const server = createServer((request, response) => {
    const { method, headers, url } = request;
    const onAnswer = (answer: IncomingMessage) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      if (answer.headers['content-disposition'] === 'attachment')
        answer.once('data', (chunk: Buffer) => response.write(chunk.subarray(0, 1)));
      else answer.pipe(response);
    };
    request.pipe(sendRequest(new URL(url ?? '', target), { method, headers }, onAnswer));
  });
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
