import { once } from 'node:events';
import type { Server } from 'node:http';

/** A server that listens on a free port of this machine. */
export interface Listening extends AsyncDisposable {
  /** Without a path. */
  readonly url: string;
}

export async function listen(server: Server): Promise<Listening> {
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
