import { entity, field, list, searchable } from '../../vocabulary/index.ts';
import { byCursor, changesOf, one, page, tagMembers } from './shared.ts';

/** Known members of who wrote a message. */
const authorMembers = { type: 'string', id: 'string', name: 'string', email: 'string' } as const;

/** Known members of a file in a message. */
const fileMembers = {
  type: 'string',
  name: 'string',
  url: 'string',
  content_type: 'string',
  filesize: 'integer',
  width: 'integer',
  height: 'integer',
} as const;

/** Known members of the first message, whatever the field is called. */
const messageMembers = {
  type: 'string',
  id: 'string',
  delivered_as: 'string',
  subject: 'string',
  body: 'string',
  author: authorMembers,
  attachments: [fileMembers],
  url: 'string',
  redacted: 'boolean',
} as const;

/** Known members of the first reply. */
const replyMembers = { created_at: 'integer', type: 'string', url: 'string' } as const;

const record = {
  type: field.string('Always conversation.'),
  id: field.string('Conversation id.', { always: true }),
  title: field.string('Title.'),
  created_at: field.integer('Creation, in seconds since 1970.'),
  updated_at: field.integer('Last change, in seconds since 1970.'),
  waiting_since: field.integer('When the contact began to wait, in seconds since 1970.'),
  snoozed_until: field.integer('End of the snooze, in seconds since 1970.'),
  open: field.boolean('Is open.'),
  state: field.string('Open, closed or snoozed.'),
  read: field.boolean('Has been read.'),
  priority: field.string('Whether it has priority.'),
  admin_assignee_id: field.integer('Admin it is assigned to.'),
  team_assignee_id: field.string('Team it is assigned to.'),
  tags: field.freeForm('Tags.', tagMembers),
  conversation_rating: field.freeForm('Rating by the contact.', {
    rating: 'integer',
    remark: 'string',
    created_at: 'integer',
    contact: { type: 'string', id: 'string' },
    teammate: { type: 'string', id: 'string' },
  }),
  source: field.freeForm('Message that began it.', messageMembers),
  contacts: field.freeForm('Contacts who take part.', {
    type: 'string',
    contacts: [{ type: 'string', id: 'string' }],
  }),
  teammates: field.freeForm('Admins who take part.', {
    type: 'string',
    admins: [{ type: 'string', id: 'string' }],
  }),
  first_contact_reply: field.freeForm('First message of a contact.', replyMembers),
  sla_applied: field.freeForm('Service level agreement, and whether it was kept.', {
    type: 'string',
    sla_name: 'string',
    sla_status: 'string',
  }),
  statistics: field.freeForm('Times and counts.', {
    type: 'string',
    time_to_assignment: 'integer',
    time_to_admin_reply: 'integer',
    time_to_first_close: 'integer',
    time_to_last_close: 'integer',
    median_time_to_reply: 'integer',
    first_contact_reply_at: 'integer',
    first_assignment_at: 'integer',
    first_admin_reply_at: 'integer',
    first_close_at: 'integer',
    last_assignment_at: 'integer',
    last_assignment_admin_reply_at: 'integer',
    last_contact_reply_at: 'integer',
    last_admin_reply_at: 'integer',
    last_close_at: 'integer',
    last_closed_by_id: 'string | integer',
    count_reopens: 'integer',
    count_assignments: 'integer',
    count_conversation_parts: 'integer',
  }),
  conversation_parts: field.freeForm('Messages and events, the latest 500; not in lists.', {
    type: 'string',
    conversation_parts: [
      {
        type: 'string',
        id: 'string',
        part_type: 'string',
        body: 'string',
        created_at: 'integer',
        updated_at: 'integer',
        notified_at: 'integer',
        assigned_to: { type: 'string', id: 'string' },
        author: authorMembers,
        attachments: [fileMembers],
        external_id: 'string',
        redacted: 'boolean',
      },
    ],
    total_count: 'integer',
  }),
  custom_attributes: field.object('Attributes that the workspace defined.'),
};

/** Searchable fields that are in no record, or of another type there. */
const only = {
  ai_agent: field.object('What the AI agent answered, and from which sources.', {
    source_type: 'string',
    source_title: 'string',
    source_id: 'string',
    last_answer_type: 'string',
    resolution_state: 'string',
    rating: 'integer',
    rating_remark: 'string',
    triggered_at: 'integer',
    content_sources: 'object',
  }),
  ai_agent_participated: field.boolean('The AI agent took part.'),
  assignee: field.object('Whom it is assigned to.', {
    type: 'string',
    id: 'string',
    name: 'string',
    email: 'string',
  }),
  conversation_message: field.object(
    'Message that began it, as older versions give it.',
    messageMembers,
  ),
  customer_first_reply: field.object(
    'First message of a contact, as older versions give it.',
    replyMembers,
  ),
  customers: field.array('Contacts who take part, as older versions give them.', {
    type: 'string',
    id: 'string',
  }),
  linked_objects: field.object('Tickets and conversations linked to it.', {
    type: 'string',
    data: [{ type: 'string', id: 'string', category: 'string' }],
    url: 'string',
    total_count: 'integer',
    has_more: 'boolean',
  }),
  redacted: field.boolean('Its text was taken out.'),
  sent_at: field.integer('First message, in seconds since 1970.'),
  // Text in the record, a number where it is searched.
  team_assignee_id: field.integer('Team it is assigned to, as a number.'),
  topics: field.object('Topics found in it.', {
    type: 'string',
    topics: [{ type: 'string', id: 'integer', name: 'string' }],
    total_count: 'integer',
  }),
  user: field.object('Contact who began it, as older versions give it.', {
    type: 'string',
    id: 'string',
  }),
};

/** @see docs/reference/customer-messaging.md#conversations */
export const conversations = entity({
  name: 'conversations',
  doc: 'Conversations between contacts and the workspace.',
  reference: page('conversations'),
  record,
  // The ticket that it became: of its own API.
  leftOut: ['ticket'],
  actions: {
    list: list({
      doc: 'Lists conversations, without their parts.',
      reference: page('conversations/listconversations'),
      request: 'GET /conversations',
      ...byCursor(),
      records: 'conversations',
    }),
    get: one('conversations', 'conversations/retrieveconversation'),
  },
  search: searchable(record, {
    without: ['conversation_parts'],
    only,
    sortable: [
      'id',
      'title',
      'state',
      'created_at',
      'updated_at',
      'waiting_since',
      'snoozed_until',
    ],
    text: ['title', 'source', 'custom_attributes'],
  }),
  replicate: {
    list: changesOf('conversations', 'conversations', 'conversations/searchconversations'),
    params: { updated_after: 0 },
    // It can take minutes until a search finds what has changed.
    since: {
      param: 'updated_after',
      as: 'seconds',
      overlapSeconds: 900,
      startDate: 'start_date',
    },
    increment: 'same',
    fullEveryHours: 24,
  },
});
