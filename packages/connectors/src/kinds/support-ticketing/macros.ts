import { entity, field, param } from '../../vocabulary/index.ts';
import {
  activeOnly,
  byUsage,
  cursorList,
  getById,
  page,
  restrictionMembers,
  ruleActionMembers,
  timestamps,
  url,
} from './shared.ts';

const reference = page('ticketing/business-rules/macros');

export const macros = entity({
  name: 'macros',
  doc: 'Prepared changes that agents apply to tickets.',
  reference,
  record: {
    id: field.integer('Macro id.', { always: true }),
    url,
    title: field.string('Title, with its categories before ::.'),
    active: field.boolean('Is in use.'),
    position: field.integer('Place among the macros.'),
    description: field.string('Description.'),
    actions: field.array('What it does.', ruleActionMembers),
    restriction: field.object('Who may use it; null for everyone.', restrictionMembers),
    raw_title: field.string('Title with dynamic content placeholders.'),
    ...timestamps,
  },
  actions: {
    get: getById(reference, 'GET /macros/{macro_id}.json', 'macro'),
    list: cursorList(reference, 'GET /macros.json', {
      doc: 'Lists shared and personal macros of the caller.',
      filters: {
        access: param.word('Only those of this reach.', [
          'personal',
          'agents',
          'shared',
          'account',
        ]),
        active: activeOnly,
        category: param.integer('Only those of this category.'),
        group_id: param.integer('Only those of this group.'),
        only_viewable: param.boolean('Only those that can be applied to tickets.'),
        ...byUsage,
      },
    }),
  },
});
