import type { Command } from 'commander';
import { requireYes } from '../../input/require-yes.ts';
import { jsonText } from '../../output/json-text.ts';
import { CommandError, type Terminal } from '../../terminal.ts';
import { addExamples } from '../options.ts';
import { addItemCommand, withConnector, type ItemFlags } from './item.ts';

type DeleteFlags = ItemFlags & { readonly yes?: true; readonly revoke: boolean };

/** `patchbay connector delete`: the connector, its credentials and its copies. */
export function addConnectorDeleteCommand(
  group: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = addItemCommand(
    group,
    'delete',
    'delete a connector, its credentials and its copies; upstream, only tokens are revoked',
  )
    .option('--yes', 'do not ask')
    .option('--no-revoke', 'leave OAuth tokens as they are upstream')
    .action((id: string | undefined, flags: DeleteFlags) =>
      deleteConnector(id, flags, { terminal, environment }),
    );
  addExamples(
    command,
    'patchbay connector delete 01970000-0000-7000-8000-000000000000',
    'patchbay connector delete --kind slack --yes',
  );
}

async function deleteConnector(
  id: string | undefined,
  flags: DeleteFlags,
  {
    terminal,
    environment,
  }: { readonly terminal: Terminal; readonly environment: NodeJS.ProcessEnv },
): Promise<void> {
  // Other commands take the only connector there is when none is named; deleting does not.
  if (id === undefined && flags.connector === undefined && flags.kind === undefined)
    throw new CommandError('Which connector? Give its id, --connector or --kind.');
  await withConnector(id, flags, {
    environment,
    work: async ({ patchbay, info, signal }) => {
      await requireYes(
        terminal,
        flags.yes,
        `Delete the ${info.connector_type} connector "${info.name}" (${info.id}), its credentials and its copies?`,
      );
      const deleted = await patchbay.connectors.delete(info.id, { signal, revoke: flags.revoke });
      if (flags.json === true)
        terminal.out(jsonText({ id: info.id, ...deleted }, terminal.isInteractive));
      else terminal.err(`Deleted ${info.id}; its copies go in the background.\n`);
    },
  });
}
