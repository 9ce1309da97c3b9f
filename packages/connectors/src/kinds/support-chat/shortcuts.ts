import { entity, field, param } from '../../vocabulary/index.ts';
import { one, page, wholeList } from './shared.ts';

/** @see docs/reference/support-chat.md#shortcuts */
export const shortcuts = entity({
  name: 'shortcuts',
  doc: 'Texts that agents insert with a few letters.',
  reference: page('shortcuts'),
  record: {
    id: field.string('Shortcut id, equal to its name.', { always: true }),
    name: field.string('Letters that stand for the text.'),
    message: field.string('Text.'),
    options: field.string('Answers offered to the visitor.'),
    tags: field.array('Tags that the chat gets.', 'string'),
    departments: field.array('Ids of the departments that may use it.', 'integer'),
    agents: field.array('Ids of the agents who may use it.', 'integer'),
    scope: field.string('Who may use it: all, a department or one agent.'),
  },
  actions: {
    list: wholeList('shortcuts'),
    get: one('shortcuts', {
      shortcut_id: param.stringOrInteger('Id of the shortcut: its name.', { required: true }),
    }),
  },
  search: {
    fields: ['id', 'name', 'message', 'tags'],
    // A name in the record, a number where it is searched: only names of digits are found by it.
    only: { id: field.integer('Shortcut id, where its name is a number.') },
    sortable: ['id', 'name'],
    text: ['name', 'message', 'tags'],
  },
});
