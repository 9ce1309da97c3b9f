import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A network between a client and a server that breaks on demand. */
export interface CuttingProxy extends AsyncDisposable {
  readonly port: number;
  /**
   * Cuts every open connection once a few more bytes have passed, in the middle of whatever they
   * are; returns how many there are.
   */
  cutAfterBytes(): number;
}

const MOST_BYTES = 3_000;

interface Connection {
  /** How many bytes may still pass; `undefined` for any number. */
  bytesLeft: number | undefined;
  readonly cut: () => void;
}

export async function startCuttingProxy(host: string, port: number): Promise<CuttingProxy> {
  const connections = new Set<Connection>();
  const server = createServer((client) => {
    const upstream = connect(port, host);
    const sockets = [client, upstream];
    const connection: Connection = {
      bytesLeft: undefined,
      cut: () => {
        for (const socket of sockets) socket.destroy();
      },
    };
    connections.add(connection);
    pass(client, upstream, connection);
    pass(upstream, client, connection);
    for (const socket of sockets) {
      // The other side is cut as well; what the error was does not matter.
      socket.on('error', connection.cut);
      socket.on('close', () => {
        connections.delete(connection);
        connection.cut();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Proof: it listens on a port, not on a pipe.
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    cutAfterBytes: () => {
      for (const connection of connections) connection.bytesLeft ??= randomInt(MOST_BYTES);
      return connections.size;
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const connection of connections) connection.cut();
      await closed;
    },
  };
}

function pass(from: Socket, to: Socket, connection: Connection): void {
  from.on('data', (chunk: Buffer) => {
    const { bytesLeft } = connection;
    if (bytesLeft === undefined || bytesLeft > chunk.length) {
      if (bytesLeft !== undefined) connection.bytesLeft = bytesLeft - chunk.length;
      to.write(chunk);
      return;
    }
    to.write(chunk.subarray(0, bytesLeft), connection.cut);
  });
}
