import { entity, field } from '../../vocabulary/index.ts';
import { page, wholeList } from './shared.ts';

/** @see docs/reference/support-chat.md#triggers */
export const triggers = entity({
  name: 'triggers',
  doc: 'What the widget does by itself when conditions are met.',
  reference: page('triggers'),
  record: {
    id: field.integer('Trigger id.', { always: true }),
    name: field.string('Name.'),
    description: field.string('Description.'),
    enabled: field.boolean('Is at work.'),
    run_once: field.boolean('Runs once for each visitor.'),
    // Zendesk does not describe what is in these two.
    conditions: field.array('When it runs.'),
    actions: field.array('What it does.'),
    departments: field.array('Ids of the departments it is for.', 'integer'),
    definition: field.object('Event, condition and actions as the widget reads them.'),
  },
  actions: { list: wholeList('triggers') },
  search: { fields: ['id', 'name', 'enabled'], sortable: ['id', 'name'], text: ['name'] },
});
