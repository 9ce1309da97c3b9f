import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../log.ts';
import { ServiceError } from '../service-error.ts';

/**
 * Sockets that take connections. libuv takes one from each in a round of the event loop, so that where rounds are
 * long, a single one has a queue of all who connect anew.
 *
 * @see docs/decisions/2026-11-24-many-sockets-take-connections.md
 */
const SOCKETS = 64;
/** There the kernel spreads connections over the sockets of an address. */
const SPREADS = process.platform === 'linux';

interface Place {
  readonly host: string;
  readonly port: number;
}

/**
 * Has a service answer at an address, of which it knows the port afterwards where it is 0; closing it ends that.
 *
 * @returns Its URL.
 * @throws ServiceError `address_unusable`.
 */
export async function listen(app: FastifyInstance, place: Place, logger: Logger): Promise<string> {
  const { host, port } = place;
  // Too many open files, say: those that come later are taken.
  const onError = (err: Error) => logger.error({ err }, 'A connection could not be taken.');
  const others: Server[] = [];
  const closing: Promise<unknown>[] = [];
  // Connections under way are waited for below; those that are idle the server ends itself.
  app.addHook('preClose', async () => {
    for (const each of others) closing.push(once(each.close(), 'close'));
  });
  app.addHook('onClose', async () => {
    await Promise.all(closing);
  });
  try {
    // Two services that share their port would both start: the second one is to fail.
    if (SPREADS && port !== 0) await requireFree(place);
    const url = await app.listen({ host, port, ...(SPREADS ? { reusePort: true } : {}) });
    app.server.on('error', onError);
    if (!SPREADS) return url;
    // Proof: it listens on a port.
    const { port: found } = app.server.address() as AddressInfo;
    while (others.length < SOCKETS - 1) {
      const other = await makeSocket(app, { host, port: found });
      others.push(other.on('error', onError));
    }
    return url;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServiceError(
      'address_unusable',
      `Cannot listen on ${host} port ${port} (${reason}); HOST and PORT choose another address.`,
      { cause: error },
    );
  }
}

async function requireFree({ host, port }: Place): Promise<void> {
  const server = createServer().listen({ host, port });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}

/** Takes connections as Node.js's own server does, and hands them to it. */
async function makeSocket(app: FastifyInstance, { host, port }: Place): Promise<Server> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    app.server.emit('connection', socket);
  });
  server.listen({ host, port, reusePort: true });
  await once(server, 'listening');
  return server;
}
