import type { CallRow, Json, Known } from '../call.ts';

/** A search of contacts that is wrong inside its query or fields. */
function wrongQuery(
  name: string,
  query: unknown,
  faults: readonly string[],
  others: Json = {},
): CallRow {
  return {
    name,
    of: 'intercom',
    operation: 'contacts.search',
    target: 'copied',
    params: { query, ...others },
    expect: 'invalid_query',
    faults,
  };
}

/** Searches that are wrong in themselves, or come too early. */
export const WRONG_SEARCHES: readonly CallRow[] = [
  wrongQuery('a field that is misspelled', { filter: { eq: { emial: 'a@example.com' } } }, [
    'params.query.filter.eq.emial',
  ]),
  wrongQuery('an operator that there is not', { filter: { equals: { email: 'a' } } }, [
    'params.query.filter.equals',
  ]),
  wrongQuery('an operand of the wrong type', { filter: { gt: { created_at: 'now' } } }, [
    'params.query.filter.gt.created_at',
  ]),
  wrongQuery('an operator that the field does not take', { filter: { contains: { name: 'x' } } }, [
    'params.query.filter.contains.name',
  ]),
  wrongQuery('in without an array', { filter: { in: { email: 'a@example.com' } } }, [
    'params.query.filter.in.email',
  ]),
  wrongQuery('an operator beside the filter', { eq: { email: 'a' } }, ['params.query.eq']),
  wrongQuery('a filter that is an array', { filter: [] }, ['params.query.filter']),
  wrongQuery('a sort that is no array', { sort: { name: 'asc' } }, ['params.query.sort']),
  wrongQuery('an order that there is not', { sort: [{ name: 'upwards' }] }, [
    'params.query.sort.0.name',
  ]),
  wrongQuery('a sort by an object', { sort: [{ created_at: 'asc' }, { location: 'asc' }] }, [
    'params.query.sort.1.location',
  ]),
  wrongQuery('fields that there are not', {}, ['params.fields.1'], { fields: ['id', 'nme'] }),
  wrongQuery(
    'everything wrong in a query at once',
    {
      filter: { and: [{ eq: { emial: 'a' } }, { lke: { name: 'b' } }], not: { lt: { name: 5 } } },
      sort: [{ nam: 'asc' }],
    },
    [
      'params.query.filter.and.0.eq.emial',
      'params.query.filter.and.1.lke',
      'params.query.filter.not.lt.name',
      'params.query.sort.0.nam',
    ],
  ),
  {
    name: 'no hits asked for',
    of: 'intercom',
    operation: 'contacts.search',
    target: 'copied',
    params: { query: {}, limit: 0 },
    expect: 'invalid_params',
    faults: ['params.limit'],
  },
  {
    name: 'params that a search has not',
    of: 'intercom',
    operation: 'contacts.search',
    target: 'copied',
    params: { query: {}, per_page: 5 },
    expect: 'invalid_params',
    faults: ['params.per_page'],
  },
  {
    name: 'no query',
    of: 'intercom',
    operation: 'contacts.search',
    target: 'copied',
    params: { limit: 1 },
    expect: 'invalid_query',
    faults: ['params.query'],
    notBy: { mcp: 'Without a query it means everything.' },
  },
  {
    name: 'select_fields, which is for records',
    of: 'intercom',
    operation: 'contacts.search',
    target: 'copied',
    params: { query: {}, limit: 1 },
    selectFields: ['id'],
    expect: 'invalid_request',
    faults: ['select_fields'],
    notBy: {
      cli: 'Its option for both is --fields.',
      mcp: 'It takes select_fields of a search for its fields.',
    },
  },
  {
    name: 'a cursor that nobody gave',
    of: 'intercom',
    operation: 'contacts.search',
    target: 'copied',
    params: { query: {}, limit: 1, cursor: 'nonsense' },
    expect: 'invalid_cursor',
  },
  {
    name: 'the cursor of another query',
    of: 'intercom',
    operation: 'contacts.search',
    target: 'copied',
    params: ({ hitsCursor }: Known) => ({
      query: { sort: [{ name: 'asc' }] },
      limit: 1,
      cursor: hitsCursor,
    }),
    expect: 'invalid_cursor',
  },
  {
    name: 'before anything is copied',
    of: 'support',
    operation: 'tickets.search',
    params: { query: {}, limit: 1 },
    expect: 'search_not_ready',
  },
  {
    name: 'where the connector is paused, and nothing is copied',
    of: 'slack',
    operation: 'users.search',
    target: 'paused',
    params: { query: {}, limit: 1 },
    expect: 'search_not_ready',
  },
];
