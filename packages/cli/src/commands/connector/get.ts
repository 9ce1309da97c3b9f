import type { Command } from 'commander';
import { showConnector } from '../../output/connector-view.ts';
import type { Terminal } from '../../terminal.ts';
import { addExamples } from '../options.ts';
import { addItemCommand, withConnector, type ItemFlags } from './item.ts';

/** `patchbay connector get`: one connector, without its credentials. */
export function addConnectorGetCommand(
  group: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = addItemCommand(group, 'get', 'show a connector, without its credentials').action(
    (id: string | undefined, flags: ItemFlags) =>
      withConnector(id, flags, {
        terminal,
        environment,
        work: async ({ info }) => showConnector(info, flags, terminal),
      }),
  );
  addExamples(command, 'patchbay connector get --kind slack');
}
