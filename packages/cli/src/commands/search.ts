import type { SearchPage, UntypedConnector, UntypedHit } from '@patchbay/client';
import { Option, type Command } from 'commander';
import { parseJsonObject } from '../input/json-input.ts';
import { sortKeyOf } from '../input/sort-keys.ts';
import { interruptible } from '../interruption.ts';
import { jsonText } from '../output/json-text.ts';
import { freshnessOf, showHits, showHitTable } from '../output/search-view.ts';
import { chooseConnector } from '../service/choose-connector.ts';
import { connect } from '../service/connect.ts';
import { searchPages } from '../service/search-pages.ts';
import type { Terminal } from '../terminal.ts';
import { compileWhere } from '../where-expression/compile.ts';
import { parseExpression } from '../where-expression/parse.ts';
import { collectNames, wholeNumber } from './arguments.ts';
import {
  addConnectorOptions,
  addExamples,
  addJsonOption,
  addServiceOptions,
  type ConnectorFlags,
  type OutputFlags,
  type ServiceFlags,
} from './options.ts';

interface SearchFlags extends ServiceFlags, ConnectorFlags, OutputFlags {
  readonly filter?: string;
  readonly where?: string;
  readonly sort?: readonly string[];
  readonly limit?: number;
  readonly cursor?: string;
  readonly fields?: readonly string[];
  readonly all?: true;
}

const MAX_LIMIT = 10_000;
/** The page size for people, unless they state one; programs get the service's own default. */
const LIMIT_FOR_PEOPLE = 20;

/** `patchbay search <entity>`: the service's copy, by any field. */
export function addSearchCommand(
  program: Command,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): void {
  const command = program
    .command('search')
    .argument('<entity>', 'such as users; `patchbay describe` tells them')
    .description("search the service's copy of an entity, by any of its searchable fields")
    .option('--where <expression>', 'conditions, see below')
    .addOption(
      new Option('--filter <json>', 'the same as a filter of the query language').conflicts(
        'where',
      ),
    )
    .option(
      '--sort <fields>',
      'such as updated:desc,name; the best score first unless said',
      collectNames,
    )
    .option('--limit <number>', 'hits a page', wholeNumber(1, MAX_LIMIT))
    .option('--cursor <cursor>', 'goes on where a page ended')
    .option('--fields <names>', 'only these fields, comma-separated, dotted', collectNames)
    .option('--all', 'all pages; with --json, one hit a line')
    .addHelpText(
      'after',
      '\nExpressions:\n' +
        '  =  !=  >  >=  <  <=      compare; null stands for absent, too\n' +
        '  like keyword fuzzy       texts: %patterns%, any of the words, all of the words nearly\n' +
        '  contains, any (…)        arrays: an element, an object that satisfies an expression\n' +
        '  in (a, b), is null       and all of them with "not" before the operator\n' +
        '  and or not ( )           quote texts with spaces: \'real_name fuzzy "jon smith"\'',
    )
    .action((entity: string, flags: SearchFlags) =>
      search(entity, flags, { terminal, environment }),
    );
  addConnectorOptions(command);
  addJsonOption(command);
  addServiceOptions(command);
  addExamples(
    command,
    "patchbay search contacts --kind intercom --where 'email like %@acme.com and created_at > 1700000000'",
    "patchbay search users --kind slack --where 'real_name fuzzy jonson and not deleted = true' --sort updated:desc",
    'patchbay search users --kind slack --filter \'{"eq":{"is_bot":false}}\' --fields id,real_name --all --json',
  );
}

async function search(
  entity: string,
  flags: SearchFlags,
  {
    terminal,
    environment,
  }: { readonly terminal: Terminal; readonly environment: NodeJS.ProcessEnv },
): Promise<void> {
  const patchbay = connect(flags, environment, 'read');
  const filter = flags.filter === undefined ? undefined : parseJsonObject(flags.filter, '--filter');
  // Refuses a malformed expression before anything is sent; names of fields are checked later.
  if (flags.where !== undefined) parseExpression(flags.where);
  await interruptible(async (signal) => {
    const { id } = await chooseConnector(patchbay, flags, signal);
    const connector = await patchbay.connector(id, { signal });
    const params = paramsOf(flags, {
      filter: flags.where === undefined ? filter : compiledFor(connector, entity, flags.where),
      isForPeople: flags.json !== true,
    });
    if (flags.all === true)
      return await showAll(searchPages(connector, { entity, params, signal }), flags, terminal);
    const page = await connector.execute(entity, 'search', params, { signal });
    if (flags.json === true) return terminal.out(jsonText(page, terminal.isInteractive));
    // A search gives a page of hits.
    showHits(page as SearchPage<UntypedHit>, terminal);
  });
}

/** Compiles `--where`; for an unknown entity it throws the same error as any other call. */
function compiledFor(connector: UntypedConnector, entity: string, where: string) {
  const { searchable } = connector.describe(entity);
  return compileWhere(where, new Map(searchable.map(({ name, type }) => [name, type])));
}

function paramsOf(
  { sort, limit, cursor, fields, all }: SearchFlags,
  { filter, isForPeople }: { readonly filter: unknown; readonly isForPeople: boolean },
): Readonly<Record<string, unknown>> {
  const pageSize = limit ?? (isForPeople && all !== true ? LIMIT_FOR_PEOPLE : undefined);
  return {
    query: {
      ...(filter === undefined ? {} : { filter }),
      ...(sort === undefined ? {} : { sort: sort.map(sortKeyOf) }),
    },
    ...(pageSize === undefined ? {} : { limit: pageSize }),
    ...(cursor === undefined ? {} : { cursor }),
    ...(fields === undefined ? {} : { fields }),
  };
}

async function showAll(
  pages: AsyncIterable<SearchPage<UntypedHit>>,
  { json }: OutputFlags,
  terminal: Terminal,
): Promise<void> {
  let count = 0;
  let freshness = '';
  for await (const { hits, sync } of pages) {
    count += hits.length;
    freshness = freshnessOf(sync);
    if (json === true) terminal.out(hits.map((hit) => jsonText(hit, false)).join(''));
    else showHitTable(hits, terminal);
  }
  if (json !== true) terminal.err(`${count} hits; ${freshness}.\n`);
}
