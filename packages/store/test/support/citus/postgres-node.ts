import { spawn, execFileSync, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chown, mkdir, open, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';

/** A PostgreSQL server of a test's own, which may be killed and come back. */
export interface PostgresNode {
  readonly port: number;
  readonly isRunning: boolean;
  /** Waits until it takes connections. */
  start(): Promise<void>;
  /** Ends its postmaster as `kill -9` does; what it was doing ends with it. */
  kill(): Promise<void>;
  /** Ends connections, then the server, in good order. */
  stop(): Promise<void>;
  /** All that it has said. */
  readLog(): Promise<string>;
  /** Runs one statement in a database, over a connection of its own. */
  query(sql: string, database?: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** Whose the processes are: `initdb` refuses to be root. */
type Identity = Pick<SpawnOptions, 'uid' | 'gid'>;

/** Kills of the processes go unnoticed by the disk, so nothing has to be flushed. */
const SETTINGS = [
  "shared_preload_libraries = 'citus'",
  "listen_addresses = '127.0.0.1'",
  "unix_socket_directories = ''",
  'shared_buffers = 64MB',
  'max_connections = 200',
  'wal_level = logical',
  'fsync = off',
  'citus.shard_count = 4',
  'citus.enable_statistics_collection = off',
];

/** Where the programs of PostgreSQL are, or why no cluster can be made here. */
export function findPrograms(): { readonly folder: string } | { readonly missing: string } {
  try {
    const [folder = '', libraries = ''] = execFileSync('pg_config', ['--bindir', '--pkglibdir'], {
      encoding: 'utf8',
    }).split('\n');
    execFileSync('test', ['-x', join(folder, 'initdb'), '-a', '-e', join(libraries, 'citus.so')]);
    identity();
    return { folder };
  } catch {
    return { missing: 'no PostgreSQL with Citus on this machine to make a cluster of' };
  }
}

/**
 * Makes a server in a new folder, and starts it.
 *
 * @param programs The folder of `initdb` and `postgres`.
 * @param settings Lines of postgresql.conf that differ from those of tests.
 */
export async function makeNode(
  programs: string,
  folder: string,
  settings: readonly string[] = [],
): Promise<PostgresNode> {
  const who = identity();
  await mkdir(folder);
  if (who.uid !== undefined && who.gid !== undefined) await chown(folder, who.uid, who.gid);
  const data = join(folder, 'data');
  const initialize = ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync'];
  await run(spawn(join(programs, 'initdb'), initialize, { ...who, stdio: 'ignore' }));
  const port = await freePort();
  await appendFile(
    join(data, 'postgresql.conf'),
    `${[`port = ${port}`, ...SETTINGS, ...settings].join('\n')}\n`,
  );
  const log = join(folder, 'log');
  const node = new Postmaster({ program: join(programs, 'postgres'), data, log, port, who });
  await node.start();
  return node;
}

interface PostmasterParts {
  readonly program: string;
  readonly data: string;
  readonly log: string;
  readonly port: number;
  readonly who: Identity;
}

class Postmaster implements PostgresNode {
  readonly #parts: PostmasterParts;
  #process: ChildProcess | undefined;

  constructor(parts: PostmasterParts) {
    this.#parts = parts;
  }

  get port(): number {
    return this.#parts.port;
  }

  get isRunning(): boolean {
    return this.#process !== undefined;
  }

  /** What a killed one leaves behind, a new one refuses to share: its processes need a moment to end. */
  async start(): Promise<void> {
    const { program, data, log, who } = this.#parts;
    for (;;) {
      const output = await open(log, 'a');
      const stdio = ['ignore' as const, output.fd, output.fd];
      // libpq would look for certificates at home, which may be another user's.
      // It ends with this process, however that ends.
      const child = spawn('setpriv', ['--pdeathsig', 'KILL', program, '-D', data], {
        ...who,
        stdio,
        env: { HOME: data },
      });
      await output.close();
      if (await this.#answers(child)) {
        this.#process = child;
        return;
      }
      await wait(100);
    }
  }

  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  stop(): Promise<void> {
    return this.#end('SIGINT');
  }

  async query(sql: string, database = 'postgres') {
    const client = new Client(this.#connection(database));
    await client.connect();
    try {
      const { rows } = await client.query<Record<string, unknown>>(sql);
      return rows;
    } finally {
      await client.end();
    }
  }

  readLog(): Promise<string> {
    return readFile(this.#parts.log, 'utf8');
  }

  async #end(signal: 'SIGKILL' | 'SIGINT'): Promise<void> {
    const child = this.#process;
    if (child === undefined) return;
    this.#process = undefined;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  /** Whether it takes connections; else it has ended. */
  async #answers(child: ChildProcess): Promise<boolean> {
    while (child.exitCode === null && child.signalCode === null) {
      const client = new Client(this.#connection('postgres'));
      try {
        await client.connect();
        await client.end();
        return true;
      } catch {
        // Not yet, or it is about to end.
        await wait(50);
      }
    }
    return false;
  }

  #connection(database: string) {
    return { host: '127.0.0.1', port: this.port, user: 'postgres', database };
  }
}

/** The user `postgres` where this process is root's, else whoever it is. */
function identity(): Identity {
  if (process.getuid?.() !== 0) return {};
  return { uid: idOf('-u'), gid: idOf('-g') };
}

function idOf(flag: string): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8', stdio: 'pipe' }));
}

async function run(child: ChildProcess): Promise<void> {
  await once(child, 'exit');
  if (child.exitCode !== 0) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
