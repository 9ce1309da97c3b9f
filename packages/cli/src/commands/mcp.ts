import { allKinds, findKind } from '@patchbay/connectors/definitions';
import type { Command } from 'commander';
import { interruptible } from '../interruption.ts';
import { printable } from '../output/printable.ts';
import { findSettings, isServiceNamed } from '../profile/service-settings.ts';
import { connect } from '../service/connect.ts';
import { connectToConnector } from '../service/connect-to-connector.ts';
import { credentialVariables, libraryOptions } from '../service/library-options.ts';
import { CommandError, type Terminal } from '../terminal.ts';
import {
  addConnectorOptions,
  addExamples,
  addServiceOptions,
  type ConnectorFlags,
  type ServiceFlags,
} from './options.ts';

interface McpFlags extends ServiceFlags, ConnectorFlags {
  readonly allowWrites?: true;
}

/** `patchbay mcp`: an MCP server on standard input and output. */
export function addMcpCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const variables = allKinds().map(
    (kind) => `  ${kind.aliases[0] ?? kind.kind}: ${credentialVariables(kind).join(', ')}\n`,
  );
  const command = program
    .command('mcp')
    .description('serve MCP on standard input and output, for an editor or an agent')
    .option('--allow-writes', 'let create and update through; without it nothing can be written')
    .addHelpText(
      'after',
      '\nIt offers the connectors of the external user at the service, or the one that --connector or\n' +
        '--kind names. With --kind and credentials in the environment it needs no service, and calls the\n' +
        'upstream itself, unless a flag or the environment (PATCHBAY_BASE_URL, PATCHBAY_CLIENT_ID,\n' +
        `PATCHBAY_EXTERNAL_USER_ID, PATCHBAY_PROFILE) names a service:\n${variables.join('')}`,
    )
    .action((flags: McpFlags) => serve(flags, terminal, environment));
  addConnectorOptions(command);
  addServiceOptions(command);
  addExamples(
    command,
    'patchbay mcp',
    'SLACK_TOKEN=… patchbay mcp --kind slack',
    'patchbay mcp --kind slack --allow-writes',
  );
}

async function serve(
  flags: McpFlags,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const { serveStdio } = await import('@patchbay/tools');
  const allowWrites = flags.allowWrites === true;
  const tell = (error: unknown) => terminal.err(`patchbay: ${printable(messageOf(error))}\n`);
  await interruptible(async (signal) => {
    const host = await findHost(flags, { environment, signal, terminal });
    const server = serveStdio({ host, allowWrites, onError: tell, onProtocolError: tell });
    signal.addEventListener('abort', () => void server.close(), { once: true });
    await server.closed;
    signal.throwIfAborted();
  });
  // Connections that are kept alive would hold the process for a while.
  process.exit();
}

async function findHost(
  flags: McpFlags,
  {
    environment,
    signal,
    terminal,
  }: {
    readonly environment: NodeJS.ProcessEnv;
    readonly signal: AbortSignal;
    readonly terminal: Terminal;
  },
) {
  const { hostedHost, libraryHost } = await import('@patchbay/tools');
  if (flags.kind !== undefined && !isServiceNamed(flags, environment)) {
    const library = await libraryOptions(flags.kind, environment);
    if (library !== undefined) {
      if (findSettings(flags, environment).application !== undefined)
        terminal.err(NO_SERVICE_IS_ASKED);
      const { createConnector } = await import('@patchbay/connectors');
      return libraryHost(createConnector(library.kind, library.options));
    }
  }
  const access = flags.allowWrites === true ? 'write' : 'read';
  if (flags.kind === undefined && flags.connector === undefined)
    return hostedHost(connect(flags, { terminal, environment }, access));
  const { patchbay, info } = await namingCredentials(flags, () =>
    connectToConnector({ flags, terminal, environment, signal, access }),
  );
  return hostedHost(await patchbay.connector(info.id, { signal }));
}

const NO_SERVICE_IS_ASKED =
  'patchbay: the upstream is called itself, with the credentials of the environment; the service is not asked. ' +
  'To have that asked, name it, such as by --profile default.\n';

/** Where settings are missing, the error also names the credentials that need no service. */
async function namingCredentials<T>({ kind }: McpFlags, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (kind === undefined || !(cause instanceof CommandError)) throw cause;
    const variables = credentialVariables(findKind(kind)).join(', ');
    throw new CommandError(`${cause.message} Without any service it needs ${variables}.`, {
      cause,
    });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
