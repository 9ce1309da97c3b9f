import { Patchbay } from '@patchbay/client';
import type { Command } from 'commander';
import { requireYes } from '../../input/require-yes.ts';
import { interruptible } from '../../interruption.ts';
import { jsonText } from '../../output/json-text.ts';
import { settingsToSend } from '../../service/connect.ts';
import { CommandError, type Terminal } from '../../terminal.ts';
import { addExamples } from '../options.ts';
import { addItemCommand, withConnector, type ItemFlags } from './item.ts';

type DeleteFlags = ItemFlags & {
  readonly all?: true;
  readonly yes?: true;
  readonly revoke: boolean;
};

interface Place {
  readonly terminal: Terminal;
  readonly environment: NodeJS.ProcessEnv;
}

/** `patchbay connector delete`: the connector, or all of an external user, with credentials and copies. */
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
    .option('--all', 'every connector of the external user')
    .option('--yes', 'do not ask')
    .option('--no-revoke', 'leave OAuth tokens as they are upstream')
    .action((id: string | undefined, flags: DeleteFlags) =>
      flags.all === true
        ? deleteAll(id, flags, { terminal, environment })
        : deleteConnector(id, flags, { terminal, environment }),
    );
  addExamples(
    command,
    'patchbay connector delete 01970000-0000-7000-8000-000000000000',
    'patchbay connector delete --kind slack --yes',
    'patchbay connector delete --all --external-user alice',
  );
}

async function deleteConnector(
  id: string | undefined,
  flags: DeleteFlags,
  { terminal, environment }: Place,
): Promise<void> {
  // Other commands take the only connector there is when none is named; deleting does not.
  if (id === undefined && flags.connector === undefined && flags.kind === undefined)
    throw new CommandError('Which connector? Give its id, --connector or --kind; or --all.');
  await withConnector(id, flags, {
    terminal,
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

async function deleteAll(
  id: string | undefined,
  { connector, kind, yes, revoke, ...flags }: DeleteFlags,
  { terminal, environment }: Place,
): Promise<void> {
  if (id !== undefined || connector !== undefined || kind !== undefined)
    throw new CommandError('--all is every connector: name none beside it.');
  const settings = settingsToSend(flags, { terminal, environment });
  const { externalUserId } = settings;
  const whose = `Delete every connector of ${externalUserId}, their credentials and copies?`;
  await requireYes(terminal, yes, whose);
  const patchbay = new Patchbay(settings);
  const deleted = await interruptible((signal) =>
    patchbay.deleteExternalUser(externalUserId, { signal, revoke }),
  );
  if (flags.json === true)
    terminal.out(
      jsonText({ external_user_id: externalUserId, ...deleted }, terminal.isInteractive),
    );
  else
    terminal.err(
      `Deleted every connector of ${externalUserId}; copies go in the background (job ${deleted.job_id}).\n`,
    );
}
