import type { Command } from 'commander';
import type { Terminal } from '../../terminal.ts';
import { addConnectorCheckCommand } from './check.ts';
import { addConnectorCreateCommand } from './create.ts';
import { addConnectorDeleteCommand } from './delete.ts';
import { addConnectorGetCommand } from './get.ts';
import { addConnectorListCommand } from './list.ts';
import { addConnectorSwitchCommands } from './switches.ts';
import { addConnectorUpdateCommand } from './update.ts';

/** `patchbay connector …`: the connectors of an external user. */
export function addConnectorCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const connector = program
    .command('connector')
    .description('connectors: the accounts that are read from, searched and written to');
  connector.addHelpText(
    'after',
    '\nExamples:\n  $ patchbay connector list\n  $ patchbay connector create slack --name "Team chat"',
  );
  addConnectorCreateCommand(connector, terminal, environment);
  addConnectorListCommand(connector, terminal, environment);
  addConnectorGetCommand(connector, terminal, environment);
  addConnectorUpdateCommand(connector, terminal, environment);
  addConnectorDeleteCommand(connector, terminal, environment);
  addConnectorCheckCommand(connector, terminal, environment);
  addConnectorSwitchCommands(connector, terminal, environment);
}
