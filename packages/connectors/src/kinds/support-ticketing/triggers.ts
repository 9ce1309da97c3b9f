import { entity, field, param } from '../../vocabulary/index.ts';
import {
  activeOnly,
  byUsageOrPlace,
  conditionsMembers,
  cursorList,
  getById,
  page,
  ruleActionMembers,
  timestamps,
  url,
} from './shared.ts';

const reference = page('ticketing/business-rules/triggers');

export const triggers = entity({
  name: 'triggers',
  doc: 'Rules that run when tickets are made or changed.',
  reference,
  record: {
    id: field.integer('Trigger id.', { always: true }),
    url,
    title: field.string('Title.'),
    active: field.boolean('Is in use.'),
    position: field.integer('Place among the triggers.'),
    description: field.string('Description.'),
    conditions: field.object('When it runs.', conditionsMembers),
    actions: field.array('What it does.', ruleActionMembers),
    raw_title: field.string('Title with dynamic content placeholders.'),
    category_id: field.string('Category.'),
    ...timestamps,
  },
  actions: {
    list: cursorList(reference, 'GET /triggers.json', {
      doc: 'Lists triggers.',
      filters: {
        active: activeOnly,
        category_id: param.string('Only those of this category.'),
        ...byUsageOrPlace,
      },
    }),
    get: getById(reference, 'GET /triggers/{trigger_id}.json', 'trigger'),
  },
});
