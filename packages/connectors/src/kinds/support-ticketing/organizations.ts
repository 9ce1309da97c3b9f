import { entity, field, searchable } from '../../vocabulary/index.ts';
import {
  changedOrganizations,
  cursorList,
  getById,
  page,
  sinceOfExport,
  timestamps,
  url,
} from './shared.ts';

const reference = page('ticketing/organizations/organizations');

const record = {
  id: field.integer('Organization id.', { always: true }),
  url,
  name: field.string('Name, unique in the account.'),
  details: field.string('Details, for example an address.'),
  notes: field.string('Notes.'),
  group_id: field.integer('Group that new tickets go to.'),
  shared_tickets: field.boolean("Users see one another's tickets."),
  shared_comments: field.boolean("Users may comment on one another's tickets."),
  external_id: field.string('Id in a system of the account.'),
  domain_names: field.array('Domains whose users belong to it.', 'string'),
  tags: field.array('Tags.', 'string'),
  organization_fields: field.object('Values of the custom fields.'),
  ...timestamps,
} as const;

export const organizations = entity({
  name: 'organizations',
  doc: 'Companies and other groups that users belong to.',
  reference,
  record,
  actions: {
    list: cursorList(reference, 'GET /organizations.json', { doc: 'Lists organizations.' }),
    get: getById(reference, 'GET /organizations/{organization_id}.json', 'organization'),
  },
  search: searchable(record, {
    only: {
      deleted_at: field.string('Deletion.'),
    },
    sortable: ['id', 'name', 'created_at', 'updated_at'],
    text: ['name', 'details', 'notes', 'external_id', 'domain_names'],
  }),
  replicate: {
    increment: {
      list: changedOrganizations(),
      since: sinceOfExport,
    },
    deleted: { field: 'deleted_at' },
    fullEveryHours: 168,
  },
});
