import {
  field,
  get,
  list,
  meta,
  paging,
  param,
  type GetAction,
  type Limited,
  type ListAction,
  type Params,
  type Parents,
  type Policies,
  type RateRule,
  type Read,
  type Replicate,
  type Since,
} from '../../vocabulary/index.ts';

/** Known members of how something came in: the channel, and from where. */
export const viaMembers = {
  channel: 'string',
  source: {
    from: { name: 'string', address: 'string' },
    to: { name: 'string', address: 'string' },
    rel: 'string',
  },
} as const;

/** Known members of a file; the record of an attachment has the same names. */
export const attachmentMembers = {
  id: 'integer',
  file_name: 'string',
  content_url: 'string',
  mapped_content_url: 'string',
  content_type: 'string',
  size: 'integer',
  // Zendesk's schema says text, and its examples have both text and numbers.
  width: 'string | integer',
  height: 'string | integer',
  inline: 'boolean',
  deleted: 'boolean',
  malware_access_override: 'boolean',
  malware_scan_result: 'string',
  url: 'string',
} as const;

/** Known members of the value of a custom field. */
export const customFieldMembers = { id: 'integer', value: 'any' } as const;

/** Known members of a rule: all conditions hold, and one of `any`. */
export const conditionsMembers = {
  all: [{ field: 'string', operator: 'string', value: 'any' }],
  any: [{ field: 'string', operator: 'string', value: 'any' }],
} as const;

/** Known members of what a rule does. */
export const ruleActionMembers = { field: 'string', value: 'any' } as const;

/** Known members of who may use a macro or view. */
export const restrictionMembers = { type: 'string', id: 'integer', ids: ['integer'] } as const;

/** Known members of how a change came in: the client of who made it, and what apps added. */
export const metadataMembers = {
  system: {
    client: 'string',
    ip_address: 'string',
    location: 'string',
    latitude: 'number',
    longitude: 'number',
  },
  custom: 'object',
} as const;

/** The vendor's page on an API. */
export function page(path: string): string {
  return `https://developer.zendesk.com/api-reference/${path}/`;
}

/** No params and no fields: what an optional record of them is where nobody gives one. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- emptiness is meant
type Nothing = Record<never, never>;

/** What almost every record says of itself. */
export const url = field.string('Address of the record in the API.');

/** The fields that end most records. */
export const timestamps = {
  created_at: field.string('Creation.'),
  updated_at: field.string('Last change.'),
} as const;

/** `sort_order` of the lists that can be sorted. */
export const sortOrder = param.choice('Direction of the order; pages by number only.', [
  'asc',
  'desc',
]);

/** `sort_by` and `sort_order` of the lists that can be sorted by several things. */
export function orderedBy(words: readonly [string, ...string[]]) {
  const sort_by = param.word('What to sort by; pages by number only, which end at 10,000.', words);
  return { sort_by, sort_order: sortOrder };
}

/** `sort` of the lists whose pages by cursor can be sorted. */
export function sortedBy(words: readonly [string, ...string[]]) {
  const doc = 'What to sort by, - before it for descending; pages by cursor only.';
  return { sort: param.word(doc, words) };
}

/** The orders of views. */
const places = ['alphabetical', 'created_at', 'updated_at', 'position'] as const;
export const byPlace = { ...orderedBy(places), ...sortedBy(places) };

const uses = [...places, 'usage_1h', 'usage_24h', 'usage_7d', 'usage_30d'] as const;

/** The orders of macros, whose pages by cursor have one of their own. */
export const byUsage = orderedBy(uses);

/** The orders of triggers and automations. */
export const byUsageOrPlace = { ...byUsage, ...sortedBy(places) };

/** Restricts business rules to active or inactive ones. */
export const activeOnly = param.boolean('Only active ones, or only inactive ones.');

/** Params of a download besides those that name the file. */
export const rangeParams = {
  range_header: param.string('Bytes to read, as a Range header has them, for example bytes=0-99.', {
    goesTo: 'nowhere',
    pattern: { source: '^bytes=(?:\\d+-\\d*|-\\d+)$', says: 'one range, like bytes=0-99' },
  }),
} as const;

/**
 * Where files lie: content URLs name the account or one of its brands and redirect to a host for
 * files, which takes no credentials.
 */
export const fileHosts = ['*.zendesk.com', '*.zdusercontent.com'] as const;

const pageParam = param.integer('Number of the page, from 1 on; never beyond 10,000 records.', {
  minimum: 1,
});

/** Pages by cursor come only where their size is asked for by a name of its own. */
function perPage(cursorOnly: readonly string[]) {
  return param.pageSize('Records per page; 100 unless given.', {
    maximum: 100,
    upstreamNameWith: { params: ['after', ...cursorOnly], unless: 'page', name: 'page[size]' },
    default: 100,
  });
}

