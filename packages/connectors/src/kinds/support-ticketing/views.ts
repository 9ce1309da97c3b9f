import { entity, field, param } from '../../vocabulary/index.ts';
import {
  activeOnly,
  byPlace,
  conditionsMembers,
  cursorList,
  getById,
  page,
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
    execution: field.object('Columns, grouping and order.'),
    conditions: field.object('What tickets it shows.', conditionsMembers),
    restriction: field.object('Who may use it; null for everyone.'),
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
