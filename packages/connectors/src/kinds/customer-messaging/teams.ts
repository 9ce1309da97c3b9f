import { entity, field } from '../../vocabulary/index.ts';
import { one, page, wholeList } from './shared.ts';

/** @see docs/reference/customer-messaging.md#teams */
export const teams = entity({
  name: 'teams',
  doc: 'Groups of admins that conversations are assigned to.',
  reference: page('teams'),
  record: {
    type: field.string('Always team.'),
    id: field.string('Team id.', { always: true }),
    name: field.string('Name.'),
    admin_ids: field.integers('Ids of the admins in it.'),
    admin_priority_level: field.freeForm('Ids of the admins who come first, and of those after.', {
      primary_admin_ids: ['integer'],
      secondary_admin_ids: ['integer'],
    }),
  },
  actions: {
    list: wholeList('teams', 'teams/listteams', { records: 'teams' }),
    get: one('teams', 'teams/retrieveteam'),
  },
  search: {
    fields: ['admin_ids', 'id', 'name', 'type'],
    // Null where a team has none; the record has an empty array there.
    only: { admin_ids: field.array('Ids of the admins in it.', 'integer') },
    sortable: ['id', 'name'],
    text: ['name'],
  },
});
