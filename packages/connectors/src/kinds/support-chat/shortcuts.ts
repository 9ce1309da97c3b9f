import { entity, field } from '../../vocabulary/index.ts';
import { id, one, page, wholeList } from './shared.ts';

/** @see docs/reference/support-chat.md#shortcuts */
export const shortcuts = entity({
  name: 'shortcuts',
  doc: 'Texts that agents insert with a few letters.',
  reference: page('shortcuts'),
  record: {
    id: field.string('Shortcut id.', { always: true }),
    name: field.string('Letters that stand for the text.'),
    message: field.string('Text.'),
    options: field.string('Answers offered to the visitor.'),
    tags: field.array('Tags that the chat gets.'),
    departments: field.array('Ids of the departments that may use it.'),
    agents: field.array('Ids of the agents who may use it.'),
    scope: field.string('Who may use it: all, a department or one agent.'),
  },
  actions: { list: wholeList('shortcuts'), get: one('shortcuts', { shortcut_id: id }) },
  search: {
    fields: ['id', 'name', 'message', 'tags'],
    // Digits in the record, a number where it is searched.
    only: { id: field.integer('Shortcut id, as a number.') },
    sortable: ['id', 'name'],
    text: ['name', 'message', 'tags'],
  },
});
