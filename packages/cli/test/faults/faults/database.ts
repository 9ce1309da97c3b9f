import { OVER, type Fault, type Scene } from '../fault.ts';
import { repeat } from '../pause.ts';
import type { ServerDatabase } from '../world/world-database.ts';

const END_BACKENDS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

/** What happens to a PostgreSQL server, and to the network before it. */
export const DATABASE_FAULTS: readonly Fault[] = [
  {
    name: 'database-stalled',
    doc: 'nothing passes between service and server, and nothing is closed',
    databases: ['server'],
    inject: (scene) => {
      const { proxy } = serverOf(scene);
      const held = proxy.stall();
      return Promise.resolve({
        heal: () => {
          proxy.flow();
          return Promise.resolve(held);
        },
      });
    },
  },
  {
    name: 'connections-cut',
    doc: 'every connection to the server is cut, again and again',
    databases: ['server'],
    inject: (scene) => often(500, () => Promise.resolve(serverOf(scene).proxy.cut())),
  },
  {
    name: 'backends-killed',
    doc: "the server's processes for the service are ended, again and again",
    databases: ['server'],
    inject: (scene) => often(500, async () => (await serverOf(scene).query(END_BACKENDS)).length),
  },
  {
    name: 'database-unreachable',
    doc: 'the server refuses connections',
    databases: ['server'],
    inject: async (scene) => {
      const { proxy } = serverOf(scene);
      const cut = await proxy.refuse();
      return {
        heal: async () => {
          await proxy.accept();
          return cut;
        },
      };
    },
  },
  {
    name: 'database-read-only',
    doc: 'the server takes no writes, as a standby does',
    databases: ['server'],
    inject: async (scene) => {
      await setReadOnly(serverOf(scene), 'on');
      return {
        heal: async () => {
          await setReadOnly(serverOf(scene), 'off');
          return 1;
        },
      };
    },
  },
  {
    name: 'database-thread-dies',
    doc: 'the thread of the embedded database ends',
    databases: ['embedded'],
    world: { preload: 'workers.ts' },
    allows: { exits: true },
    inject: ({ world }) => {
      for (const service of world.services) service.signal('SIGUSR2');
      return Promise.resolve(OVER);
    },
  },
];

function serverOf({ world }: Scene): ServerDatabase {
  const { server } = world.database;
  if (server === undefined) throw new Error('this fault is for a PostgreSQL server');
  return server;
}

async function setReadOnly(server: ServerDatabase, value: 'on' | 'off'): Promise<void> {
  // In one session that may write, also where the default is that it may not.
  await server.query(
    `begin read write; alter database ${server.identifier} set default_transaction_read_only = ${value}; commit`,
  );
  await server.query(END_BACKENDS);
}

/** Strikes at once and every so many milliseconds until healed; `strike` says how often it did. */
async function often(ms: number, strike: () => Promise<number>) {
  let struck = 0;
  const striking = repeat(ms, async () => {
    struck += await strike();
  });
  return Promise.resolve({
    heal: async () => {
      await striking.stop();
      return struck;
    },
  });
}
