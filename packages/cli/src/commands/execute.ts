import type { HostedCallOptions, UntypedConnector } from '@patchbay/client';
import type { Command } from 'commander';
import { collectAssignment, valuesOf, type Assignment } from '../input/assignments.ts';
import { readJsonInput } from '../input/json-input.ts';
import { interruptible } from '../interruption.ts';
import { showResult, showWalk } from '../output/result-view.ts';
import { chooseConnector } from '../service/choose-connector.ts';
import { connect } from '../service/connect.ts';
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
  const patchbay = connect(flags, environment);
  const given = flags.params === undefined ? {} : await readJsonInput(flags.params);
  await interruptible(async (signal) => {
    const { id, connector_type: kind } = await chooseConnector(patchbay, flags, signal);
    const connector = await patchbay.connector(id, { signal });
    const params = { ...given, ...typedParams(connector, operation, flags.param ?? []) };
    const options = { ...callOptions(flags), signal };
    const view = { ...flags, kind, params, terminal };
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
  const params = actions.find(({ name }) => name === action)?.params ?? SEARCH_PARAMS;
  return valuesOf(
    assignments,
    Object.fromEntries(params.map(({ name, schema }) => [name, schema])),
  );
}

/** The params of `search`, which searchable entities have besides their definition's actions. */
const SEARCH_PARAMS = [
  { name: 'query', schema: { type: 'object' } },
  { name: 'limit', schema: { type: 'integer' } },
  { name: 'fields', schema: { type: 'array' } },
];

function callOptions({ fields, exclude, idempotencyKey }: ExecuteFlags): HostedCallOptions {
  return {
    ...(fields === undefined ? {} : { selectFields: fields }),
    ...(exclude === undefined ? {} : { excludeFields: exclude }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
}

function interruptionNote(action: string): string | undefined {
  return action === 'create' || action === 'update'
    ? 'The write may or may not have happened.'
    : undefined;
}
