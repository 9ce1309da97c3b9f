import { entity, field, list, searchable } from '../../vocabulary/index.ts';
import { byCursor, one, page } from './shared.ts';

const record = {
  type: field.string('Always company.'),
  id: field.string('Company id.', { always: true }),
  name: field.string('Name.'),
  company_id: field.string('Id that the workspace gave the company.'),
  plan: field.freeForm('Plan that the company is on.'),
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
  tags: field.freeForm('Tags.'),
  segments: field.freeForm('Segments the company is in.'),
  custom_attributes: field.object('Attributes that the workspace defined.'),
};

/** Searchable fields that are in no record, or of another type there. */
const only = { app_id: field.string('Workspace of the company.') };

/** @see docs/reference/customer-messaging.md#companies */
export const companies = entity({
  name: 'companies',
  doc: 'Companies that contacts belong to.',
  reference: page('companies'),
  record,
  actions: {
    list: list({
      doc: 'Lists companies that have contacts, 10,000 at most.',
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
  // Later versions of the API take 60 at most. A scroll would give more companies than the list
  // does, but cannot be resumed.
  replicate: { params: { per_page: 60 }, fullEveryHours: 24 },
});
