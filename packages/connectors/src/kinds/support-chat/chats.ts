import { entity, field, param } from '../../vocabulary/index.ts';
import { exportOf, one, page } from './shared.ts';

/** Known members where messages are counted. */
const countMembers = { total: 'integer', agent: 'integer', visitor: 'integer' } as const;

/** Known members of response times. */
const responseTimeMembers = { first: 'integer', avg: 'number', max: 'integer' } as const;

// prettier-ignore
const copied = [
  'id', 'timestamp', 'update_timestamp', 'department_id', 'department_name', 'duration', 'rating', 'missed',
  'agent_ids',
] as const;

/** @see docs/reference/support-chat.md#chats */
export const chats = entity({
  name: 'chats',
  doc: 'Chats that are over, and messages that visitors left while nobody was there.',
  reference: page('chats'),
  record: {
    id: field.string('Chat id.', { always: true }),
    type: field.string('A chat, or a message left offline.'),
    timestamp: field.string('Beginning.'),
    update_timestamp: field.string('Last change.'),
    duration: field.integer('Length, in seconds.'),
    department_id: field.integer('Department.'),
    department_name: field.string('Name of the department.'),
    agent_ids: field.array('Ids of the agents who took part.', 'string'),
    agent_names: field.array('Names of the agents who took part.', 'string'),
    visitor: field.freeForm('Visitor: name, addresses and notes.', {
      id: 'string',
      name: 'string',
      email: 'string',
      phone: 'string',
      notes: 'string',
    }),
    session: field.freeForm('Browser, place and times of the visit.', {
      id: 'string',
      browser: 'string',
      platform: 'string',
      user_agent: 'string',
      ip: 'string',
      city: 'string',
      region: 'string',
      country_code: 'string',
      country_name: 'string',
      start_date: 'string',
      end_date: 'string',
    }),
    history: field.items('Events of the chat, in order.', {
      type: field.string('Kind of event, for example chat.msg.'),
      timestamp: field.string('When it happened.'),
      name: field.string('Name of who did it.'),
      nick: field.string('visitor, or agent: and the id of the agent.'),
      msg: field.string('Text.'),
      msg_id: field.string('Message id.'),
      channel: field.string('Channel of the chat.'),
      department_id: field.integer('Department.'),
      department_name: field.string('Name of the department.'),
      rating: field.string('Rating before.'),
      new_rating: field.string('Rating after.'),
      tags: field.array('Tags before.', 'string'),
      new_tags: field.array('Tags after.', 'string'),
      options: field.string('Answers offered to the visitor.'),
    }),
    engagements: field.items('The part of each agent in the chat.', {
      id: field.string('Engagement id.'),
      agent_id: field.string('Agent.'),
      agent_name: field.string('Name that the visitor saw.'),
      agent_full_name: field.string('Full name.'),
      department_id: field.integer('Department.'),
      timestamp: field.string('Beginning.'),
      duration: field.number('Length, in seconds.'),
      accepted: field.boolean('The agent accepted.'),
      assigned: field.boolean('The agent was assigned.'),
      started_by: field.string('Who or what began it.'),
      rating: field.string('Rating.'),
      comment: field.string('Comment on the rating.'),
      count: field.freeForm('Messages: in all, of the agent, of the visitor.', countMembers),
      response_time: field.freeForm(
        'Response times: first, average, longest, in seconds.',
        responseTimeMembers,
      ),
      skills_requested: field.array('Ids of the skills asked for.', 'integer'),
      skills_fulfilled: field.boolean('The agent had those skills.'),
    }),
    conversions: field.items('Goals that were reached.', {
      id: field.string('Conversion id.'),
      goal_id: field.integer('Goal.'),
      goal_name: field.string('Name of the goal.'),
      timestamp: field.string('When it was reached.'),
      attribution: field.freeForm('Agent, department and chat that get the credit.', {
        agent_id: 'integer',
        agent_name: 'string',
        department_id: 'integer',
        department_name: 'string',
        chat_timestamp: 'string',
      }),
    }),
    count: field.freeForm('Messages: in all, of agents, of the visitor.', countMembers),
    response_time: field.freeForm(
      'Response times: first, average, longest, in seconds.',
      responseTimeMembers,
    ),
    rating: field.string('Rating by the visitor, good or bad.'),
    comment: field.string('Comment on the rating.'),
    tags: field.array('Tags.', 'string'),
    started_by: field.string('Who or what began the chat.'),
    triggered: field.boolean('A trigger began it.'),
    triggered_response: field.boolean('The visitor answered the trigger.'),
    missed: field.boolean('No agent answered.'),
    unread: field.boolean('Nobody has read it yet.'),
    deleted: field.boolean('Is deleted.'),
    message: field.string('Text, of a message left offline.'),
    webpath: field.items('Pages that the visitor saw.', {
      from: field.string('Address of the page before.'),
      timestamp: field.string('When the page was opened.'),
    }),
    zendesk_ticket_id: field.integer('Ticket made of the chat.'),
  },
  // The search engine that brought the visitor.
  leftOut: ['referrer_search_engine', 'referrer_search_terms'],
  actions: {
    list: exportOf('chats', 'seconds'),
    get: one('chats', {
      chat_id: param.string('Chat id.', { required: true, otherThan: ['search'] }),
    }),
  },
  search: {
    fields: copied,
    sortable: ['id', 'timestamp', 'update_timestamp', 'department_name', 'duration'],
    text: ['department_name'],
  },
  replicate: {
    // Whole chats, transcripts among them, would be many times as much.
    params: { limit: 1000, start_time: 0, fields: `chats(${[...copied, 'deleted'].join(',')})` },
    // Later than five minutes ago is refused.
    since: { param: 'start_time', as: 'seconds', overlapSeconds: 600, startDate: 'start_date' },
    increment: 'same',
    deleted: { field: 'deleted', is: true },
    fullEveryHours: 168,
  },
});
