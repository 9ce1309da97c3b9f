import { entity, field, param } from '../../vocabulary/index.ts';
import {
  activeOnly,
  byPlace,
  conditionsMembers,
  cursorList,
  getById,
  page,
  restrictionMembers,
  timestamps,
  url,
} from './shared.ts';

const reference = page('ticketing/business-rules/views');

export const views = entity({
  name: 'views',
  doc: 'Saved selections of tickets.',
  reference,
  record: {
    id: field.integer('View id.', { always: true }),
    url,
    title: field.string('Title.'),
    active: field.boolean('Is in use.'),
    position: field.integer('Place among the views.'),
    description: field.string('Description.'),
    execution: field.object('Columns, grouping and order.', {
      columns: [{ id: 'string | integer', title: 'string', type: 'string', url: 'string' }],
      group_by: 'string',
      group_order: 'string',
      sort_by: 'string',
      sort_order: 'string',
      group: { id: 'string | integer', title: 'string', order: 'string' },
      sort: { id: 'string | integer', title: 'string', order: 'string' },
    }),
    conditions: field.object('What tickets it shows.', conditionsMembers),
    restriction: field.object('Who may use it; null for everyone.', restrictionMembers),
    raw_title: field.string('Title with dynamic content placeholders.'),
    ...timestamps,
  },
  actions: {
    list: cursorList(reference, 'GET /views.json', {
      doc: 'Lists shared and personal views of the caller.',
      filters: {
        access: param.word('Only those of this reach.', ['personal', 'shared', 'account']),
        active: activeOnly,
        group_id: param.integer('Only those of this group.'),
        ...byPlace,
      },
    }),
    get: getById(reference, 'GET /views/{view_id}.json', 'view'),
  },
});
