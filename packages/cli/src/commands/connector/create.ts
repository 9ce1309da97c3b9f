import type { NewConnector } from '@patchbay/client';
import type { Command } from 'commander';
import { collectAssignment, type Assignment } from '../../input/assignments.ts';
import {
  askForName,
  chooseKind,
  completeSettings,
  kindLines,
  readCredentials,
} from '../../input/connector-input.ts';
import { withoutEcho } from '../../input/typed-line.ts';
import { interruptible } from '../../interruption.ts';
import { showConnector } from '../../output/connector-view.ts';
import { connect } from '../../service/connect.ts';
import type { Terminal } from '../../terminal.ts';
import {
  addExamples,
  addJsonOption,
  addServiceOptions,
  type OutputFlags,
  type ServiceFlags,
} from '../options.ts';

interface CreateFlags extends ServiceFlags, OutputFlags {
  readonly name?: string;
  readonly credentials?: string;
  readonly config?: readonly Assignment[];
  readonly replication?: readonly Assignment[];
  readonly verify?: true;
}

/** `patchbay connector create`: from files and flags, or by asking. */
export function addConnectorCreateCommand(
  group: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = group
    .command('create')
    .argument('[kind]', 'what it connects to, by one of the names below')
    .description('create a connector; its first sync begins at once')
    .option('--name <name>', 'what to call it; the name of the product unless said')
    .option('--credentials <file>', 'JSON file with the credentials, - for standard input')
    .option('--config <name=value>', 'a config variable, such as subdomain=acme', collectAssignment)
    .option(
      '--replication <name=value>',
      'a setting of the replication, such as start_date=2026-01-01T00:00:00Z',
      collectAssignment,
    )
    .option('--verify', 'try the credentials upstream before anything is stored')
    .addHelpText(
      'after',
      `\nKinds:\n${kindLines().join('\n')}\n\n` +
        'What is not given is asked for, in this order: the kind, the name, the credentials, the config, the\n' +
        'replication. Of secrets nothing is shown, and they never stand on the command line, where others\n' +
        'could read them.',
    )
    .action((kind: string | undefined, flags: CreateFlags) =>
      create(kind, flags, { terminal, environment }),
    );
  addJsonOption(command);
  addServiceOptions(command);
  addExamples(
    command,
    'patchbay connector create slack --name "Team chat"',
    'patchbay connector create slack --credentials slack.json --replication start_date=2026-01-01T00:00:00Z \\\n' +
      '      --replication lookback_window=7 --replication join_channels=false',
    'patchbay connector create zendesk-support --config subdomain=acme --credentials - < zendesk.json',
  );
}

async function create(
  kindName: string | undefined,
  flags: CreateFlags,
  {
    terminal,
    environment,
  }: { readonly terminal: Terminal; readonly environment: NodeJS.ProcessEnv },
): Promise<void> {
  // What is missing to call the service is told before anything is asked.
  const patchbay = connect(flags, { terminal, environment });
  const connector = await withoutEcho(terminal, () => askForConnector(kindName, flags, terminal));
  const created = await interruptible(
    (signal) =>
      patchbay.connectors.create(
        { ...connector, ...(flags.verify === true ? { verify: true } : {}) },
        { signal },
      ),
    'It may have been created all the same; `patchbay connector list` tells.',
  );
  showConnector(created, flags, terminal);
}

/** All that makes a connector; what is not given is asked for. */
async function askForConnector(
  kindName: string | undefined,
  flags: CreateFlags,
  terminal: Terminal,
): Promise<NewConnector> {
  const kind = await chooseKind(kindName, terminal);
  const isAsking = flags.credentials === undefined;
  const name = flags.name ?? (isAsking ? await askForName(kind, terminal) : kind.displayName);
  const credentials = await readCredentials(kind, flags.credentials ?? true, terminal);
  const settings = { terminal, asksForAllConfig: isAsking };
  const config = await completeSettings(kind, 'config', { given: flags.config, ...settings });
  const replication = await completeSettings(kind, 'replicationConfig', {
    given: flags.replication,
    ...settings,
  });
  return {
    connector_type: kind.kind,
    name,
    credentials,
    ...(Object.keys(config).length === 0 ? {} : { config }),
    ...(Object.keys(replication).length === 0 ? {} : { replication_config: replication }),
  };
}
