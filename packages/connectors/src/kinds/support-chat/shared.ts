import { field, get, list, meta, paging, param, type Params } from '../../vocabulary/index.ts';

/** Where Zendesk describes records and the requests for them. */
export function page(name: string): string {
  return `https://developer.zendesk.com/api-reference/live-chat/chat-api/${name}/`;
}

/** The id that a read by id needs. */
export const id = param.integer('Id of the record.', { required: true });

/** Reads one record; its id is the only param. */
export function one<const P extends Params>(name: string, params: P) {
  return get({
    doc: `Reads one of the ${name}.`,
    reference: page(name),
    request: `GET /${name}/{${Object.keys(params).join()}}`,
    params,
    record: '$',
  });
}

/** A list that Zendesk gives whole. */
export function wholeList(name: string) {
  return list({
    doc: `Lists all ${name}.`,
    reference: page(name),
    request: `GET /${name}`,
    params: {},
    records: '$',
  });
}

/**
 * A list by id, in pages of at most `maximum`. The size is always sent: Zendesk's own is 10, and
 * only who knows the size can tell a short page, which ends the list.
 */
export function listById(name: string, maximum: number, reshape = asItIs) {
  return list({
    doc: `Lists ${name} by id.`,
    reference: page(name),
    request: `GET /${name}`,
    params: {
      limit: param.pageSize('Records per page.', { maximum, default: 100 }),
      since_id: param.integer('Id to begin at, that one included.', { minimum: 0 }),
    },
    reshape,
    records: '$',
    paging: paging.afterLastKey({ param: 'since_id', step: 1 }),
  });
}

/**
 * An incremental export. Without `fields` Zendesk sends little more than ids, so all are asked for.
 * Its link is never null; a short page is the end.
 */
export function exportOf(name: string, unit: 'seconds' | 'microseconds') {
  return list({
    doc: `Exports ${name} in the order of their last change, from a time on.`,
    reference: page('incremental_export'),
    request: `GET /incremental/${name}`,
    params: {
      start_time: param.time('Changed from this time on, at least five minutes ago', unit),
      limit: param.pageSize('Records per page.', { maximum: 1000, default: 1000 }),
      fields: param.string(`Fields to send, as ${name}(one,other); the key has to be there.`, {
        default: `${name}(*)`,
      }),
      // With a time alone, a page full of one time would lead to itself for ever.
      start_id: param.string('Where to go on among records of start_time, from next_page.'),
    },
    records: name,
    meta: {
      next_page: meta(field.string('Link whose start_time and start_id lead on.'), 'next_page'),
      count: meta(field.integer('Records on the page.', { always: true }), 'count', {
        orElse: 'page_length',
      }),
    },
    paging: paging.link({
      next: 'next_page',
      endsShort: true,
      place: ['start_time', 'start_id'],
    }),
  });
}

function asItIs(body: unknown): unknown {
  return body;
}
