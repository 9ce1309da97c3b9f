import { entity, field, param, searchable } from '../../vocabulary/index.ts';
import { cursorList, getById, page, timestamps, url } from './shared.ts';

const reference = page('ticketing/groups/groups');

const record = {
  id: field.integer('Group id.', { always: true }),
  url,
  name: field.string('Name.'),
  description: field.string('Description.'),
  default: field.boolean('Is the group of new agents.'),
  deleted: field.boolean('Has been deleted.'),
  is_public: field.boolean('Is not private.'),
  ...timestamps,
} as const;

export const groups = entity({
  name: 'groups',
  doc: 'Groups of agents.',
  reference,
  record,
  actions: {
    list: cursorList(reference, 'GET /groups.json', {
      doc: 'Lists groups, deleted ones too unless left out.',
      filters: { exclude_deleted: param.boolean('Leave deleted groups out.') },
    }),
    get: getById(reference, 'GET /groups/{group_id}.json', 'group'),
  },
  search: searchable(record, {
    sortable: ['id', 'name', 'created_at', 'updated_at'],
    text: ['name', 'description'],
  }),
});
