import { entity, field } from '../../vocabulary/index.ts';
import { id, listById, one, page } from './shared.ts';

/** @see docs/reference/support-chat.md#agents */
export const agents = entity({
  name: 'agents',
  doc: 'People who answer chats.',
  reference: page('agents'),
  record: {
    id: field.integer('Agent id.', { always: true }),
    email: field.string('E-mail address.'),
    display_name: field.string('Name that visitors see.'),
    first_name: field.string('First name.'),
    last_name: field.string('Last name.'),
    enabled: field.boolean('May sign in.'),
    role_id: field.integer('Role of the agent.'),
    roles: field.freeForm('Whether the agent owns or administers the account.', {
      administrator: 'boolean',
      owner: 'boolean',
    }),
    departments: field.array('Ids of the departments of the agent.', 'integer'),
    enabled_departments: field.array('Ids of those departments that are enabled.', 'integer'),
    skills: field.array('Ids of the skills of the agent.', 'integer'),
    scope: field.string('Reach of what the agent may do.'),
    create_date: field.string('Creation.'),
    last_login: field.string('Last sign-in.'),
    login_count: field.integer('Sign-ins so far.'),
  },
  actions: { list: listById('agents', 100), get: one('agents', { agent_id: id }) },
  search: {
    // prettier-ignore
    fields: [
      'id', 'email', 'display_name', 'first_name', 'last_name', 'enabled', 'role_id',
      'departments', 'create_date',
    ],
    sortable: ['id', 'email', 'display_name', 'first_name', 'last_name', 'create_date'],
    text: ['email', 'display_name', 'first_name', 'last_name'],
  },
  replicate: { params: { limit: 100 }, fullEveryHours: 24 },
});
