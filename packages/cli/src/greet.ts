import type { Configuration, FirstApplication, Service } from '@patchbay/server';
import { banner } from './banner.ts';
import { clientFilePath, readClientFile, type ClientCredentials } from './client-file.ts';
import { COMMAND_NAME, commandAnywhere } from './command-name.ts';
import { leaveLogin, LOCAL_PROFILE, type LeftLogin } from './profile/left-login.ts';
import { CommandError, type Terminal } from './terminal.ts';
import { tryItLines } from './try-it.ts';

/** A service that has just become ready. */
interface Started {
  readonly service: Pick<Service, 'url' | 'mintScopedToken' | 'makeConsoleLink'>;
  readonly application: FirstApplication;
  readonly configuration: Pick<Configuration, 'dataFolder' | 'operatorKey'>;
  readonly isSandbox: boolean;
}

/** Who is told, and what is known of them. */
interface Audience {
  readonly terminal: Terminal;
  readonly environment: NodeJS.ProcessEnv;
}

/** Whom the login and the printed token act for. */
const DEMO_USER = 'demo-user';

const SANDBOX = 'SANDBOX: the upstreams are simulated and all their data is invented.';

/**
 * Says that the service is ready and where its credentials are, and leaves a login for whoever started
 * it on a terminal. A link to the console is shown only there, and a token only there and where it opens
 * nothing but a sandbox: all other output is kept, and read by others.
 */
export async function greet(started: Started, audience: Audience): Promise<void> {
  const { service, application, isSandbox } = started;
  const { terminal, environment } = audience;
  const credentials = orWarned(terminal, () => keptCredentials(started));
  const ready = readyLines(started, credentials);
  const isUsable = application.isRevoked !== true;
  const login =
    credentials !== undefined && isUsable
      ? orWarned(terminal, () => leaveLoginOf(started, credentials, audience))
      : undefined;
  if (!terminal.isInteractive) terminal.out(isSandbox ? `${SANDBOX}\n${ready}` : ready);
  else {
    const command = commandAnywhere({ script: process.argv[1], path: environment['PATH'] });
    terminal.out(isSandbox ? `${sandboxBanner()}${ready}` : ready);
    terminal.out(consoleLines(service.makeConsoleLink()));
    if (isUsable) terminal.out(nextCommands(command, login));
    if (isUsable && isSandbox) terminal.out(await tryIt(service, application));
  }
}

/** Id and secret of the application, where the file that a first start leaves has them. */
function keptCredentials({ application, configuration }: Started): ClientCredentials | undefined {
  const kept = readClientFile(clientFilePath(configuration.dataFolder));
  return kept?.clientId === application.clientId ? kept : undefined;
}

function leaveLoginOf(
  { service, configuration: { dataFolder } }: Started,
  credentials: ClientCredentials,
  { terminal, environment }: Audience,
): LeftLogin | undefined {
  return leaveLogin(
    { baseUrl: service.url, ...credentials, externalUserId: DEMO_USER, dataFolder },
    { environment, mayCreate: terminal.isInteractive },
  );
}

/** What work brings; where a file is in the way, a warning says so: the service runs all the same. */
function orWarned<T>(terminal: Terminal, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    terminal.err(`Warning: ${error.message}\n`);
    return undefined;
  }
}

function sandboxBanner(): string {
  return banner([
    SANDBOX,
    'Nothing leaves this machine, and real tokens are refused.',
    `For the real thing: ${COMMAND_NAME} start --no-sandbox`,
  ]);
}

/** Where the service is, and where its credentials are: files, never what is in them. */
function readyLines(
  { service: { url }, configuration: { dataFolder, operatorKey } }: Started,
  credentials: ClientCredentials | undefined,
): string {
  const lines = [`Patchbay is ready at ${url}  (reference: ${url}/docs)`];
  if (credentials !== undefined)
    lines.push(`Your application's client id and secret are in ${clientFilePath(dataFolder)}`);
  if (operatorKey?.from === 'file')
    lines.push(`The operator's key, for \`patchbay app\`, is in ${operatorKey.path}`);
  return lines.map((line) => `${line}\n`).join('');
}

/** The link is good for so little that it may stand on a screen. */
function consoleLines(link: string | undefined): string {
  if (link === undefined) return '';
  return (
    '\nOpen the console; the link signs you in as the operator, once, on this machine, within 30 minutes:\n' +
    `  ${link}\n`
  );
}

/** How to go on from another shell, in any folder. */
function nextCommands(command: string, login: LeftLogin | undefined): string {
  if (login === undefined)
    return (
      '\nLog in with the client id and secret of your application; then you can get a token:\n' +
      `  ${command} login\n  ${command} token\n`
    );
  const { name, path } = login;
  const why = name === LOCAL_PROFILE ? '' : `, as ${LOCAL_PROFILE} is another's`;
  return (
    `\nYou are logged in for ${DEMO_USER}: profile ${name}${why} (${path}).\n` +
    'From any folder, for a token, and for your connectors:\n' +
    `  ${command} token --profile ${name}\n` +
    `  ${command} connector list --profile ${name}\n`
  );
}

async function tryIt(
  service: Started['service'],
  { applicationId }: FirstApplication,
): Promise<string> {
  const token = await service.mintScopedToken({ externalUserId: DEMO_USER, applicationId });
  return (
    `\nTry it: paste these lines into another shell. The token acts for ${DEMO_USER} for 20 minutes.\n\n` +
    tryItLines({ url: service.url, token, externalUserId: DEMO_USER })
  );
}
