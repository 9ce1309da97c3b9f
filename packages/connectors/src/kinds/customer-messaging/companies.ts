import { ConnectorError } from '../../errors.ts';
import { isJsonObject } from '../../json-value.ts';
import { asInteger } from '../../scalars.ts';
import { entity, field, list, meta, paging, param, searchable } from '../../vocabulary/index.ts';
import { nextPage, one, page, pageSize, tagMembers } from './shared.ts';

const record = {
  type: field.string('Always company.'),
  id: field.string('Company id.', { always: true }),
  name: field.string('Name.'),
  company_id: field.string('Id that the workspace gave the company.'),
  plan: field.freeForm('Plan that the company is on.', {
    type: 'string',
    id: 'string',
    name: 'string',
  }),
  size: field.integer('People in the company.'),
  industry: field.string('Industry.'),
  website: field.string('Website.'),
  remote_created_at: field.integer('Creation in the workspace, in seconds since 1970.'),
  created_at: field.integer('Creation in Intercom, in seconds since 1970.'),
  updated_at: field.integer('Last change, in seconds since 1970.'),
  last_request_at: field.integer('Last request from a contact, in seconds since 1970.'),
  session_count: field.integer('Sessions of its contacts.'),
  monthly_spend: field.number('What the company pays a month.'),
  user_count: field.integer('Contacts of the company.'),
  tags: field.freeForm('Tags.', tagMembers),
  segments: field.freeForm('Segments the company is in.', {
    type: 'string',
    segments: [
      {
        type: 'string',
        id: 'string',
        name: 'string',
        created_at: 'integer',
        updated_at: 'integer',
        person_type: 'string',
        count: 'integer',
      },
    ],
  }),
  custom_attributes: field.object('Attributes that the workspace defined.'),
};

/** Searchable fields that are in no record, or of another type there. */
const only = { app_id: field.string('Workspace of the company.') };

/** What the lists of companies have in common: pages with numbers. */
const numbered = {
  reference: page('companies/listallcompanies'),
  // GET /companies looks companies up.
  request: 'POST /companies/list',
  params: {
    per_page: pageSize,
    starting_after: param.string('Page: next_page of the page before, in pages of the same size.', {
      goesTo: 'query',
      upstreamNameOfDigits: 'page',
    }),
  },
  records: 'data',
  meta: { next_page: meta(field.string('Number of the next page, or its cursor.'), 'pages.next') },
  paging: nextPage,
  reshape: withNumberOfNext,
} as const;

/**
 * A company that is used or deleted while others are listed moves some of them to the page before, when
 * that was read already. So copies read the list from both ends: what one way misses, the other finds.
 */
const inOrder = list({
  ...numbered,
  doc: 'Lists companies in the order of their last use.',
  params: {
    ...numbered.params,
    order: param.choice('Which come first: those used last, or first.', ['desc', 'asc'], {
      goesTo: 'query',
    }),
  },
});

/** The most companies that a list gives. */
const MOST_LISTED = 10_000;

/**
 * Reads all companies, 100 a page: one at a time for each app, and never twice the same page. One that
 * is not used for a minute is over.
 */
const scroll = list({
  doc: 'Reads all companies, however many there are.',
  reference: page('companies/scrolloverallcompanies'),
  request: 'GET /companies/scroll',
  params: { scroll_param: param.string('Cursor: scroll_param of the page before.') },
  records: 'data',
  meta: { scroll_param: meta(field.string('Cursor of the next page.'), 'scroll_param') },
  paging: paging.scroll({ param: 'scroll_param', next: 'scroll_param', taken: 'scroll_exists' }),
});

/** @see docs/reference/customer-messaging.md#companies */
export const companies = entity({
  name: 'companies',
  doc: 'Companies that contacts belong to.',
  reference: page('companies'),
  record,
  actions: {
    list: list({
      doc: 'Lists companies that have contacts, 10,000 at most, the most recently used first; searches find all of these. One that is used during a walk may come twice, or not at all.',
      ...numbered,
    }),
    get: one('companies', 'companies/retrieveacompanybyid', ['scroll']),
  },
  search: searchable(record, {
    without: ['last_request_at'],
    only,
    // prettier-ignore
    sortable: [
      'id', 'name', 'company_id', 'created_at', 'updated_at', 'remote_created_at', 'monthly_spend',
      'size', 'user_count',
    ],
    text: ['name', 'company_id', 'industry', 'website', 'custom_attributes'],
  }),
  // Small accounts are listed: that can go on where it was interrupted, and keeps no other program of
  // the customer's from its scroll. Later versions of the API take 60 a page at most.
  replicate: {
    list: inOrder,
    params: { per_page: 60 },
    parts: { param: 'order', values: ['desc', 'asc'], refusals: [] },
    beyond: { total: 'total_count', most: MOST_LISTED, list: scroll },
    fullEveryHours: 24,
  },
});

type JsonObject = Readonly<Record<string, unknown>>;

/** Puts the number of the next page where Intercom has its address, or a cursor; null at the end of the list. */
function withNumberOfNext(body: unknown, { starting_after: cursor }: JsonObject): unknown {
  if (!isJsonObject(body) || !isJsonObject(body['pages'])) return body;
  const { pages } = body;
  const isNext = cursor !== undefined && cursor !== '' && asInteger(cursor) !== 1;
  if (pages['page'] === 1 && isNext) throw notHeeded();
  const isEmpty = Array.isArray(body['data']) && body['data'].length === 0;
  return { ...body, pages: { ...pages, next: numberOfNext(pages, isEmpty) } };
}

/** What leads to no page, such as the id of a company, Intercom ignores: its first page would look like the next one. */
function notHeeded(): ConnectorError<'invalid_cursor'> {
  return new ConnectorError(
    'invalid_cursor',
    { entity: 'companies', action: 'list' },
    {
      message:
        'Intercom began the list anew: starting_after must be next_page of the page before, the number of a page.',
    },
  );
}

function numberOfNext({ next, page: number, total_pages: pages }: JsonObject, isEmpty: boolean) {
  const following = typeof number === 'number' ? number + 1 : undefined;
  if (next === undefined || next === null) {
    const isLast = isEmpty || following === undefined || !(following <= (asInteger(pages) ?? 0));
    return isLast ? null : String(following);
  }
  const told = isJsonObject(next) ? placeIn(next) : pageOf(next);
  if (told !== undefined) return String(told);
  throw new ConnectorError(
    'upstream_contract_broken',
    { entity: 'companies', action: 'list' },
    {
      message:
        'The answer of Intercom is not what it documents: "pages.next" leads to no page, so the list is incomplete.',
    },
  );
}

/** A link may be relative; only its query counts. */
const ANY_BASE = 'https://relative.invalid';

function pageOf(link: unknown): number | undefined {
  if (typeof link !== 'string' || !URL.canParse(link, ANY_BASE)) return undefined;
  return asInteger(new URL(link, ANY_BASE).searchParams.get('page'));
}

/** The schema has an object with a cursor, as other lists do. */
function placeIn(next: JsonObject): string | number | undefined {
  const { page: number, starting_after: cursor } = next;
  return typeof cursor === 'string' && cursor !== '' ? cursor : asInteger(number);
}
