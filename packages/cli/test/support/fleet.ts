import { startSandbox, type Sandbox, type SandboxOptions } from '@patchbay/sandbox';
import { SERVER, type TestPlace } from '@patchbay/store/testing';
import { startCli, temporaryFolder, type RunningCli } from './run-cli.ts';

/** Processes of `patchbay start` on one database of a server, before one sandbox. */
export interface Fleet extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly place: TestPlace;
  /** A process that is ready; whatever still runs of them ends with the fleet. */
  start(role: 'api' | 'worker', environment?: Environment): Promise<FleetProcess>;
}

/** One of them. */
export interface FleetProcess {
  readonly running: RunningCli;
  /** Where it listens. */
  readonly url: string;
  /** The lines of its log so far. */
  log(): readonly Readonly<Record<string, unknown>>[];
  /** Asks it to end, and waits until it has; its exit code. */
  stop(): Promise<number | null>;
  /** As `kill -9` does. */
  kill(): Promise<void>;
}

type Environment = Readonly<Record<string, string>>;

/** The first application of every fleet. */
export const FLEET_CLIENT = { client_id: 'me', client_secret: 'x'.repeat(40) } as const;

export async function makeFleet(sandboxOptions: SandboxOptions): Promise<Fleet> {
  const folder = await temporaryFolder();
  const sandbox = await startSandbox(sandboxOptions);
  const place = await SERVER.makeMigrated();
  const environment = {
    DATABASE_URL: place.options.databaseUrl ?? '',
    PATCHBAY_DATA: `${folder.path}/data`,
    PATCHBAY_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    PATCHBAY_SANDBOX: 'off',
    PATCHBAY_UPSTREAM_URL_CHAT_WORKSPACE: sandbox.urls.slack,
    PATCHBAY_UPSTREAM_LIMITS_CHAT_WORKSPACE: 'reactive',
    PATCHBAY_CLIENT_ID: FLEET_CLIENT.client_id,
    PATCHBAY_CLIENT_SECRET: FLEET_CLIENT.client_secret,
    PORT: '0',
  };
  const all = new Set<FleetProcess>();
  return {
    sandbox,
    place,
    start: async (role, changes = {}) => {
      const running = startCli(['start', '--role', role], { ...environment, ...changes });
      const started = await fleetProcess(running, role);
      all.add(started);
      return started;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...all].map((each) => each.stop()));
      await place.remove();
      await sandbox.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function fleetProcess(running: RunningCli, role: 'api' | 'worker'): Promise<FleetProcess> {
  let said = '';
  running.process.stderr?.on('data', (text: string) => (said += text));
  const told = await running.untilOut(role === 'api' ? '/docs' : '/readyz');
  const url = /http:\/\/[\d.]+:\d+/.exec(told)?.[0] ?? '';
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    running.process.kill(signal);
    return (await running.finished).code;
  };
  return {
    running,
    url,
    log: () =>
      said
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        // The service logs objects.
        .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>),
    stop: () => end('SIGTERM'),
    kill: async () => {
      await end('SIGKILL');
    },
  };
}
