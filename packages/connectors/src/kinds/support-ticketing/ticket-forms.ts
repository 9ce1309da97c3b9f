import { entity, field, param, searchable } from '../../vocabulary/index.ts';
import { activeOnly, getById, numberedList, page, timestamps, url } from './shared.ts';

const reference = page('ticketing/tickets/ticket_forms');

/** Known members of a condition: the fields that show when another has a value. */
const conditionMembers = {
  parent_field_id: 'integer',
  value: 'any',
  child_fields: [{ id: 'integer', is_required: 'boolean' }],
} as const;

const record = {
  id: field.integer('Form id.', { always: true }),
  url,
  name: field.string('Name.'),
  display_name: field.string('Name for customers.'),
  raw_name: field.string('Name with dynamic content placeholders.'),
  raw_display_name: field.string('Name for customers with dynamic content placeholders.'),
  position: field.integer('Place among the forms.'),
  active: field.boolean('Is in use.'),
  end_user_visible: field.boolean('Customers see it.'),
  default: field.boolean('Is the default form.'),
  in_all_brands: field.boolean('Is there for all brands.'),
  restricted_brand_ids: field.array('Ids of the brands it is there for.', 'integer'),
  ticket_field_ids: field.array('Ids of its fields, in order.', 'integer'),
  agent_conditions: field.array('Which fields agents see when.', conditionMembers),
  end_user_conditions: field.array('Which fields customers see when.', conditionMembers),
  ...timestamps,
} as const;

export const ticketForms = entity({
  name: 'ticket_forms',
  doc: 'Forms: which fields a ticket has.',
  reference,
  record,
  actions: {
    list: numberedList(reference, 'GET /ticket_forms.json', {
      doc: 'Lists ticket forms.',
      filters: {
        active: activeOnly,
        end_user_visible: param.boolean('Only those that customers see, or only the others.'),
      },
    }),
    get: getById(reference, 'GET /ticket_forms/{ticket_form_id}.json', 'ticket_form'),
  },
  search: searchable(record, {
    sortable: ['id', 'name', 'position', 'created_at', 'updated_at'],
    text: ['name', 'display_name', 'raw_name', 'raw_display_name'],
  }),
});
