import { Command } from 'commander';
import { addAppCommand } from './commands/app/app.ts';
import { addBackupCommand } from './commands/backup.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addConnectorCommand } from './commands/connector/connector.ts';
import { addDescribeCommand } from './commands/describe.ts';
import { addExecuteCommand } from './commands/execute.ts';
import { addKeysCommand } from './commands/keys/keys.ts';
import { addLoginCommand } from './commands/login.ts';
import { addLogoutCommand } from './commands/logout.ts';
import { addMcpCommand } from './commands/mcp.ts';
import { addMigrateCommand } from './commands/migrate.ts';
import { addMoveCommand } from './commands/move.ts';
import { addRestoreCommand } from './commands/restore.ts';
import { addSandboxCommand } from './commands/sandbox.ts';
import { addSearchCommand } from './commands/search.ts';
import { addStartCommand } from './commands/start.ts';
import { addStatusCommand } from './commands/status.ts';
import { addSyncCommand } from './commands/sync.ts';
import { addTokenCommand } from './commands/token.ts';
import { addWhoamiCommand } from './commands/whoami.ts';
import { exitCodesHelp } from './output/exit-codes.ts';
import type { Terminal } from './terminal.ts';

const ADD_COMMANDS = [
  addStartCommand,
  addLoginCommand,
  addLogoutCommand,
  addWhoamiCommand,
  addStatusCommand,
  addConnectorCommand,
  addDescribeCommand,
  addExecuteCommand,
  addSearchCommand,
  addSyncCommand,
  addTokenCommand,
  addMcpCommand,
  addAppCommand,
  addKeysCommand,
  addMigrateCommand,
  addBackupCommand,
  addRestoreCommand,
  addMoveCommand,
  addSandboxCommand,
];

/** The command `patchbay` with all its subcommands. */
export function buildProgram(terminal: Terminal, environment: NodeJS.ProcessEnv): Command {
  const program = new Command('patchbay')
    .description('Typed connectors to business systems, as a service you host.')
    .version('0.2.0')
    // Errors of the command line are thrown, and shown like all other failures.
    .exitOverride()
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      outputError: () => undefined,
    })
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ patchbay start                                   # a service, with a sandbox behind it\n' +
        '  $ patchbay connector create slack\n' +
        '  $ patchbay sync --kind slack --watch\n' +
        "  $ patchbay search users --kind slack --where 'real_name fuzzy jonson'\n" +
        '\nResults are on standard output, everything else on standard error; --json is for programs.\n\n' +
        exitCodesHelp().trimEnd(),
    );
  for (const add of ADD_COMMANDS) add(program, terminal, environment);
  addCompletionCommand(program, terminal);
  return program;
}
