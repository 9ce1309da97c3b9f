import { Command } from 'commander';
import { addAppCommand } from './commands/app.ts';
import { addSandboxCommand } from './commands/sandbox.ts';
import { addStartCommand } from './commands/start.ts';
import { addTokenCommand } from './commands/token.ts';
import type { Terminal } from './terminal.ts';

/** The command `patchbay` with all its subcommands. */
export function buildProgram(terminal: Terminal, environment: NodeJS.ProcessEnv): Command {
  const program = new Command('patchbay')
    .description('Typed connectors to business systems, as a service you host.')
    .version('0.1.0')
    .showHelpAfterError('(patchbay --help tells more)')
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err });
  addStartCommand(program, terminal, environment);
  addAppCommand(program, terminal, environment);
  addTokenCommand(program, terminal, environment);
  addSandboxCommand(program, terminal, environment);
  return program;
}
