import { entity, field } from '../../vocabulary/index.ts';
import { id, one, page, wholeList } from './shared.ts';

/** @see docs/reference/support-chat.md#roles */
export const roles = entity({
  name: 'roles',
  doc: 'What agents may do, by role.',
  reference: page('roles'),
  record: {
    id: field.integer('Role id.', { always: true }),
    name: field.string('Name.'),
    description: field.string('Description.'),
    enabled: field.boolean('Can be given to agents.'),
    permissions: field.object('What its members may do.'),
    members_count: field.integer('Agents who have it.'),
  },
  actions: { list: wholeList('roles'), get: one('roles', { role_id: id }) },
});
