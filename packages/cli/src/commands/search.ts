import type { SearchPage, UntypedConnector, UntypedHit } from '@patchbay/client';
import { MAX_HITS, MAX_SEARCH_MS, type Warning } from '@patchbay/connectors/definitions';
import { Option, type Command } from 'commander';
import { parseJsonObject } from '../input/json-input.ts';
import { sortKeyOf } from '../input/sort-keys.ts';
import { interruptible } from '../interruption.ts';
import { jsonText } from '../output/json-text.ts';
import { freshnessOf, showCounts, showHits, showHitTable } from '../output/search-view.ts';
import { tellWarnings } from '../output/tell-warnings.ts';
import { connectToConnector } from '../service/connect-to-connector.ts';
import { CommandError, type Terminal } from '../terminal.ts';
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
  readonly count?: true;
  readonly facets?: readonly string[];
  readonly timeoutMs?: number;
  readonly allowPartial?: true;
}

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
    .option('--limit <number>', 'hits a page', wholeNumber(1, MAX_HITS))
    .option('--cursor <cursor>', 'goes on where a page ended')
    .option('--fields <names>', 'only these fields, comma-separated, dotted', collectNames)
    .option('--all', 'all pages; with --json, one hit a line')
    .option('--count', 'tells how many records match, whatever the page holds')
    .option(
      '--facets <fields>',
      'how many records have which value there, comma-separated, dotted',
      collectNames,
    )
    .option(
      '--timeout-ms <milliseconds>',
      'how long it may search; 2000 unless said',
      wholeNumber(1, MAX_SEARCH_MS),
    )
    .option('--allow-partial', 'what was found until then, where it takes too long, not an error')
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
    'patchbay search users --kind slack --count --facets is_bot,profile.title --limit 1',
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
  if (flags.all === true && flags.json === true && isCounting(flags))
    throw new CommandError(
      '--all --json brings one hit a line, and has no place for --count and --facets; ask for one page.',
    );
  const filter = flags.filter === undefined ? undefined : parseJsonObject(flags.filter, '--filter');
  // Refuses a malformed expression before anything is sent; names of fields are checked later.
  if (flags.where !== undefined) parseExpression(flags.where);
  await interruptible(async (signal) => {
    const { patchbay, info } = await connectToConnector({
      flags,
      terminal,
      environment,
      signal,
      access: 'read',
    });
    const connector = await patchbay.connector(info.id, { signal });
    const params = paramsOf(flags, {
      filter: flags.where === undefined ? filter : compiledFor(connector, entity, flags.where),
      isForPeople: flags.json !== true,
    });
    if (flags.all === true)
      return await showAll(connector.search.pages(entity, params, { signal }), {
        ...flags,
        params,
        terminal,
      });
    const page = await connector.search(entity, params, { signal });
    if (flags.json === true) return terminal.out(jsonText(page, terminal.isInteractive));
    showHits(page, params, terminal);
  });
}

/** Compiles `--where`; for an unknown entity it throws the same error as any other call. */
function compiledFor(connector: UntypedConnector, entity: string, where: string) {
  const { searchable } = connector.describe(entity);
  return compileWhere(where, new Map(searchable.map(({ name, type }) => [name, type])));
}

function isCounting({ count, facets }: SearchFlags): boolean {
  return count === true || facets !== undefined;
}

function paramsOf(
  { sort, limit, cursor, fields, all, count, facets, timeoutMs, allowPartial }: SearchFlags,
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
    ...(count === undefined ? {} : { count }),
    ...(facets === undefined ? {} : { facets }),
    ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }),
    ...(allowPartial === undefined ? {} : { allow_partial: allowPartial }),
  };
}

async function showAll(
  pages: AsyncIterable<SearchPage<UntypedHit>>,
  {
    json,
    params,
    terminal,
  }: OutputFlags & {
    readonly params: Readonly<Record<string, unknown>>;
    readonly terminal: Terminal;
  },
): Promise<void> {
  let count = 0;
  let freshness = '';
  let told: readonly Warning[] = [];
  for await (const page of pages) {
    const { hits, sync, warnings } = page;
    count += hits.length;
    freshness = freshnessOf(sync);
    // Those of the first page are of all of them.
    if (told.length === 0) told = warnings;
    if (json === true) terminal.out(hits.map((hit) => jsonText(hit, false)).join(''));
    else {
      showHitTable(hits, params, terminal);
      showCounts(page, terminal);
    }
  }
  tellWarnings(told, terminal);
  if (json !== true) terminal.err(`${count} hits; ${freshness}.\n`);
}
