import { field, get, list, meta, paging, param, type ListAction } from '../../vocabulary/index.ts';

/** Where Intercom describes a request, in the version that is pinned. */
export function page(path: string): string {
  return `https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/${path}`;
}

/** Known members of the tags of a conversation or company. */
export const tagMembers = {
  type: 'string',
  tags: [
    {
      type: 'string',
      id: 'string',
      name: 'string',
      applied_at: 'integer',
      applied_by: { type: 'string', id: 'string' },
    },
  ],
} as const;

/**
 * Reads one record by the id in the path; its body is the record. Where Intercom has other paths there, `otherThan`
 * are their words.
 */
export function one(name: string, path: string, otherThan: readonly string[] = []) {
  return get({
    doc: `Reads one of the ${name}.`,
    reference: page(path),
    request: `GET /${name}/{id}`,
    params: { id: param.string('Id of the record.', { required: true, otherThan }) },
    record: '$',
  });
}

/** A list that Intercom gives whole. */
export function wholeList(
  name: string,
  path: string,
  rest: Pick<ListAction, 'records' | 'constants'>,
) {
  return list({
    doc: `Lists all ${name}.`,
    reference: page(path),
    request: `GET /${name}`,
    params: {},
    ...rest,
  });
}

/**
 * Reads by the last change, the oldest first: what changes meanwhile comes again at the end.
 *
 * @see https://developers.intercom.com/docs/build-an-integration/learn-more/rest-apis/pagination
 */
export function changesOf(name: string, records: string, path: string) {
  return list({
    doc: `Searches ${name} by their last change, the oldest first.`,
    reference: page(path),
    request: `POST /${name}/search`,
    constants: {
      'query.field': 'updated_at',
      'query.operator': '>',
      'sort.field': 'updated_at',
      'sort.order': 'ascending',
      'pagination.per_page': 150,
    },
    params: {
      updated_after: param.integer('Changed after this time, in seconds since 1970.', {
        required: true,
        upstreamName: 'query.value',
      }),
      starting_after: param.string('Cursor of the page to read.', {
        upstreamName: 'pagination.starting_after',
      }),
    },
    records,
    meta: byCursor().meta,
    paging: byCursor().paging,
  });
}

/** How many records a page has: in a query also where the request is a POST. */
export const pageSize = param.pageSize('Records per page.', { maximum: 150, goesTo: 'query' });

/** How the lists that page go on. */
export const nextPage = paging.cursor({ param: 'starting_after', next: 'next_page' });

/** What lists with a cursor have in common: their params, Meta and what leads on. */
export function byCursor() {
  return {
    params: {
      per_page: pageSize,
      starting_after: param.string('Cursor: next_page of the page before.', { goesTo: 'query' }),
    },
    meta: {
      next_page: meta(field.string('Cursor of the next page.'), 'pages.next.starting_after'),
    },
    paging: nextPage,
  };
}
