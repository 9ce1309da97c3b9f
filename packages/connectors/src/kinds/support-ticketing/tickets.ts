import { entity, field, param, searchable } from '../../vocabulary/index.ts';
import {
  accountRate,
  changesOf,
  cursorList,
  customFieldMembers,
  getById,
  orderedBy,
  page,
  sinceOfExport,
  sortedBy,
  timestamps,
  url,
  viaMembers,
} from './shared.ts';

const reference = page('ticketing/tickets/tickets');

const record = {
  id: field.integer('Ticket id.', { always: true }),
  url,
  external_id: field.string('Id in a system of the account.'),
  type: field.string('Kind: problem, incident, question or task.'),
  subject: field.string('Subject.'),
  raw_subject: field.string('Subject with dynamic content placeholders.'),
  description: field.string('First comment, read only.'),
  priority: field.string('Urgency: urgent, high, normal or low.'),
  status: field.string('State: new, open, pending, hold, solved or closed.'),
  recipient: field.string('E-mail address that the ticket came in by.'),
  requester_id: field.integer('User who asks.'),
  submitter_id: field.integer('User who made the ticket.'),
  assignee_id: field.integer('Agent it is assigned to.'),
  organization_id: field.integer('Organization of the requester.'),
  group_id: field.integer('Group it is assigned to.'),
  collaborator_ids: field.array('Ids of users in copy.', 'integer'),
  follower_ids: field.array('Ids of agents who follow it.', 'integer'),
  email_cc_ids: field.array('Ids of users in copy of e-mails.', 'integer'),
  forum_topic_id: field.integer('Forum topic it came from.'),
  problem_id: field.integer('Problem ticket, for incidents.'),
  has_incidents: field.boolean('Is a problem with incidents.'),
  is_public: field.boolean('Has public comments.'),
  due_at: field.string('When it is due, for tasks.'),
  tags: field.array('Tags.', 'string'),
  custom_fields: field.array('Ids and values of the custom fields.', customFieldMembers),
  satisfaction_rating: field.freeForm('Score of the customer, or whether one was asked for.', {
    id: 'integer',
    score: 'string',
    comment: 'string',
    reason: 'string',
    reason_id: 'integer',
  }),
  sharing_agreement_ids: field.array('Ids of the sharing agreements used.', 'integer'),
  custom_status_id: field.integer('Custom state.'),
  fields: field.array(
    'Ids and values of the custom fields; the older name of custom_fields.',
    customFieldMembers,
  ),
  followup_ids: field.array('Ids of tickets that follow this one up.', 'integer'),
  ticket_form_id: field.integer('Form.'),
  brand_id: field.integer('Brand.'),
  allow_channelback: field.boolean('Replies go back to the channel it came from.'),
  allow_attachments: field.boolean('Agents may attach files.'),
  from_messaging_channel: field.boolean('Came from a messaging channel.'),
  generated_timestamp: field.integer('Last change by anyone, in seconds since 1970.'),
  ...timestamps,
  via: field.object('Channel it came in by, and from where.', viaMembers),
} as const;

export const tickets = entity({
  name: 'tickets',
  doc: 'Requests of customers, with their state and who works on them.',
  reference,
  record,
  // A number in other letters, for e-mail threads.
  leftOut: ['encoded_id'],
  actions: {
    list: cursorList(reference, 'GET /tickets.json', {
      doc: 'Lists tickets; archived and deleted ones are left out.',
      filters: {
        external_id: param.string('Id in a system of the account.'),
        // prettier-ignore
        ...orderedBy([
          'assignee', 'assignee.name', 'created_at', 'group', 'id', 'requester', 'requester.name',
          'status', 'subject', 'updated_at',
        ]),
        ...sortedBy(['id', 'status', 'updated_at']),
      },
      // The list has a budget of its own, which the vendor tells in a header only.
      policies: {
        rates: [{ perMinute: 90, burst: 10, shared: 'request' }, accountRate],
      },
    }),
    get: getById(reference, 'GET /tickets/{ticket_id}.json', 'ticket'),
  },
  search: searchable(record, {
    only: {
      deleted_ticket_form_id: field.integer('Form that it had and that has been deleted.'),
    },
    // prettier-ignore
    sortable: [
      'id', 'subject', 'created_at', 'updated_at', 'due_at', 'generated_timestamp', 'priority',
      'status',
    ],
    text: ['subject', 'raw_subject', 'description', 'external_id', 'recipient'],
  }),
  replicate: {
    // Those that a bot has handled alone, too, which are left out unless asked for.
    list: changesOf('tickets', { support_type_scope: 'all' }),
    params: { start_time: 0 },
    since: sinceOfExport,
    increment: 'same',
    deleted: { field: 'status', is: 'deleted' },
    // Zendesk asks not to export everything again and again, and tells deletions besides.
    fullEveryHours: 720,
  },
});
