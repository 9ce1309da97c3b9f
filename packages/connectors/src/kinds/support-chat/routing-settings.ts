import { entity, field, get } from '../../vocabulary/index.ts';
import { page } from './shared.ts';

/** @see docs/reference/support-chat.md#routing_settings */
export const routingSettings = entity({
  name: 'routing_settings',
  doc: 'How the account gives chats to agents.',
  reference: page('routing_settings'),
  // There is one record an account, and it has no id.
  key: [],
  record: {
    routing_mode: field.string('Whether chats are assigned or offered to all.'),
    chat_limit: field.object('Most chats of an agent at once.', {
      enabled: 'boolean',
      limit: 'integer',
      limit_type: 'string',
      allow_agent_override: 'boolean',
    }),
    skill_routing: field.object('Whether skills count, and how long to wait for them.', {
      enabled: 'boolean',
      max_wait_time: 'integer',
    }),
    reassignment: field.object('When a chat that is not answered goes to somebody else.', {
      enabled: 'boolean',
      timeout: 'integer',
    }),
    auto_idle: field.object('When an agent who does not answer is set idle.', {
      enabled: 'boolean',
      reassignments_before_idle: 'integer',
      new_status: 'string',
    }),
    auto_accept: field.object('Whether chats are accepted by themselves.'),
  },
  actions: {
    get: get({
      doc: 'Reads the routing settings of the account.',
      reference: page('routing_settings'),
      request: 'GET /routing_settings/account',
      params: {},
      record: 'data',
    }),
  },
});
