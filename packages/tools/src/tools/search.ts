import { isConnectorError } from '@patchbay/connectors/definitions';
import { Type } from 'typebox';
import type { FoundHit, FoundPage, JsonObject } from '../host.ts';
import { MAX_BYTES, MAX_BYTES_ARGUMENT, maxBytesOf } from '../results/budget.ts';
import { fitPage } from '../results/fit-page.ts';
import { shrinkRecord } from '../results/shrink-record.ts';
import { entityNamesIn } from './describe.ts';
import { DEFAULT_PAGE_SIZE } from './list-plan.ts';
import { CONNECTOR_ARGUMENT, resolveConnector } from './resolve-connector.ts';
import { ANY_OBJECT, callOptionsOf, oneOf, READS, type Tool, type ToolContext } from './tool.ts';

/** Finds records in the copy that the service keeps. */
export const searchTool: Tool = {
  name: 'search',
  title: 'Search records',
  describe: ({ mode }) =>
    mode === 'hosted'
      ? `Finds records of an entity by any searchable field, in the synced copy; sync in the answer tells how fresh that is. query: {"filter":{"like":{"email":"%@acme.com"}},"sort":[{"updated_at":"desc"}]}; operators eq, neq, gt, gte, lt, lte, in, like, keyword, fuzzy, contains, any, and, or, not. describe with action "search" tells the fields. ${DEFAULT_PAGE_SIZE} hits unless limit says else; go on with cursor.`
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
    limit: {
      schema: Type.Integer({ minimum: 1, maximum: 10_000 }),
      isRequired: false,
      expects: 'an integer from 1 to 10000',
    },
    cursor: {
      schema: Type.String({ description: 'next_cursor of the page before.' }),
      isRequired: false,
      expects: 'a string',
    },
    fields: {
      schema: Type.Array(Type.String(), { description: 'Only these fields of each hit.' }),
      isRequired: false,
      expects: 'an array of field names',
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
    const id = await resolveConnector(context, connector);
    // The arguments have been checked: a required string.
    return runSearch(context, {
      id,
      entity: entity as string,
      params,
      maxBytes: maxBytesOf({ max_bytes }),
    });
  },
};

/** One page of a search, within its budget. */
export async function runSearch(
  context: ToolContext,
  search: {
    readonly id: string;
    readonly entity: string;
    /** As docs/search.md#params has them, `query` and `limit` not necessarily among them. */
    readonly params: JsonObject;
    readonly maxBytes: number;
  },
): Promise<JsonObject> {
  const { id, entity, maxBytes } = search;
  const { query, limit, ...rest } = search.params;
  const params = { query: query ?? {}, limit: limit ?? DEFAULT_PAGE_SIZE, ...rest };
  const fetchPage = (size: unknown) =>
    context.host.search(id, { entity, params: { ...params, limit: size } }, callOptionsOf(context));
  return fitPage<FoundPage, FoundHit>({
    page: await fetchPage(params.limit),
    maxBytes,
    itemsOf: ({ hits }) => hits,
    render: ({ next_cursor, took_ms, sync }, hits, notice) => ({
      hits,
      next_cursor: notice?.isCut === true ? undefined : next_cursor,
      took_ms,
      sync,
      truncated: notice?.truncated,
    }),
    shrink: (hit, room) => {
      const { record, leftOut } = shrinkRecord(hit.data, room - HIT_BYTES);
      return { item: { ...hit, data: record }, leftOut };
    },
    fetchSmaller: (size) => orNothing(fetchPage(size)),
    goOn: 'Go on with cursor: next_cursor. With fields, more hits fit.',
    repeat: (count) => `Repeat with fields, or with limit ${Math.max(1, count)} or less.`,
    narrow: `Repeat with fields, or with a max_bytes of up to ${MAX_BYTES}.`,
  });
}

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
