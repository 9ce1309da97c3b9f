import type { HostedCallOptions, UntypedConnector } from '@patchbay/client';
import { isReadName } from '@patchbay/connectors/definitions';
import type { Command } from 'commander';
import { collectAssignment, valuesOf, type Assignment } from '../input/assignments.ts';
import { readJsonInput } from '../input/json-input.ts';
import { interruptible } from '../interruption.ts';
import { chooseTarget, STANDARD_OUTPUT } from '../output/download.ts';
import { showResult, showWalk } from '../output/result-view.ts';
import { connectToConnector } from '../service/connect-to-connector.ts';
import { CommandError, type Terminal } from '../terminal.ts';
import { collectNames } from './arguments.ts';
import {
  addConnectorOptions,
  addExamples,
  addJsonOption,
  addServiceOptions,
  type ConnectorFlags,
  type OutputFlags,
  type ServiceFlags,
} from './options.ts';

interface ExecuteFlags extends ServiceFlags, ConnectorFlags, OutputFlags {
  readonly param?: readonly Assignment[];
  readonly params?: string;
  readonly fields?: readonly string[];
  readonly exclude?: readonly string[];
  readonly all?: true;
  readonly output?: string;
  readonly force?: true;
  readonly idempotencyKey?: string;
}

/** `patchbay execute <entity> <action>`: any operation of any connector. */
export function addExecuteCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = program
    .command('execute')
    .argument('<entity>', 'such as users; `patchbay describe` tells them')
    .argument('<action>', 'list, get, create, update, download or search')
    .description('run an operation upstream: list, get, create, update, download')
    .option(
      '-p, --param <name=value>',
      'a param, typed as its definition says; may be given several times',
      collectAssignment,
    )
    .option(
      '--params <file>',
      'JSON file with the params, - for standard input; --param comes first',
    )
    .option('--fields <names>', 'only these fields, comma-separated, dotted', collectNames)
    .option('--exclude <names>', 'all fields but these, comma-separated, dotted', collectNames)
    .option('--all', 'all pages of a list; with --json, one record a line')
    .option('-o, --output <file>', 'where a download goes, - for standard output')
    .option('--force', 'overwrite that file without asking')
    .option('--idempotency-key <key>', 'makes it safe to repeat a write: it is done once a key')
    .action((entity: string, action: string, flags: ExecuteFlags) =>
      execute({ entity, action }, flags, { terminal, environment }),
    );
  addConnectorOptions(command);
  addJsonOption(command);
  addServiceOptions(command);
  addExamples(
    command,
    'patchbay execute users list --kind slack --param limit=20',
    'patchbay execute messages create --kind slack -p channel=C0123 -p text="Hello"',
    'patchbay execute users list --kind slack --all --json | jq -r .real_name',
    'patchbay execute attachments download --kind zendesk-support -p attachment_id=7 -o photo.png',
  );
}

interface Operation {
  readonly entity: string;
  readonly action: string;
}

async function execute(
  operation: Operation,
  flags: ExecuteFlags,
  {
    terminal,
    environment,
  }: { readonly terminal: Terminal; readonly environment: NodeJS.ProcessEnv },
): Promise<void> {
  const { entity, action } = operation;
  if (flags.all === true && action !== 'list')
    throw new CommandError('--all is for lists; `patchbay search --all` is for searches.');
  const isDownload = action === 'download';
  if (flags.output !== undefined && !isDownload)
    throw new CommandError('--output is for downloads; everything else goes where > leads.');
  const target = isDownload
    ? await chooseTarget(flags.output, { force: flags.force === true, terminal })
    : STANDARD_OUTPUT;
  const given = flags.params === undefined ? {} : await readJsonInput(flags.params);
  await interruptible(async (signal) => {
    const { patchbay, info } = await connectToConnector({
      flags,
      terminal,
      environment,
      signal,
    });
    const connector = await patchbay.connector(info.id, { signal });
    const params = { ...given, ...typedParams(connector, operation, flags.param ?? []) };
    const options = { ...callOptions(flags), signal };
    const view = { ...flags, params, target, terminal };
    if (flags.all === true)
      await showWalk(connector.pages(entity, params, options), operation, view);
    else
      await showResult(await connector.execute(entity, action, params, options), operation, view);
  }, interruptionNote(action));
}

/** Params as the types of their declared schemas; without one a value stays a text. */
function typedParams(
  connector: UntypedConnector,
  { entity, action }: Operation,
  assignments: readonly Assignment[],
): Readonly<Record<string, unknown>> {
  if (assignments.length === 0) return {};
  const { actions } = connector.describe(entity);
  const params = actions.find(({ name }) => name === action)?.params ?? [];
  return valuesOf(
    assignments,
    Object.fromEntries(params.map(({ name, schema }) => [name, schema])),
  );
}

function callOptions({ fields, exclude, idempotencyKey }: ExecuteFlags): HostedCallOptions {
  return {
    ...(fields === undefined ? {} : { selectFields: fields }),
    ...(exclude === undefined ? {} : { excludeFields: exclude }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
}

function interruptionNote(action: string): string | undefined {
  return isReadName(action) ? undefined : 'The write may or may not have happened.';
}
