import {
  loadMasterKey,
  readConfiguration,
  startService,
  type Configuration,
  type FirstApplication,
  type UpstreamSettings,
} from '@patchbay/server';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { openStore } from '@patchbay/store';
import type { Command } from 'commander';
import { banner } from '../banner.ts';
import { clientFilePath, writeClientFile } from '../client-file.ts';
import { CommandError, untilStopped, type Terminal } from '../terminal.ts';
import { tryItLines } from '../try-it.ts';
import { wholeNumber } from './arguments.ts';

interface StartFlags {
  readonly sandbox: boolean;
  readonly host?: string;
  readonly port?: number;
}

/** Whom the printed token acts for. */
const DEMO_USER = 'demo-user';

/** `patchbay start`: the service, with the sandbox behind it unless told otherwise. */
export function addStartCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  program
    .command('start')
    .description('start the service; a sandbox stands behind it unless told otherwise')
    .option('--no-sandbox', 'send calls to the real upstreams (PATCHBAY_SANDBOX=off)')
    .option('--host <host>', 'address to listen on (HOST, 127.0.0.1)')
    .option('--port <port>', 'port to listen on (PORT, 8080)', wholeNumber(0, 65_535))
    .addHelpText(
      'after',
      '\nEvery setting is an environment variable; the README lists them.\n\nExamples:\n' +
        '  $ patchbay start\n  $ patchbay start --no-sandbox --port 9000',
    )
    .action((flags: StartFlags) => start(flags, terminal, environment));
}

async function start(
  flags: StartFlags,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const configuration = readConfiguration(environment);
  const withSandbox = flags.sandbox && !isSwitchedOff(environment['PATCHBAY_SANDBOX']);
  await using resources = new AsyncDisposableStack();
  const sandbox = withSandbox ? resources.use(await startSandbox()) : undefined;
  const { databaseUrl, dataFolder } = configuration;
  const store = resources.use(
    await openStore({
      ...(databaseUrl === undefined ? { dataFolder } : { databaseUrl }),
      onProgress: (step) => {
        if (step === 'creating')
          terminal.out(`Making the embedded database in ${dataFolder}, once: about 3 seconds …\n`);
      },
    }),
  );
  const service = resources.use(
    await startService({
      store,
      masterKey: await loadMasterKey(configuration.masterKey, store),
      host: flags.host ?? configuration.host,
      port: flags.port ?? configuration.port,
      upstreams: { ...sandboxUpstreams(sandbox), ...configuration.upstreams },
      logger: { level: configuration.logLevel, destination: process.stderr },
      ...(configuration.rateLimit === undefined ? {} : { rateLimit: configuration.rateLimit }),
    }),
  );
  const stopped = untilStopped(environment);
  const application = await service.ensureFirstApplication(configuration.client);
  if (sandbox !== undefined) terminal.out(sandboxBanner());
  terminal.out(`Patchbay is ready at ${service.url}  (reference: ${service.url}/docs)\n`);
  tellSecret(application, configuration, terminal);
  const token = await service.mintScopedToken({
    externalUserId: DEMO_USER,
    applicationId: application.applicationId,
  });
  const isSandbox = sandbox !== undefined;
  terminal.out(
    `\nTry it: paste these lines into another shell. The token acts for ${DEMO_USER} for 20 minutes;\n` +
      `later ones: npm run -s patchbay -- token\n\n` +
      tryItLines({ url: service.url, token, externalUserId: DEMO_USER, isSandbox }),
  );
  const reason = await stopped;
  terminal.err(`${reason}: finishing what is under way; a second signal ends at once.\n`);
  void untilStopped({}).then(() => process.exit(1));
}

function isSwitchedOff(value: string | undefined): boolean {
  if (value === undefined || value === '' || value === 'on') return false;
  if (value === 'off') return true;
  throw new CommandError(`PATCHBAY_SANDBOX must be on or off, got ${JSON.stringify(value)}.`);
}

/** Which kind the sandbox stands in for; an operator's own URL for a kind comes first. */
function sandboxUpstreams(sandbox: Sandbox | undefined): UpstreamSettings {
  if (sandbox === undefined) return {};
  const { urls } = sandbox;
  const common = { label: 'sandbox', limits: 'reactive' } as const;
  return {
    'chat-workspace': { ...common, baseUrl: urls.slack },
    'support-chat': { ...common, baseUrl: urls.zendeskChat },
    'customer-messaging': { ...common, baseUrl: urls.intercom },
    'support-ticketing': {
      ...common,
      baseUrl: urls.zendeskSupport,
      fileOrigins: [urls.zendeskFiles],
    },
  };
}

function sandboxBanner(): string {
  return banner([
    'SANDBOX: the upstreams are simulated and all their data is invented.',
    'Nothing leaves this machine, and real tokens are refused.',
    'For the real thing: npm start -- --no-sandbox',
  ]);
}

/** The secret of a new application is told once: to a person, or to a file of its own. */
function tellSecret(
  application: FirstApplication,
  { dataFolder }: Configuration,
  terminal: Terminal,
): void {
  const { clientId, clientSecret } = application;
  if (clientSecret === undefined) return;
  if (terminal.isInteractive) {
    terminal.out(
      '\nThis is your application. Its secret is shown this once; keep it:\n' +
        `  export PATCHBAY_CLIENT_ID=${clientId}\n  export PATCHBAY_CLIENT_SECRET=${clientSecret}\n`,
    );
    return;
  }
  const path = clientFilePath(dataFolder);
  writeClientFile(path, { clientId, clientSecret });
  terminal.out(`\nYour application's client id and secret are in ${path} (mode 0600).\n`);
}
