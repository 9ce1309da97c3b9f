import { entity, field, list, meta, paging, param, searchable } from '../../vocabulary/index.ts';
import { byCursor, one, page, tagMembers } from './shared.ts';

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
      doc: 'Lists companies that have contacts, 10,000 at most; searches find all of them.',
      reference: page('companies/listallcompanies'),
      // GET /companies looks companies up and knows no cursor.
      request: 'POST /companies/list',
      ...byCursor(),
      records: 'data',
    }),
    get: one('companies', 'companies/retrieveacompanybyid'),
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
    params: { per_page: 60 },
    beyond: { total: 'total_count', most: MOST_LISTED, list: scroll },
    fullEveryHours: 24,
  },
});