const cursorParams = {
  per_page: perPage([]),
  after: param.string('Cursor of the page to read, from after_cursor; empty for the first page.', {
    upstreamName: 'page[after]',
    isEmptyOmitted: true,
  }),
} as const;

const pageMeta = {
  next_page: meta(field.string('Address of the next page.'), 'next_page'),
  previous_page: meta(field.string('Address of the page before.'), 'previous_page'),
  count: meta(field.integer('Records in all; pages by cursor do not tell.'), 'count'),
} as const;

const cursorMeta = {
  ...pageMeta,
  after_cursor: meta(field.string('Cursor of the next page.'), 'meta.after_cursor'),
} as const;

/** Reads the record that the id at the end of the path names. */
export function getById<const Id extends string>(
  reference: string,
  request: `GET /${string}/{${Id}}.json`,
  record: string,
): GetAction<{ readonly [name in Id]: ReturnType<typeof idParam> }> {
  const what = record.replaceAll('_', ' ');
  const name = request.slice(request.lastIndexOf('{') + 1, request.lastIndexOf('}'));
  return get({
    doc: `Reads one ${what}.`,
    reference,
    request,
    // The name between the last braces is Id, by the type of the request.
    params: { [name]: idParam(`Id of the ${what}.`) } as never,
    record,
  });
}

/** The id of a record, in a path. */
export function idParam(doc: string) {
  return param.integer(doc, { required: true });
}

/** What a list says for itself; `ids` are the params of its path. */
interface ListParts<I extends Params, F extends Params> {
  readonly doc: string;
  readonly ids?: I;
  readonly filters?: F;
  /** Where the body has the records; the last word of the path unless given. */
  readonly records?: string;
  /** Params that only pages by cursor heed; `sort` unless given. */
  readonly cursorOnly?: readonly string[];
  readonly policies?: Policies;
}

/**
 * A list with pages by number, the first 10,000 records only, and by cursor. Pages by cursor have
 * an order of their own, so a walk goes by number where the caller asks for an order.
 *
 * @see https://developer.zendesk.com/api-reference/introduction/pagination/
 */
export function cursorList<const I extends Params = Nothing, const F extends Params = Nothing>(
  reference: string,
  request: `GET /${string}.json`,
  { ids, filters, cursorOnly = ['sort'], ...rest }: ListParts<I, F>,
): ListAction<
  Limited<I & { page: typeof pageParam } & F & typeof cursorParams>,
  typeof cursorMeta
> {
  // Absent means no params, and I and F are then inferred as their default, the empty record.
  const given = { ...(ids as I), page: pageParam, ...(filters as F), ...cursorParams };
  const params = { ...given, per_page: perPage(cursorOnly.filter((name) => name in given)) };
  return list({
    reference,
    request,
    records: lastWordOf(request),
    ...rest,
    params,
    meta: cursorMeta,
    reshape: likeNumberedPage,
    paging: paging.cursor({
      param: 'after',
      next: 'after_cursor',
      walk: {
        start: '',
        unless: ['page', 'sort_by', 'sort_order'].filter((name) => name in params),
      },
      orLink: 'next_page',
      more: { at: 'meta.has_more', is: true },
    }),
  });
}

const numberedParams = { per_page: param.pageSize('Records per page.', { maximum: 100 }) } as const;

/** A list whose pages have numbers and no cursors. */
export function numberedList<const F extends Params = Nothing>(
  reference: string,
  request: `GET /${string}.json`,
  { filters, ...rest }: Omit<ListParts<Nothing, F>, 'ids' | 'cursorOnly'>,
): ListAction<Limited<{ page: typeof pageParam } & F & typeof numberedParams>, typeof pageMeta> {
  return list({
    reference,
    request,
    records: lastWordOf(request),
    ...rest,
    // Absent means no params, as above.
    params: { page: pageParam, ...(filters as F), ...numberedParams },
    meta: pageMeta,
    paging: paging.link({ next: 'next_page' }),
  });
}

const exportPage = page('ticketing/ticket-management/incremental_exports');

/**
 * What an account on the smallest current plan has, 200 a minute for all its integrations together, those that come at
 * once after a pause among them. Larger plans have 400 to 2,500: a factor in `upstreamLimits` makes use of them.
 */
export const accountRate: RateRule = { perMinute: 180, burst: 20, shared: 'connector' };

/** Ten exports a minute, whatever they are of, besides the budget of the account. */
const exportPolicies: Policies = {
  rates: [{ perMinute: 9, burst: 1, shared: 'request', budget: 'exports' }, accountRate],
};

