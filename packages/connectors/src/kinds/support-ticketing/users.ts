import { entity, field, param, searchable } from '../../vocabulary/index.ts';
import {
  attachmentMembers,
  changesOf,
  cursorList,
  getById,
  page,
  sinceOfExport,
  timestamps,
  url,
} from './shared.ts';

const reference = page('ticketing/users/users');

const record = {
  id: field.integer('User id.', { always: true }),
  url,
  name: field.string('Name.'),
  email: field.string('Primary e-mail address.'),
  alias: field.string('Name that customers see instead.'),
  phone: field.string('Primary phone number.'),
  time_zone: field.string('Time zone, by its name at Zendesk.'),
  locale: field.string('Language, as a BCP 47 tag.'),
  locale_id: field.integer('Language, by its id at Zendesk.'),
  organization_id: field.integer('Default organization.'),
  role: field.string('end-user, agent or admin.'),
  role_type: field.integer('Kind of agent role: 0 for custom, 1 for light agents and so on.'),
  custom_role_id: field.integer('Custom role, for agents.'),
  external_id: field.string('Id in a system of the account.'),
  tags: field.array('Tags.', 'string'),
  active: field.boolean('Has not been deleted.'),
  verified: field.boolean('An identity of the user is verified.'),
  shared: field.boolean('Comes from another account.'),
  shared_agent: field.boolean('Is an agent of another account.'),
  shared_phone_number: field.boolean('Others have the same phone number.'),
  signature: field.string('Signature, for agents.'),
  details: field.string('Details, for example an address.'),
  notes: field.string('Notes.'),
  suspended: field.boolean('Is suspended: may not sign in.'),
  restricted_agent: field.boolean('Has restrictions, for agents.'),
  only_private_comments: field.boolean('May write internal comments only.'),
  moderator: field.boolean('Moderates the forums.'),
  ticket_restriction: field.string('Tickets the user may see, for example groups or assigned.'),
  default_group_id: field.integer('Default group, for agents.'),
  report_csv: field.boolean('May export reports; no longer used.'),
  photo: field.object('Profile picture.', attachmentMembers),
  user_fields: field.object('Values of the custom fields.'),
  last_login_at: field.string('Last sign-in.'),
  two_factor_auth_enabled: field.boolean('Two-factor authentication is on.'),
  iana_time_zone: field.string('Time zone, by its IANA name.'),
  permanently_deleted: field.boolean('Has been deleted for good.'),
  ...timestamps,
} as const;

export const users = entity({
  name: 'users',
  doc: 'Customers, agents and administrators.',
  reference,
  record,
  actions: {
    list: cursorList(reference, 'GET /users.json', {
      doc: 'Lists users.',
      filters: {
        role: param.word('Only users of this role, or of a custom one.', [
          'end-user',
          'agent',
          'admin',
        ]),
        external_id: param.string('Only the user with this id in a system of the account.'),
      },
    }),
    get: getById(reference, 'GET /users/{user_id}.json', 'user'),
  },
  search: searchable(record, {
    only: {
      chat_only: field.boolean('Is an agent of Chat only.'),
    },
    sortable: ['id', 'name', 'email', 'created_at', 'updated_at', 'last_login_at'],
    text: ['name', 'alias', 'email', 'phone', 'details', 'notes', 'external_id'],
  }),
  replicate: {
    list: changesOf('users'),
    params: { start_time: 0 },
    since: sinceOfExport,
    increment: 'same',
    deleted: { field: 'active', is: false },
    // Seldom, for the reason given for tickets.
    fullEveryHours: 720,
  },
});
