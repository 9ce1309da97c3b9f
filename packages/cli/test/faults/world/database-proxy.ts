import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** The network between the service and its PostgreSQL server, which breaks on demand. */
export interface DatabaseProxy extends AsyncDisposable {
  readonly port: number;
  /** Nothing passes any more, in either direction and on new connections too; nothing is closed. */
  stall(): number;
  /** What was held back passes. */
  flow(): void;
  /** Closes every open connection; returns how many there were. */
  cut(): number;
  /** Refuses connections, and closes those there are. */
  refuse(): Promise<number>;
  /** Takes connections again. */
  accept(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly upstream: Socket;
}

export async function startDatabaseProxy(host: string, port: number): Promise<DatabaseProxy> {
  const pairs = new Set<Pair>();
  let isStalled = false;
  const server = createServer((client) => {
    const pair = { client, upstream: connect(port, host) };
    pairs.add(pair);
    join(pair, () => pairs.delete(pair));
    if (isStalled) hold(pair);
  });
  const cut = () => {
    const { size } = pairs;
    for (const { client, upstream } of pairs) {
      client.destroy();
      upstream.destroy();
    }
    return size;
  };
  const refuse = async () => {
    const closed = once(server, 'close');
    server.close();
    const count = cut();
    await closed;
    return count;
  };
  const ownPort = await listen(server, 0);
  return {
    port: ownPort,
    stall: () => {
      isStalled = true;
      for (const pair of pairs) hold(pair);
      return pairs.size;
    },
    flow: () => {
      isStalled = false;
      for (const pair of pairs) pass(pair);
    },
    cut,
    refuse,
    accept: async () => {
      await listen(server, ownPort);
    },
    [Symbol.asyncDispose]: async () => {
      if (server.listening) await refuse();
    },
  };
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  // Proof: it listens on a port, not on a pipe.
  return (server.address() as AddressInfo).port;
}

function join(pair: Pair, onClose: () => void): void {
  const sockets = [pair.client, pair.upstream];
  const close = () => {
    for (const socket of sockets) socket.destroy();
    onClose();
  };
  for (const socket of sockets) {
    // The other side is closed as well; what the error was does not matter.
    socket.on('error', close);
    socket.on('close', close);
  }
  pass(pair);
}

function pass({ client, upstream }: Pair): void {
  client.pipe(upstream);
  upstream.pipe(client);
}

function hold({ client, upstream }: Pair): void {
  client.unpipe();
  upstream.unpipe();
  client.pause();
  upstream.pause();
}
