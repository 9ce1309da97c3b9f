import { entity, field } from '../../vocabulary/index.ts';
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

const reference = page('ticketing/business-rules/automations');

export const automations = entity({
  name: 'automations',
  doc: 'Rules that run after a time.',
  reference,
  record: {
    id: field.integer('Automation id.', { always: true }),
    url,
    title: field.string('Title.'),
    active: field.boolean('Is in use.'),
    position: field.integer('Place among the automations.'),
    conditions: field.object('When it runs.', conditionsMembers),
    actions: field.array('What it does.', ruleActionMembers),
    raw_title: field.string('Title with dynamic content placeholders.'),
    ...timestamps,
  },
  actions: {
    list: cursorList(reference, 'GET /automations.json', {
      doc: 'Lists automations.',
      filters: { active: activeOnly, ...byUsageOrPlace },
    }),
    get: getById(reference, 'GET /automations/{automation_id}.json', 'automation'),
  },
});
