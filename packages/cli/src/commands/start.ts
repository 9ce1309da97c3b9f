import type { Configuration, FirstApplication } from '@patchbay/server';
import type { Sandbox } from '@patchbay/sandbox';
import type { LaneSizes, OpeningStep } from '@patchbay/store';
import { Option, type Command } from 'commander';
import { clientFilePath, writeClientFile } from '../client-file.ts';
import { COMMAND_NAME } from '../command-name.ts';
import { greet } from '../greet.ts';
import { EXIT_CODES } from '../output/exit-codes.ts';
import { connectPageFolder } from '../service/connect-page-folder.ts';
import { consolePageFolder } from '../service/console-page-folder.ts';
import { cutLateStop, stopSignal, untilAborted } from '../stop-signal.ts';
import { CommandError, type Terminal } from '../terminal.ts';
import { replaceByWorker } from '../worker-heap.ts';
import { wholeNumber } from './arguments.ts';
import { addExamples } from './options.ts';

interface StartFlags {
  readonly sandbox: boolean;
  readonly host?: string;
  readonly port?: number;
  readonly role?: string;
}

const ONE_SANDBOX =
  'Processes of the roles api and worker would each have a sandbox of their own. Start them with ' +
  `--no-sandbox; PATCHBAY_UPSTREAM_URL_… can lead all of them to one: ${COMMAND_NAME} sandbox`;

/** `patchbay start`: the service, with the sandbox behind it unless told otherwise. */
export function addStartCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = program
    .command('start')
    .description('start the service; a sandbox stands behind it unless told otherwise')
    .option('--no-sandbox', 'send calls to the real upstreams (PATCHBAY_SANDBOX=off)')
    .option('--host <host>', 'address to listen on (HOST, 127.0.0.1)')
    .option('--port <port>', 'port to listen on (PORT, 8080)', wholeNumber(0, 65_535))
    .addOption(
      new Option(
        '--role <role>',
        'answer calls, replicate connectors, or both (PATCHBAY_ROLE, all)',
      ).choices(['all', 'api', 'worker']),
    )
    .addHelpText(
      'after',
      '\nEvery setting is an environment variable; docs/configuration.md lists them.',
    )
    .action((flags: StartFlags) => start(flags, terminal, environment));
  addExamples(command, 'patchbay start', 'patchbay start --no-sandbox --port 9000');
}

async function start(
  flags: StartFlags,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  // Loaded here, not at the top of the file: loading takes longer than most commands run.
  const { loadMasterKeys, loadMetricsToken, loadOperatorKey, readConfiguration, startService } =
    await import('@patchbay/server');
  const { openStore } = await import('@patchbay/store');
  const { sandboxApps, sandboxUpstreams } = await import('../service/sandbox-upstreams.ts');
  const { unmovedFolderWarning } = await import('../service/unmoved-folder.ts');
  const { role: givenRole } = flags;
  const configuration = readConfiguration(
    givenRole === undefined ? environment : { ...environment, PATCHBAY_ROLE: givenRole },
  );
  const { role } = configuration;
  const withSandbox = flags.sandbox && !isSwitchedOff(environment['PATCHBAY_SANDBOX']);
  if (withSandbox && role !== 'all') throw new CommandError(ONE_SANDBOX);
  if (role === 'worker') replaceByWorker();
  const stopping = stopSignal(environment);
  stopping.addEventListener('abort', () =>
    terminal.err(
      `${String(stopping.reason)}: finishing what is under way; a second signal ends at once.\n`,
    ),
  );
  // A worker answers nobody, so it does not drain.
  cutLateStop(stopping, role === 'worker' ? 0 : configuration.drainMs, () =>
    terminal.err('Something did not end in time: it is cut off. The next start goes on with it.\n'),
  );
  // One after the other, and not in an AsyncDisposableStack, which Node.js 22 does not have.
  await using sandbox = withSandbox ? await startOwnSandbox(configuration.publicUrl) : undefined;
  const { databaseUrl, dataFolder } = configuration;
  const unmoved = databaseUrl === undefined ? undefined : unmovedFolderWarning(dataFolder);
  if (unmoved !== undefined) terminal.err(`Warning: ${unmoved}\n`);
  using waiting = tellOfWaiting(terminal);
  await using store = await unlessStopped(
    stopping,
    openStore({
      ...(databaseUrl === undefined ? { dataFolder } : { databaseUrl }),
      connections: connectionsOf(configuration),
      signal: stopping,
      onBroken: ({ message }) => {
        terminal.err(`patchbay: ${message}\n`);
        // Nothing can end in order any more: whatever is under way waits for the database.
        process.exit(EXIT_CODES.database.code);
      },
      onProgress: (step) => {
        if (databaseUrl !== undefined) waiting.isFor(WAITS[step]);
        if (step === 'creating')
          terminal.out(`Making the embedded database in ${dataFolder}, once: about 3 seconds …\n`);
      },
    }),
  );
  if (store === undefined) return;
  if (databaseUrl !== undefined) waiting.isFor('until the keys are read');
  let application: FirstApplication | undefined;
  const warn = (problem: string) => terminal.err(`Warning: ${problem}\n`);
  const { metrics, operatorKey } = configuration;
  await using service = await startService({
    store,
    ...(await loadMasterKeys(configuration, store, warn)),
    operatorKey: operatorKey && (await loadOperatorKey(operatorKey, warn)),
    host: flags.host ?? configuration.host,
    port: flags.port ?? configuration.port,
    upstreams: {
      ...(sandbox === undefined ? {} : sandboxUpstreams(sandbox)),
      // The operator's own settings for a kind win over the sandbox's.
      ...configuration.upstreams,
    },
    distributions: configuration.distributions,
    oauthApps: {
      ...(sandbox === undefined ? {} : without(sandboxApps(sandbox), configuration.upstreams)),
      ...configuration.oauthApps,
    },
    publicUrl: configuration.publicUrl,
    logger: { level: configuration.logLevel, destination: process.stderr.fd },
    quotas: configuration.quotas,
    limits: configuration.limits,
    trustedProxies: configuration.trustedProxies,
    metrics: {
      port: metrics.port,
      token: metrics.token && (await loadMetricsToken(metrics.token, warn)),
    },
    role,
    drainMs: configuration.drainMs,
    renews: configuration.renews,
    replication: configuration.replication,
    connectPageFolder: connectPageFolder(),
    consolePageFolder: consolePageFolder(),
    prepare: async (started) => {
      if (role === 'worker') return;
      application = await started.ensureFirstApplication(configuration.client, async (made) => {
        const path = clientFilePath(dataFolder);
        const kept = await writeClientFile(path, made);
        if (kept !== undefined)
          warn(
            `${path} was of another database: it is ${kept} now, with that application's secret.`,
          );
      });
    },
  });
  waiting[Symbol.dispose]();
  // A stop that was asked for during the start takes effect here: only now can all stop in order.
  if (stopping.aborted) return;
  if (application === undefined) terminal.out(`The worker is ready: ${service.url}/readyz\n`);
  else {
    if (application.isRevoked === true) warn(revoked(application));
    const isSandbox = sandbox !== undefined;
    await greet({ service, application, configuration, isSandbox }, { terminal, environment });
  }
  await untilAborted(stopping);
}

