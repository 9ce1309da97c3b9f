import type { ConnectorChange } from '@patchbay/client';
import { findKind } from '@patchbay/connectors/definitions';
import type { Command } from 'commander';
import { collectAssignment, type Assignment } from '../../input/assignments.ts';
import { readCredentials, settingsOf } from '../../input/connector-input.ts';
import { withoutEcho } from '../../input/typed-line.ts';
import { showConnector } from '../../output/connector-view.ts';
import { CommandError, type Terminal } from '../../terminal.ts';
import { addExamples } from '../options.ts';
import { addItemCommand, withConnector, type Item, type ItemFlags } from './item.ts';

type UpdateFlags = ItemFlags & {
  readonly name?: string;
  /** `true` where they are to be asked for. */
  readonly credentials?: string | true;
  readonly config?: readonly Assignment[];
  readonly replication?: readonly Assignment[];
};

/** `patchbay connector update`: name, credentials and settings. */
export function addConnectorUpdateCommand(
  group: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = addItemCommand(
    group,
    'update',
    'change a connector; what is not given stays as it is',
  )
    .option('--name <name>', 'what to call it')
    .option(
      '--credentials [file]',
      'new credentials: a JSON file, - for standard input; without a value they are asked for',
    )
    .option('--config <name=value>', 'a config variable, such as subdomain=acme', collectAssignment)
    .option(
      '--replication <name=value>',
      'a setting of the replication, such as lookback_window=7',
      collectAssignment,
    )
    .action((id: string | undefined, flags: UpdateFlags) =>
      update(id, flags, { terminal, environment }),
    );
  addExamples(
    command,
    'patchbay connector update --kind slack --name "Team chat"',
    'patchbay connector update --kind slack --credentials',
    'patchbay connector update --kind zendesk-support --credentials - < zendesk.json',
  );
}

async function update(
  id: string | undefined,
  flags: UpdateFlags,
  {
    terminal,
    environment,
  }: { readonly terminal: Terminal; readonly environment: NodeJS.ProcessEnv },
): Promise<void> {
  const { name, credentials, config, replication } = flags;
  if ([name, credentials, config, replication].every((each) => each === undefined))
    throw new CommandError(
      'What shall change? Give --name, --credentials, --config or --replication.',
    );
  await withConnector(id, flags, {
    terminal,
    environment,
    work: async (item) => {
      const change = await changeOf(flags, item, terminal);
      const { patchbay, info, signal } = item;
      showConnector(await patchbay.connectors.update(info.id, change, { signal }), flags, terminal);
    },
  });
}

async function changeOf(
  { name, credentials, config, replication }: UpdateFlags,
  { info }: Item,
  terminal: Terminal,
): Promise<ConnectorChange> {
  const kind = findKind(info.connector_type);
  return {
    ...(name === undefined ? {} : { name }),
    ...(credentials === undefined
      ? {}
      : {
          credentials: await withoutEcho(terminal, () =>
            readCredentials(kind, credentials, terminal),
          ),
        }),
    ...(config === undefined ? {} : { config: settingsOf(kind, 'config', config) }),
    ...(replication === undefined
      ? {}
      : { replication_config: settingsOf(kind, 'replicationConfig', replication) }),
  };
}
