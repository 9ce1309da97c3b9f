import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSandboxProcess, type SandboxProcess } from './sandbox-process.ts';
import { ServiceProcess } from './service-process.ts';
import { makeWorldDatabase, type DatabaseName, type WorldDatabase } from './world-database.ts';

export interface WorldOptions {
  /** Processes of the service on one database; 1 unless said. */
  readonly processes?: number;
  /** Users, contacts and so on of the sandbox; 400 unless said. */
  readonly scale?: number;
  /** Flags of Node.js for the service. */
  readonly nodeFlags?: readonly string[];
  /** A module of `preload/` that the service loads first. */
  readonly preload?: 'clock.ts' | 'workers.ts';
  /** The embedded database gets a disk of its own, so many MiB large. */
  readonly diskMib?: number;
}

/** A service as in production, what it stands on, and what a fault needs to break them. */
export interface World extends AsyncDisposable {
  readonly services: readonly ServiceProcess[];
  readonly sandbox: SandboxProcess;
  readonly database: WorldDatabase;
  readonly credentials: { readonly client_id: string; readonly client_secret: string };
  /** Sets the clock of the service so far ahead, where it was started with that preload. */
  setClock(aheadMs: number): Promise<void>;
  /** Of every process that ended without being asked to, what it said. */
  readonly exits: readonly string[];
}

const DEFAULT_SCALE = 400;

export async function startWorld(
  databaseName: DatabaseName,
  options: WorldOptions,
  seed: number,
): Promise<World> {
  const resources = new AsyncDisposableStack();
  try {
    const { processes = 1, scale = DEFAULT_SCALE } = options;
    const database = resources.use(await makeWorldDatabase(databaseName, options.diskMib));
    const sandbox = resources.use(await startSandboxProcess(scale, seed));
    const clockFile = join(tmpdir(), `patchbay-faults-clock-${randomUUID()}`);
    await writeFile(clockFile, '0');
    resources.defer(() => rm(clockFile));
    const credentials = { client_id: 'faults', client_secret: 'x'.repeat(40) };
    const exits: string[] = [];
    const environment = {
      ...database.environment,
      ...sandbox.environment,
      PORT: '0',
      PATCHBAY_SANDBOX: 'off',
      PATCHBAY_LOG_LEVEL: 'warn',
      PATCHBAY_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      PATCHBAY_CLIENT_ID: credentials.client_id,
      PATCHBAY_CLIENT_SECRET: credentials.client_secret,
      PATCHBAY_MAX_CONNECTORS_PER_USER: '10000',
      NODE_OPTIONS: nodeOptions(options),
      FAULTS_CLOCK_FILE: clockFile,
    };
    const services = Array.from({ length: processes }, () =>
      resources.use(
        new ServiceProcess({
          environment,
          onExit: (description) => void exits.push(description),
        }),
      ),
    );
    const onSignal = () => void resources.disposeAsync().finally(() => process.exit(130));
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, onSignal);
      resources.defer(() => void process.off(signal, onSignal));
    }
    for (const service of services) await service.start();
    return {
      services,
      sandbox,
      database,
      credentials,
      exits,
      setClock: async (aheadMs) => {
        await writeFile(clockFile, String(aheadMs));
        for (const service of services) service.signal('SIGUSR2');
      },
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    };
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}

function nodeOptions({ nodeFlags = [], preload }: WorldOptions): string {
  if (preload === undefined) return nodeFlags.join(' ');
  const path = fileURLToPath(new URL(`../preload/${preload}`, import.meta.url));
  return [...nodeFlags, `--import=${path}`].join(' ');
}
