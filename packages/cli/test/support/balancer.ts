import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * A TCP load balancer: each new connection goes to the next target whose `/readyz` was 200 when it was
 * last asked, and stays there, whatever comes of it.
 */
export interface Balancer extends AsyncDisposable {
  readonly url: string;
  add(target: string): void;
  remove(target: string): void;
  /** Resolves once a target gets new connections, or no more of them. */
  until(target: string, isReady: boolean): Promise<void>;
}

const CHECKED_EVERY_MS = 50;

interface Target {
  readonly url: URL;
  isReady: boolean;
}

export async function startBalancer(): Promise<Balancer> {
  const targets = new Map<string, Target>();
  const sockets = new Set<Socket>();
  const stopping = new AbortController();
  let turn = 0;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const ready = [...targets.values()].filter(({ isReady }) => isReady);
    const target = ready[turn++ % ready.length];
    if (target === undefined) {
      client.destroy();
      return;
    }
    const upstream = connect({
      host: target.url.hostname,
      port: Number(target.url.port),
      allowHalfOpen: true,
    });
    join(client, upstream, sockets);
    join(upstream, client, sockets);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const checking = checkUntil(stopping.signal, targets);
  // Proof: it listens on a port, not on a pipe.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    add: (target) => targets.set(target, { url: new URL(target), isReady: false }),
    remove: (target) => targets.delete(target),
    until: async (target, isReady) => {
      while ((targets.get(target)?.isReady ?? false) !== isReady) await wait(CHECKED_EVERY_MS);
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await checking;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Passes on what comes, and how it ends. */
function join(from: Socket, to: Socket, sockets: Set<Socket>): void {
  sockets.add(from);
  from.pipe(to);
  from.once('error', () => to.resetAndDestroy());
  from.once('close', () => {
    sockets.delete(from);
    to.destroySoon();
  });
}

async function checkUntil(
  stopping: AbortSignal,
  targets: ReadonlyMap<string, Target>,
): Promise<void> {
  while (!stopping.aborted) {
    await Promise.all([...targets.values()].map(check));
    await wait(CHECKED_EVERY_MS);
  }
}

async function check(target: Target): Promise<void> {
  try {
    const answer = await fetch(new URL('/readyz', target.url), {
      headers: { connection: 'close' },
    });
    await answer.arrayBuffer();
    target.isReady = answer.status === 200;
  } catch {
    // Nobody listens there, so it is not ready: what a balancer is to find out.
    target.isReady = false;
  }
}