/** The vendor's own size, 1,000, is more than it can answer in time where records are large, and it would stay so. */
const exportSize = param.pageSize('Records per page.', { maximum: 1000, default: 500 });

const streamGoesOn = { at: 'end_of_stream', is: false } as const;

/**
 * What has changed from a time on, deleted records too, by cursor; for admins only.
 *
 * @param constants Those of this export alone.
 */
export function changesOf(name: 'tickets' | 'users', constants: ListAction['constants'] = {}) {
  return list({
    doc: `Exports ${name} in the order of their last change, archived and deleted ones too.`,
    reference: exportPage,
    request: `GET /incremental/${name}/cursor.json`,
    constants,
    params: {
      start_time: param.integer('Changed from this time on, in seconds since 1970.', {
        minimum: 0,
        omittedWith: 'cursor',
      }),
      cursor: param.string('Cursor of the page to read.'),
      per_page: exportSize,
    },
    records: name,
    meta: { after_cursor: meta(field.string('Cursor of the next page.'), 'after_cursor') },
    reshape: untilEndOfStream,
    paging: paging.cursor({ param: 'cursor', next: 'after_cursor', more: streamGoesOn }),
    policies: exportPolicies,
  });
}

/** What has changed of organizations from a time on; their export has pages by time only. */
export function changedOrganizations() {
  return list({
    doc: 'Exports organizations in the order of their last change, deleted ones too.',
    reference: exportPage,
    request: 'GET /incremental/organizations.json',
    params: {
      start_time: param.integer('Changed from this time on, in seconds since 1970.', {
        minimum: 0,
      }),
      // Small records, and a page that is shorter than those of one second would lead to itself.
      per_page: param.pageSize('Records per page.', { maximum: 1000, default: 1000 }),
    },
    records: 'organizations',
    meta: { next_page: pageMeta.next_page },
    reshape: untilEndOfStream,
    paging: paging.link({ next: 'next_page', more: streamGoesOn }),
    policies: exportPolicies,
  });
}

const changedTickets: Parents = {
  entity: 'tickets',
  params: { ticket_id: 'id' },
  changedOnly: true,
  // The ticket was deleted after its export was read.
  refusals: ['record_not_found'],
};

/** Copies of what belongs to tickets: read again where a ticket changed, as by every comment. */
export const ofChangedTickets: Replicate = {
  parents: changedTickets,
  increment: 'same',
  fullEveryHours: 720,
};

/** Reads the metrics of tickets, one ticket after another. */
export function metricsOfTickets(): Read {
  const changed = list({
    doc: 'Reads the metrics of a ticket.',
    reference: page('ticketing/tickets/ticket_metrics'),
    request: 'GET /tickets/{ticket_id}/metrics.json',
    params: { ticket_id: idParam('Ticket id.') },
    records: 'ticket_metric',
    reshape: (body) => {
      const { ticket_metric: found } = membersOf(body);
      // The vendor's specification has the one record in an array, its examples without.
      return { ticket_metric: Array.isArray(found) && found.length === 1 ? found : [found] };
    },
  });
  return { list: changed, parents: changedTickets };
}

/** From when on an export goes. What has changed within the minute before a request is not in it yet, nor what it was before. */
export const sinceOfExport: Since = { param: 'start_time', as: 'seconds', hiddenSeconds: 60 };

/** Takes cursor and link off the last page of an export, which has them for asking again later. */
function untilEndOfStream(body: unknown): unknown {
  const members = membersOf(body);
  return members['end_of_stream'] === true
    ? { ...members, after_cursor: null, next_page: null }
    : body;
}

function lastWordOf(request: string): string {
  return request.slice(request.lastIndexOf('/') + 1, -'.json'.length);
}

/**
 * Gives a page by cursor the links that a numbered page has. The last page has a cursor and a link
 * too; only `has_more` tells that they lead nowhere. Where that is left out, as the vendor's pages on
 * some lists allow, an empty page is the last one.
 */
function likeNumberedPage(body: unknown): unknown {
  const { meta: cursors, links } = membersOf(body);
  if (cursors === undefined) return body;
  const { has_more: hasMore, after_cursor: after } = membersOf(cursors);
  const { next, prev } = membersOf(links);
  const goesOn = hasMore ?? hasRecords(body);
  return {
    ...membersOf(body),
    next_page: goesOn === true ? next : null,
    previous_page: prev,
    meta: { has_more: hasMore, after_cursor: goesOn === true ? after : null },
  };
}

function hasRecords(body: unknown): boolean {
  return Object.values(membersOf(body)).some((value) => Array.isArray(value) && value.length > 0);
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
