import { entity, field, searchable } from '../../vocabulary/index.ts';
import {
  attachmentMembers,
  cursorList,
  idParam,
  metadataMembers,
  ofChangedTickets,
  page,
  timestamps,
  viaMembers,
} from './shared.ts';

const reference = page('ticketing/tickets/ticket_audits');

const record = {
  id: field.integer('Audit id.', { always: true }),
  ticket_id: field.integer('Ticket that changed.'),
  author_id: field.integer('User who made the changes.'),
  metadata: field.object('System information and custom data.', metadataMembers),
  via: field.object('Channel of the changes, and from where.', viaMembers),
  events: field.array('The changes.', {
    id: 'integer',
    type: 'string',
    field_name: 'string',
    value: 'any',
    previous_value: 'any',
    author_id: 'integer',
    body: 'string',
    public: 'boolean',
  }),
  created_at: timestamps.created_at,
} as const;

export const ticketAudits = entity({
  name: 'ticket_audits',
  doc: 'The history of tickets: what changed in one go.',
  reference,
  record,
  actions: {
    list: cursorList(reference, 'GET /tickets/{ticket_id}/audits.json', {
      doc: 'Lists the audits of a ticket, the oldest first.',
      ids: { ticket_id: idParam('Ticket id.') },
    }),
  },
  search: searchable(record, {
    only: {
      attachments: field.array('Files that came with the changes.', attachmentMembers),
    },
    sortable: ['id', 'ticket_id', 'created_at'],
  }),
  replicate: ofChangedTickets,
});
