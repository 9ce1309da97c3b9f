import { entity, field, param, searchable } from '../../vocabulary/index.ts';
import {
  attachmentMembers,
  cursorList,
  idParam,
  metadataMembers,
  ofChangedTickets,
  page,
  sortedBy,
  sortOrder,
  timestamps,
  viaMembers,
} from './shared.ts';

const reference = page('ticketing/tickets/ticket_comments');

const record = {
  id: field.integer('Comment id.', { always: true }),
  type: field.string('Comment or VoiceComment.'),
  body: field.string('Text.'),
  html_body: field.string('Text as HTML.'),
  plain_body: field.string('Text without any markup.'),
  public: field.boolean('Customers see it.'),
  author_id: field.integer('User who wrote it.'),
  attachments: field.array('Files.', attachmentMembers),
  audit_id: field.integer('Audit that it is part of.'),
  via: field.object('Channel it came in by, and from where.', viaMembers),
  metadata: field.object('System information, flags and custom data.', {
    ...metadataMembers,
    flags: ['integer'],
    flags_options: 'object',
    trusted: 'boolean',
  }),
  created_at: timestamps.created_at,
} as const;

export const ticketComments = entity({
  name: 'ticket_comments',
  doc: 'Comments of tickets, public and internal.',
  reference,
  record,
  actions: {
    list: cursorList(reference, 'GET /tickets/{ticket_id}/comments.json', {
      doc: 'Lists the comments of a ticket, the oldest first.',
      ids: { ticket_id: idParam('Ticket id.') },
      filters: {
        include_inline_images: param.boolean('List images within the text as attachments too.'),
        sort_order: sortOrder,
        ...sortedBy(['created_at']),
      },
    }),
  },
  search: searchable(record, {
    only: {
      event_type: field.string('Kind of event that carried the comment.'),
      ticket_id: field.integer('Ticket that it belongs to.'),
      timestamp: field.integer('Creation, in seconds since 1970.'),
      uploads: field.array('Uploads that became its attachments.'),
      via_reference_id: field.integer('Id within the channel it came in by.'),
    },
    fromParams: { ticket_id: 'ticket_id' },
    sortable: ['id', 'ticket_id', 'created_at', 'timestamp'],
    text: ['body', 'plain_body'],
  }),
  replicate: ofChangedTickets,
});
