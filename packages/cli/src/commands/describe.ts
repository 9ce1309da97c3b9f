import type { Command } from 'commander';
import { describeKind, findKind, type KindDescription } from '@patchbay/connectors/definitions';
import { interruptible } from '../interruption.ts';
import { describedPart, showDescription } from '../output/description-view.ts';
import { jsonText } from '../output/json-text.ts';
import type { ConnectPlace } from '../service/connect.ts';
import { connectToConnector } from '../service/connect-to-connector.ts';
import { CommandError, type Terminal } from '../terminal.ts';
import {
  addConnectorOptions,
  addExamples,
  addJsonOption,
  addServiceOptions,
  type ConnectorFlags,
  type OutputFlags,
  type ServiceFlags,
} from './options.ts';

interface DescribeFlags extends ServiceFlags, ConnectorFlags, OutputFlags {}

/** `patchbay describe [entity [action]]`: what a connector can do. */
export function addDescribeCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = program
    .command('describe')
    .argument('[entity]', 'its actions, record and searchable fields')
    .argument('[action]', 'its params')
    .description('tell what a connector can do: entities, actions, params, fields')
    .addHelpText('after', '\nWith --kind it needs no service and no login.')
    .action((entity: string | undefined, action: string | undefined, flags: DescribeFlags) =>
      describe({ entity, action }, flags, { terminal, environment }),
    );
  addConnectorOptions(command);
  addJsonOption(command);
  addServiceOptions(command);
  addExamples(
    command,
    'patchbay describe --kind slack',
    'patchbay describe --kind slack users',
    'patchbay describe --kind slack messages create',
  );
}

async function describe(
  path: { readonly entity: string | undefined; readonly action: string | undefined },
  flags: DescribeFlags,
  {
    terminal,
    environment,
  }: { readonly terminal: Terminal; readonly environment: NodeJS.ProcessEnv },
): Promise<void> {
  if (path.entity === '' || path.action === '')
    throw new CommandError('The names of entities and actions are not empty.');
  const part = describedPart(await findDescription(flags, { terminal, environment }), path);
  if (flags.json === true) return terminal.out(jsonText(part.value, terminal.isInteractive));
  showDescription(part, terminal);
}

/** Describes a named kind from its definition; the service is only asked about connectors. */
async function findDescription(
  flags: DescribeFlags,
  { terminal, environment }: ConnectPlace,
): Promise<KindDescription> {
  if (flags.kind !== undefined) return describeKind(findKind(flags.kind));
  return await interruptible(async (signal) => {
    const { patchbay, info } = await connectToConnector({
      flags,
      terminal,
      environment,
      signal,
      access: 'read',
    });
    return await patchbay.connectors.describe(info.id, { signal });
  });
}
