import { entity, field } from '../../vocabulary/index.ts';
import { id, one, page, wholeList } from './shared.ts';

/** @see docs/reference/support-chat.md#departments */
export const departments = entity({
  name: 'departments',
  doc: 'Groups of agents that chats are routed to.',
  reference: page('departments'),
  record: {
    id: field.integer('Department id.', { always: true }),
    name: field.string('Name.'),
    description: field.string('Description.'),
    enabled: field.boolean('Takes chats.'),
    members: field.array('Ids of the agents in it.', 'integer'),
    settings: field.freeForm('Settings, such as the most chats at once.', {
      chat_limit: 'integer',
    }),
  },
  actions: { list: wholeList('departments'), get: one('departments', { department_id: id }) },
  search: {
    fields: ['id', 'name', 'enabled', 'members'],
    sortable: ['id', 'name'],
    text: ['name'],
  },
});
