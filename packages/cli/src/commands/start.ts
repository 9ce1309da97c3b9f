import { existsSync } from 'node:fs';
import type { Configuration, FirstApplication, Service } from '@patchbay/server';
import type { Sandbox } from '@patchbay/sandbox';
import type { LaneSizes, OpeningStep } from '@patchbay/store';
import { Option, type Command } from 'commander';
import { banner } from '../banner.ts';
import { clientFilePath, writeClientFile } from '../client-file.ts';
import { COMMAND_NAME } from '../command-name.ts';
import { EXIT_CODES } from '../output/exit-codes.ts';
import { connectPageFolder } from '../service/connect-page-folder.ts';
import { sandboxApps, sandboxUpstreams } from '../service/sandbox-upstreams.ts';
import { cutLateStop, stopSignal, untilAborted } from '../stop-signal.ts';
import { CommandError, type Terminal } from '../terminal.ts';
import { tryItLines } from '../try-it.ts';
import { wholeNumber } from './arguments.ts';
import { addExamples } from './options.ts';

interface StartFlags {
  readonly sandbox: boolean;
  readonly host?: string;
  readonly port?: number;
  readonly role?: string;
}

/** Whom the printed token acts for. */
const DEMO_USER = 'demo-user';

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
    .addHelpText('after', '\nEvery setting is an environment variable; the README lists them.')
    .action((flags: StartFlags) => start(flags, terminal, environment));
  addExamples(command, 'patchbay start', 'patchbay start --no-sandbox --port 9000');
}

async function start(
  flags: StartFlags,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  // Loaded here, not at the top of the file: loading takes longer than most commands run.
  const { loadMasterKey, loadOperatorKey, readConfiguration, startService } =
    await import('@patchbay/server');
  const { openStore } = await import('@patchbay/store');
  const { role: givenRole } = flags;
  const configuration = readConfiguration(
    givenRole === undefined ? environment : { ...environment, PATCHBAY_ROLE: givenRole },
  );
  const { role } = configuration;
  const withSandbox = flags.sandbox && !isSwitchedOff(environment['PATCHBAY_SANDBOX']);
  if (withSandbox && role !== 'all') throw new CommandError(ONE_SANDBOX);
  const stopping = stopSignal(environment);
  stopping.addEventListener('abort', () =>
    terminal.err(
      `${String(stopping.reason)}: finishing what is under way; a second signal ends at once.\n`,
    ),
  );
  cutLateStop(stopping, () =>
    terminal.err('Something did not end in time: it is cut off. The next start goes on with it.\n'),
  );
  // One after the other, and not in an AsyncDisposableStack, which Node.js 22 does not have.
  await using sandbox = withSandbox ? await startOwnSandbox() : undefined;
  const { databaseUrl, dataFolder } = configuration;
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
  let application: FirstApplication | undefined;
  const warn = (problem: string) => terminal.err(`Warning: ${problem}\n`);
  const { operatorKey } = configuration;
  const newKeyFile = newKeyFileOf(configuration);
  await using service = await startService({
    store,
    masterKey: await loadMasterKey(configuration.masterKey, store, warn),
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
    role,
    renews: configuration.renews,
    replication: configuration.replication,
    connectPageFolder: connectPageFolder(),
    prepare: async (started) => {
      if (role === 'worker') return;
      application = await started.ensureFirstApplication(configuration.client);
      writeSecret(application, dataFolder, terminal);
    },
  });
  waiting[Symbol.dispose]();
  // A stop that was asked for during the start takes effect here: only now can all stop in order.
  if (stopping.aborted) return;
  if (application === undefined) terminal.out(`The worker is ready: ${service.url}/readyz\n`);
  else {
    const isSandbox = sandbox !== undefined;
    await greet({ service, application, dataFolder, newKeyFile, isSandbox }, terminal);
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

/** The file of the operator's key that this start is about to make, if any. */
function newKeyFileOf({ operatorKey }: Configuration): string | undefined {
  if (operatorKey?.from !== 'file' || !operatorKey.mayCreate) return undefined;
  return existsSync(operatorKey.path) ? undefined : operatorKey.path;
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

async function startOwnSandbox(): Promise<Sandbox> {
  const { startSandbox } = await import('@patchbay/sandbox');
  return await startSandbox();
}

/** What a person who starts the service for the first time needs to know. */
async function greet(
  {
    service,
    application,
    dataFolder,
    newKeyFile,
    isSandbox,
  }: {
    readonly service: Service;
    readonly application: FirstApplication;
    readonly dataFolder: string;
    readonly newKeyFile: string | undefined;
    readonly isSandbox: boolean;
  },
  terminal: Terminal,
): Promise<void> {
  if (isSandbox) terminal.out(sandboxBanner());
  terminal.out(`Patchbay is ready at ${service.url}  (reference: ${service.url}/docs)\n`);
  tellSecret(application, dataFolder, terminal);
  if (newKeyFile !== undefined)
    terminal.out(
      `\nThe operator's key, for \`${COMMAND_NAME} app …\`, is in ${newKeyFile} (mode 0600).\n`,
    );
  if (application.isRevoked === true) {
    terminal.err(
      `Warning: the application of PATCHBAY_CLIENT_ID (${application.clientId}) is revoked, and stays so.\n` +
        `Another client id, or \`${COMMAND_NAME} app create\`, makes another one.\n`,
    );
    return;
  }
  const token = await service.mintScopedToken({
    externalUserId: DEMO_USER,
    applicationId: application.applicationId,
  });
  terminal.out(
    `\nTry it: paste these lines into another shell. The token acts for ${DEMO_USER} for 20 minutes;\n` +
      `later ones: ${COMMAND_NAME} token\n\n` +
      tryItLines({ url: service.url, token, externalUserId: DEMO_USER, isSandbox }),
  );
}

function isSwitchedOff(value: string | undefined): boolean {
  if (value === undefined || value === '' || value === 'on') return false;
  if (value === 'off') return true;
  throw new CommandError(`PATCHBAY_SANDBOX must be on or off, got ${JSON.stringify(value)}.`);
}

function sandboxBanner(): string {
  return banner([
    'SANDBOX: the upstreams are simulated and all their data is invented.',
    'Nothing leaves this machine, and real tokens are refused.',
    `For the real thing: ${COMMAND_NAME} start --no-sandbox`,
  ]);
}

/** The secret of a new application goes into a file of its own where no person reads along. */
function writeSecret(
  { clientId, clientSecret }: FirstApplication,
  dataFolder: string,
  terminal: Terminal,
): void {
  if (clientSecret === undefined || terminal.isInteractive) return;
  writeClientFile(clientFilePath(dataFolder), { clientId, clientSecret });
}

/** The secret of a new application, or its file, is told once. */
function tellSecret(
  { clientId, clientSecret }: FirstApplication,
  dataFolder: string,
  terminal: Terminal,
): void {
  if (clientSecret === undefined) return;
  terminal.out(
    terminal.isInteractive
      ? '\nThis is your application. Its secret is shown this once; keep it:\n' +
          `  export PATCHBAY_CLIENT_ID=${clientId}\n  export PATCHBAY_CLIENT_SECRET=${clientSecret}\n`
      : `\nYour application's client id and secret are in ${clientFilePath(dataFolder)} (mode 0600).\n`,
  );
}
