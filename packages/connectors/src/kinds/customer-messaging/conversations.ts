import { entity, field, list, searchable } from '../../vocabulary/index.ts';
import { byCursor, changesOf, one, page } from './shared.ts';

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
  tags: field.freeForm('Tags.'),
  conversation_rating: field.freeForm('Rating by the contact.'),
  source: field.freeForm('Message that began it.'),
  contacts: field.freeForm('Contacts who take part.'),
  teammates: field.freeForm('Admins who take part.'),
  first_contact_reply: field.freeForm('First message of a contact.'),
  sla_applied: field.freeForm('Service level agreement, and whether it was kept.'),
  statistics: field.freeForm('Times and counts.'),
  conversation_parts: field.freeForm('Messages and events, the latest 500; not in lists.'),
  custom_attributes: field.object('Attributes that the workspace defined.'),
};

/** Searchable fields that are in no record, or of another type there. */
const only = {
  ai_agent: field.object('What the AI agent answered, and from which sources.'),
  ai_agent_participated: field.boolean('The AI agent took part.'),
  assignee: field.object('Whom it is assigned to.'),
  conversation_message: field.object('Message that began it, as older versions give it.'),
  customer_first_reply: field.object('First message of a contact, as older versions give it.'),
  customers: field.array('Contacts who take part, as older versions give them.'),
  linked_objects: field.object('Tickets and conversations linked to it.'),
  redacted: field.boolean('Its text was taken out.'),
  sent_at: field.integer('First message, in seconds since 1970.'),
  // Text in the record, a number where it is searched.
  team_assignee_id: field.integer('Team it is assigned to, as a number.'),
  topics: field.object('Topics found in it.'),
  user: field.object('Contact who began it, as older versions give it.'),
};

/** @see docs/reference/customer-messaging.md#conversations */
export const conversations = entity({
  name: 'conversations',
  doc: 'Conversations between contacts and the workspace.',
  reference: page('conversations'),
  record,
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
