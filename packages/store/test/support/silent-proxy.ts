import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A network between clients and a server that can fall silent: nothing closes, and nothing passes. */
export interface SilentProxy extends AsyncDisposable {
  readonly port: number;
  /** From now on nothing passes, in either direction, of no connection, the ends of connections included. */
  silence(): void;
  /** What was held back passes, and everything after it. */
  resume(): void;
}

export async function startSilentProxy(host: string, port: number): Promise<SilentProxy> {
  const sockets = new Set<Socket>();
  let held: (() => void)[] | undefined;
  const pass = (step: () => void) => {
    if (held === undefined) step();
    else held.push(step);
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ host, port, allowHalfOpen: true });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk: Buffer) => pass(() => to.write(chunk)));
      from.on('end', () => pass(() => to.end()));
      // The other side learns of it with the end that follows.
      from.on('error', () => from.destroy());
      from.on('close', () => {
        sockets.delete(from);
        pass(() => to.destroy());
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Proof: it listens on a port, not on a pipe.
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    silence: () => {
      held ??= [];
    },
    resume: () => {
      const steps = held ?? [];
      held = undefined;
      for (const step of steps) step();
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A database URL that leads through the proxy of a server's database. */
export async function silentProxyTo(
  databaseUrl: string,
): Promise<{ readonly proxy: SilentProxy; readonly url: string }> {
  const url = new URL(databaseUrl);
  const proxy = await startSilentProxy(url.hostname, Number(url.port || 5432));
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  return { proxy, url: url.href };
}