/** The sandbox's apps are no vendor's: nobody else is told of them. */
function without<Value>(
  values: Readonly<Record<string, Value>>,
  names: Readonly<Record<string, unknown>>,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !(name in names)));
}

/** Each search that is under way has a connection. */
function connectionsOf({ connections, limits }: Configuration): Partial<LaneSizes> {
  const { searchesAtOnce } = limits;
  return { ...connections, ...(searchesAtOnce === undefined ? {} : { searches: searchesAtOnce }) };
}

/** What a start may have to wait for, of a server. */
const WAITS: Readonly<Record<OpeningStep, string>> = {
  connecting: 'for the database to answer',
  creating: 'until the database is made',
  migrating: 'until the schema of the database is up to date',
};

const TOLD_AFTER_MS = 3_000;

/** Tells a person who waits, once that takes a while, what it is for. */
function tellOfWaiting(
  terminal: Terminal,
): Disposable & { readonly isFor: (what: string) => void } {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearTimeout(timer);
  return {
    isFor: (what) => {
      stop();
      timer = setTimeout(() => terminal.err(`Still waiting ${what} …\n`), TOLD_AFTER_MS);
    },
    [Symbol.dispose]: stop,
  };
}

/** What is opened; `undefined` where that was given up because of a stop. */
async function unlessStopped<T>(
  stopping: AbortSignal,
  opening: Promise<T>,
): Promise<T | undefined> {
  try {
    return await opening;
  } catch (error) {
    if (stopping.aborted) return undefined;
    throw error;
  }
}

/** By itself it leads people who consent back to this machine alone; a proxy makes the service known by another name. */
async function startOwnSandbox(publicUrl: string | undefined): Promise<Sandbox> {
  const { CONSENT_CALLBACK_PATH } = await import('@patchbay/server');
  const { startSandbox } = await import('@patchbay/sandbox');
  return await startSandbox(
    publicUrl === undefined ? {} : { redirectUris: [`${publicUrl}${CONSENT_CALLBACK_PATH}`] },
  );
}

function revoked({ clientId }: FirstApplication): string {
  return (
    `the application of PATCHBAY_CLIENT_ID (${clientId}) is revoked, and stays so.\n` +
    `Another client id, or \`${COMMAND_NAME} app create\`, makes another one.`
  );
}

function isSwitchedOff(value: string | undefined): boolean {
  if (value === undefined || value === '' || value === 'on') return false;
  if (value === 'off') return true;
  throw new CommandError(`PATCHBAY_SANDBOX must be on or off, got ${JSON.stringify(value)}.`);
}
