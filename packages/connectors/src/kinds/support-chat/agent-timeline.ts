import { entity, field } from '../../vocabulary/index.ts';
import { exportOf, page } from './shared.ts';

/** @see docs/reference/support-chat.md#agent_timeline */
export const agentTimeline = entity({
  name: 'agent_timeline',
  doc: 'Spans of time that agents spent in a status.',
  reference: page('incremental_export'),
  key: ['agent_id', 'start_time'],
  record: {
    agent_id: field.integer('Agent.', { always: true }),
    start_time: field.string('Beginning of the span.'),
    status: field.string('Status of the agent, for example online or away.'),
    duration: field.number('Length of the span, in seconds.'),
    engagement_count: field.integer('Chats that the agent was in.'),
  },
  actions: { list: exportOf('agent_timeline', 'microseconds') },
});
