import { entity, field } from '../../vocabulary/index.ts';
import { id, one, page, wholeList } from './shared.ts';

/** @see docs/reference/support-chat.md#goals */
export const goals = entity({
  name: 'goals',
  doc: 'What visitors are to reach on the website.',
  reference: page('goals'),
  record: {
    id: field.integer('Goal id.', { always: true }),
    name: field.string('Name.'),
    description: field.string('Description.'),
    enabled: field.boolean('Conversions are counted.'),
    attribution_model: field.string('Which chat gets the credit: the first or the last.'),
    attribution_window: field.integer(
      'Days before the conversion in which a chat may get the credit.',
    ),
    attribution_period: field.integer('The same time, in seconds.'),
    settings: field.object('Conditions that make a conversion.'),
  },
  actions: { list: wholeList('goals'), get: one('goals', { goal_id: id }) },
});
