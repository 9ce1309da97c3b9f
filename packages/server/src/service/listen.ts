import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../log.ts';
import { ServiceError } from '../service-error.ts';

/** There the kernel spreads connections over the sockets of an address. */
const SPREADS = process.platform === 'linux';
/**
 * Sockets of an address that take connections. libuv takes one from each in a round of the event loop, so that where rounds are
 * long, a single one has a queue of all who connect anew.
 *
 * @see docs/decisions/2026-11-24-many-sockets-take-connections.md
 */
const SOCKETS = SPREADS ? 64 : 1;

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
    const [first = host, ...further] = await addressesOf(host);
    // Two services that share their port would both start: the second one is to fail.
    if (SPREADS && port !== 0) await requireFree({ host: first, port });
    const url = await app.listen({ host: first, port, ...(SPREADS ? { reusePort: true } : {}) });
    app.server.on('error', onError);
    // Proof: it listens on a port.
    const { port: found } = app.server.address() as AddressInfo;
    for (const address of [first, ...further])
      for (let count = address === first ? 1 : 0; count < SOCKETS; count++) {
        const other = await makeSocket(app, { host: address, port: found });
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

/**
 * All that this machine has where the name is `localhost`: for the second one Fastify would make a server of its own, which has
 * neither our timeouts nor our answers to what is no request.
 */
async function addressesOf(host: string): Promise<readonly string[]> {
  if (host !== 'localhost') return [host];
  const found = await lookup(host, { all: true });
  const addresses = [...new Set(found.map(({ address }) => address))];
  const areHere = await Promise.all(addresses.map(isHere));
  return addresses.filter((_, index) => areHere[index]);
}

/** Names files may know an address that the machine has not, such as that of IPv6. */
async function isHere(host: string): Promise<boolean> {
  try {
    await requireFree({ host, port: 0 });
    return true;
  } catch {
    return false;
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
  server.listen({ host, port, ...(SPREADS ? { reusePort: true } : {}) });
  await once(server, 'listening');
  return server;
}
