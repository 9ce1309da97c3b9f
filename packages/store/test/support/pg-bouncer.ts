import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** PgBouncer in transaction mode, before every database of one server. */
export interface PgBouncer extends AsyncDisposable {
  /** The same database, through the pooler. */
  urlOf(databaseUrl: string): string;
}

/** How it is set up, where that is to differ from its own defaults. */
export interface PgBouncerSettings {
  /** Connections to each database; clients that find none free wait. */
  readonly poolSize?: number;
}

const PROGRAM = '/usr/sbin/pgbouncer';
const LOOPBACK = '127.0.0.1';

/** Why it cannot be had here, or false. */
export const PG_BOUNCER_SKIP: string | false =
  !isInstalled() && `no ${PROGRAM}: Debian's package pgbouncer has it`;

/** Starts one before the server of that URL, on a free port; it ends with this process, too. */
export async function startPgBouncer(
  serverUrl: string,
  settings: PgBouncerSettings = {},
): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-pgbouncer-'));
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, configurationOf(serverUrl, { port, ...settings }));
  // Whom it runs as reads them.
  chmodSync(folder, 0o755);
  const child = spawn(PROGRAM, ['-q', ...notAsRoot(), file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  try {
    await untilReady(child, port);
  } catch (error) {
    end();
    rmSync(folder, { recursive: true });
    throw error;
  }
  // It may outlast the last test of a process, which it must not keep from ending.
  child.unref();
  child.stderr.destroy();
  return {
    urlOf: (databaseUrl) => {
      const url = new URL(databaseUrl);
      url.hostname = LOOPBACK;
      url.port = String(port);
      return url.href;
    },
    [Symbol.asyncDispose]: async () => {
      process.off('exit', end);
      const exited = once(child, 'exit');
      end();
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}

function isInstalled(): boolean {
  try {
    accessSync(PROGRAM, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function configurationOf(
  serverUrl: string,
  { port, poolSize = 20 }: PgBouncerSettings & { readonly port: number },
): string {
  const { hostname, port: serverPort, username, password } = new URL(serverUrl);
  const login = { host: hostname, port: serverPort || '5432', user: username, password };
  const words = Object.entries(login).filter(([, value]) => value !== '');
  return [
    '[databases]',
    `* = ${words.map(([name, value]) => `${name}=${decodeURIComponent(value)}`).join(' ')}`,
    '[pgbouncer]',
    `listen_addr = ${LOOPBACK}`,
    `listen_port = ${port}`,
    'unix_socket_dir =',
    // Everybody is the user of the line above.
    'auth_type = any',
    'pool_mode = transaction',
    `default_pool_size = ${poolSize}`,
    'max_client_conn = 500',
    '',
  ].join('\n');
}

/** It refuses to be root. */
function notAsRoot(): readonly string[] {
  return process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
}

async function untilReady(child: ChildProcess, port: number): Promise<void> {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  while (!(await isListening(port))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`pgbouncer ended: ${said}`);
    await wait(20);
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, LOOPBACK);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  const isOpen = await promise;
  socket.destroy();
  return isOpen;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, LOOPBACK);
  await once(server, 'listening');
  // Proof: it listens on a port, not on a pipe.
  const { port } = server.address() as AddressInfo;
  const closed = once(server, 'close');
  server.close();
  await closed;
  return port;
}
