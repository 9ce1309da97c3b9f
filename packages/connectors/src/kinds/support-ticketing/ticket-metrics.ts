import { entity, field, searchable } from '../../vocabulary/index.ts';
import { metricsOfTickets, cursorList, page, timestamps, url } from './shared.ts';

const reference = page('ticketing/tickets/ticket_metrics');

/** Known members of a time. */
const minuteMembers = { calendar: 'integer', business: 'integer' } as const;

const record = {
  id: field.integer('Metric id.', { always: true }),
  url,
  ticket_id: field.integer('Ticket that is measured.'),
  group_stations: field.integer('Groups it went through.'),
  assignee_stations: field.integer('Assignees it went through.'),
  reopens: field.integer('Times it was reopened.'),
  replies: field.integer('Public replies of agents.'),
  assignee_updated_at: field.string('Last change by the assignee.'),
  requester_updated_at: field.string('Last change by the requester.'),
  status_updated_at: field.string('Last change of the state.'),
  initially_assigned_at: field.string('First assignment.'),
  assigned_at: field.string('Last assignment.'),
  solved_at: field.string('When it was solved.'),
  latest_comment_added_at: field.string('Last comment.'),
  reply_time_in_minutes: field.object(
    'Minutes to the first reply: calendar and business.',
    minuteMembers,
  ),
  first_resolution_time_in_minutes: field.object(
    'Minutes to the first solution, likewise.',
    minuteMembers,
  ),
  full_resolution_time_in_minutes: field.object(
    'Minutes to the last solution, likewise.',
    minuteMembers,
  ),
  agent_wait_time_in_minutes: field.object('Minutes that agents waited, likewise.', minuteMembers),
  requester_wait_time_in_minutes: field.object(
    'Minutes that the requester waited, likewise.',
    minuteMembers,
  ),
  on_hold_time_in_minutes: field.object('Minutes on hold, likewise.', minuteMembers),
  ...timestamps,
} as const;

export const ticketMetrics = entity({
  name: 'ticket_metrics',
  doc: 'How long tickets took, and how many steps.',
  reference,
  record,
  actions: {
    list: cursorList(reference, 'GET /ticket_metrics.json', {
      doc: 'Lists the metrics of tickets, the newest first; archived tickets are left out.',
    }),
  },
  search: searchable(record, {
    only: {
      custom_status_updated_at: field.string('Last change of the custom state.'),
      generated_timestamp: field.integer('Last change by anyone, in seconds since 1970.'),
      instance_id: field.integer('Which of several measurements of one ticket it is.'),
      metric: field.string('What an event measures.'),
      reply_time_in_seconds: field.object('Time to the first reply, in seconds.', minuteMembers),
      status: field.object('Minutes that an event counted.'),
      time: field.string('When an event happened.'),
      type: field.string('Kind of an event.'),
    },
    // prettier-ignore
    sortable: [
      'id', 'ticket_id', 'created_at', 'updated_at', 'assignee_updated_at', 'requester_updated_at',
      'status_updated_at', 'initially_assigned_at', 'assigned_at', 'solved_at',
      'latest_comment_added_at',
    ],
  }),
  // The list of all leaves the metrics of archived tickets out.
  replicate: { ...metricsOfTickets(), increment: 'same', fullEveryHours: 720 },
});
