import { isConnectorError, SEARCH_PARAMS } from '@patchbay/connectors/definitions';
import { Type } from 'typebox';
import type { SearchHit } from '@patchbay/connectors/wire';
import type { JsonObject, SearchOutcome } from '../host.ts';
import { MAX_BYTES, MAX_BYTES_ARGUMENT, pageBytesOf, SHORT_PAGE_BYTES } from '../results/budget.ts';
import { fitFacets } from '../results/fit-facets.ts';
import { fitPage } from '../results/fit-page.ts';
import { shrinkRecord } from '../results/shrink-record.ts';
import { entityNamesIn } from './describe.ts';
import { DEFAULT_PAGE_SIZE } from './list-plan.ts';
import { CONNECTOR_ARGUMENT, resolveConnector } from './resolve-connector.ts';
import {
  ANY_OBJECT,
  callOptionsOf,
  oneOf,
  READS,
  type Scene,
  type Tool,
  type ToolContext,
} from './tool.ts';

/** With dots between its names, or as an array of them where one has a dot in it. */
const PATH = Type.Union([Type.String(), Type.Array(Type.String())]);

/** Finds records in the copy that the service keeps. */
export const searchTool: Tool = {
  name: 'search',
  title: 'Search records',
  describe: ({ mode, kinds }) =>
    mode === 'hosted'
      ? `Finds records of an entity by any searchable field, in the synced copy; sync in the answer tells how fresh that is. ${exampleOf(kinds)}; operators eq, neq, gt, gte, lt, lte, in, like, keyword, fuzzy, contains, any, and, or, not. describe with action "search" tells the fields. ${DEFAULT_PAGE_SIZE} hits, or as many as fit ${SHORT_PAGE_BYTES} bytes, unless limit or max_bytes say else; go on with cursor. How many match: count; how often a field has which values: facets; both with the first page alone.`
      : 'Not available in open source mode, which keeps no copy to search; use execute with action "list".',
  annotate: () => READS,
  argumentsOf: () => ({
    connector: CONNECTOR_ARGUMENT,
    entity: { schema: Type.String(), isRequired: true, expects: 'the name of an entity' },
    query: {
      schema: ANY_OBJECT,
      isRequired: false,
      expects: 'an object',
    },
    limit: SEARCH_PARAMS.limit,
    cursor: {
      schema: Type.String({ description: 'next_cursor of the page before.' }),
      isRequired: false,
      expects: 'a string',
    },
    fields: {
      schema: Type.Array(PATH, { description: 'Only these fields of each hit.' }),
      isRequired: false,
      expects: 'an array of field names',
    },
    count: SEARCH_PARAMS.count,
    facets: {
      schema: Type.Array(PATH, {
        description: 'Paths, as status or profile.title: the commonest values of each.',
      }),
      isRequired: false,
      expects: SEARCH_PARAMS.facets.expects,
    },
    timeout_ms: SEARCH_PARAMS.timeout_ms,
    allow_partial: {
      ...SEARCH_PARAMS.allow_partial,
      schema: Type.Boolean({
        description: 'A search that takes too long answers with what it found until then.',
      }),
    },
    max_bytes: MAX_BYTES_ARGUMENT,
  }),
  hintsOf: ({ kinds }) => ({
    entity: oneOf(entityNamesIn(kinds, ({ searchable }) => searchable.length > 0)),
    query: {
      description: 'Everything, where left out.',
      properties: { filter: ANY_OBJECT, sort: { type: 'array', items: ANY_OBJECT } },
    },
  }),
  run: async ({ connector, entity, max_bytes, ...params }, context) => {
    const id = await resolveConnector(context, { connector, entity });
    // The arguments have been checked: a required string, and a number where there is one.
    return runSearch(context, {
      id,
      entity: entity as string,
      params,
      max_bytes: max_bytes as number | undefined,
    });
  },
};

/** What entities have one of: words of people, and, most of them, when something was last. */
const WORDS = ['name', 'subject', 'title', 'text'];
const TIMES = ['updated_at', 'updated', 'created_at', 'created', 'ts'];

/** A query that a connector at hand takes. */
function exampleOf(kinds: Scene['kinds']): string {
  for (const { name, searchable } of kinds.flatMap(({ entities }) => entities)) {
    const has = (wanted: string) => searchable.some((field) => field.name === wanted);
    const [word, time] = [WORDS.find(has), TIMES.find(has)];
    if (word === undefined) continue;
    const sort = time === undefined ? { [word]: 'asc' } : { [time]: 'desc' };
    const query = { filter: { like: { [word]: '%an%' } }, sort: [sort] };
    return `query, of ${name}: ${JSON.stringify(query)}`;
  }
  return 'query: filter and sort';
}

/** One page of a search, within its budget. */
export async function runSearch(
  context: ToolContext,
  search: {
    readonly id: string;
    readonly entity: string;
    /** As docs/search.md#params has them, `query` and `limit` not necessarily among them. */
    readonly params: JsonObject;
    /** As it was given. */
    readonly max_bytes: number | undefined;
  },
): Promise<JsonObject> {
  const { id, entity } = search;
  const isSizeGiven = (search.params['limit'] ?? search.params['facets']) !== undefined;
  const maxBytes = pageBytesOf(search, isSizeGiven);
  const ask = ({ query, limit, ...rest }: JsonObject) => {
    const params = { query: query ?? {}, limit: limit ?? DEFAULT_PAGE_SIZE, ...rest };
    return context.host.search(id, { entity, params }, callOptionsOf(context));
  };
  const page = await ask(search.params);
  // What is counted does not depend on the page.
  const { count: _, facets: __, ...again } = search.params;
  const counts = {
    total: page.total,
    facets: page.facets && fitFacets(page.facets, maxBytes * FACETS_SHARE),
  };
  return fitPage<SearchOutcome, SearchHit>({
    page,
    maxBytes,
    itemsOf: ({ hits }) => hits,
    render: ({ next_cursor, took_ms, sync, partial, warnings = [] }, hits, notice) => ({
      hits,
      next_cursor: notice?.isCut === true ? undefined : next_cursor,
      took_ms,
      ...counts,
      sync,
      ...(warnings.length === 0 ? {} : { warnings }),
      partial,
      more: partial === true && notice?.isCut !== true ? GO_ON_SEARCHING : undefined,
      truncated: notice?.truncated,
    }),
    shrink: (hit, room) => {
      const { record, leftOut } = shrinkRecord(hit.data, room - HIT_BYTES);
      return { item: { ...hit, data: record }, leftOut };
    },
    fetchSmaller: (size) => orNothing(ask({ ...again, limit: size })),
    goOn: 'Go on with cursor: next_cursor. With fields, more hits fit.',
    repeat: (size) => `Repeat with fields, or with limit ${Math.max(1, size)} or less.`,
    narrow: `Repeat with fields, or with a max_bytes of up to ${MAX_BYTES}.`,
  });
}

/** What facets may take of an answer. */
const FACETS_SHARE = 1 / 2;
/** A model takes what it gets for everything there is, unless told. */
const GO_ON_SEARCHING =
  'The search ended before it had looked at everything: more hits may follow, even where there are none here. Go on with cursor: next_cursor.';

/** What a hit has besides its data. */
const HIT_BYTES = 512;

/** `undefined` for a page that fails: the model did not ask for it, so it is no reason to fail. */
async function orNothing<T>(page: Promise<T>): Promise<T | undefined> {
  try {
    return await page;
  } catch (error) {
    if (isConnectorError(error)) return undefined;
    throw error;
  }
}
