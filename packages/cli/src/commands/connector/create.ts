import type { Command } from 'commander';
import { collectAssignment, type Assignment } from '../../input/assignments.ts';
import {
  completeSettings,
  describeKindNamed,
  readCredentials,
} from '../../input/connector-input.ts';
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
    .argument('<kind>', 'slack, zendesk-chat, intercom, zendesk-support, or their kinds')
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
      '\nWithout --credentials they are asked for, and not shown. They never stand on the command line,\n' +
        'where others could read them.',
    )
    .action((kind: string, flags: CreateFlags) => create(kind, flags, { terminal, environment }));
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
  kindName: string,
  flags: CreateFlags,
  {
    terminal,
    environment,
  }: { readonly terminal: Terminal; readonly environment: NodeJS.ProcessEnv },
): Promise<void> {
  const kind = describeKindNamed(kindName);
  const patchbay = connect(flags, environment);
  const credentials = await readCredentials(kind, flags.credentials ?? true, terminal);
  const config = await completeSettings(kind.config, flags.config ?? [], terminal);
  const { fields } = kind.replication_config;
  const replication = await completeSettings(fields, flags.replication ?? [], terminal);
  const created = await interruptible(
    (signal) =>
      patchbay.connectors.create(
        {
          connector_type: kind.kind,
          name: flags.name ?? kind.display_name,
          credentials,
          ...(Object.keys(config).length === 0 ? {} : { config }),
          ...(Object.keys(replication).length === 0 ? {} : { replication_config: replication }),
          ...(flags.verify === true ? { verify: true } : {}),
        },
        { signal },
      ),
    'It may have been created all the same; `patchbay connector list` tells.',
  );
  showConnector(created, flags, terminal);
}
