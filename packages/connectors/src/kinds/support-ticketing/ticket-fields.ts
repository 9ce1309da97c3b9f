import { entity, field, param, searchable } from '../../vocabulary/index.ts';
import { cursorList, getById, page, timestamps, url } from './shared.ts';

const reference = page('ticketing/tickets/ticket_fields');

const record = {
  id: field.integer('Field id.', { always: true }),
  url,
  type: field.string('Type, for example text, tagger or date.'),
  title: field.string('Title.'),
  raw_title: field.string('Title with dynamic content placeholders.'),
  description: field.string('Description for customers.'),
  raw_description: field.string('Description with dynamic content placeholders.'),
  position: field.integer('Place among the fields.'),
  active: field.boolean('Is in use.'),
  required: field.boolean('Agents must fill it in to solve a ticket.'),
  collapsed_for_agents: field.boolean('Is shown collapsed to agents; no longer used.'),
  regexp_for_validation: field.string('Pattern that values must match.'),
  title_in_portal: field.string('Title for customers.'),
  raw_title_in_portal: field.string('Title for customers with dynamic content placeholders.'),
  visible_in_portal: field.boolean('Customers see it.'),
  editable_in_portal: field.boolean('Customers may fill it in.'),
  required_in_portal: field.boolean('Customers must fill it in.'),
  tag: field.string('Tag that a checked checkbox adds.'),
  custom_field_options: field.array('Values to choose from, for custom fields.', {
    id: 'integer',
    name: 'string',
    raw_name: 'string',
    value: 'string',
  }),
  system_field_options: field.array('Values to choose from, for built-in fields.', {
    name: 'string',
    value: 'string',
  }),
  sub_type_id: field.integer('Which values priority and status have: 0 for all, 1 for fewer.'),
  removable: field.boolean('Is not built in.'),
  agent_description: field.string('Description for agents.'),
  ...timestamps,
} as const;

export const ticketFields = entity({
  name: 'ticket_fields',
  doc: 'Fields that tickets have, built in and custom.',
  reference,
  record,
  // True of every field.
  leftOut: ['agent_can_edit'],
  actions: {
    list: cursorList(reference, 'GET /ticket_fields.json', {
      doc: 'Lists ticket fields: by cursor, or else all at once, whatever page says.',
      cursorOnly: ['per_page'],
      filters: { locale: param.string('Language of titles and descriptions, as a BCP 47 tag.') },
    }),
    get: getById(reference, 'GET /ticket_fields/{ticket_field_id}.json', 'ticket_field'),
  },
  search: searchable(record, {
    only: {
      custom_statuses: field.array('Custom states to choose from.', 'object'),
      key: field.string('Name of the field elsewhere in the account.'),
    },
    sortable: ['id', 'title', 'position', 'created_at', 'updated_at'],
    text: ['title', 'raw_title', 'description', 'agent_description'],
  }),
});
