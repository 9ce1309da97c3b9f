import {
  bearer,
  clientCredentials,
  connectorKind,
  credential,
  identity,
  issued,
  oauthClient,
  setting,
} from '../../vocabulary/index.ts';
import { accounts } from './accounts.ts';
import { agentTimeline } from './agent-timeline.ts';
import { agents } from './agents.ts';
import { bans } from './bans.ts';
import { chats } from './chats.ts';
import { departments } from './departments.ts';
import { errors } from './errors.ts';
import { goals } from './goals.ts';
import { roles } from './roles.ts';
import { routingSettings } from './routing-settings.ts';
import { shortcuts } from './shortcuts.ts';
import { skills } from './skills.ts';
import { triggers } from './triggers.ts';

/** The entities of Zendesk Chat; spelled out so that declarations name them. */
export type SupportChatEntities = {
  readonly accounts: typeof accounts;
  readonly agents: typeof agents;
  readonly agent_timeline: typeof agentTimeline;
  readonly bans: typeof bans;
  readonly chats: typeof chats;
  readonly departments: typeof departments;
  readonly goals: typeof goals;
  readonly roles: typeof roles;
  readonly routing_settings: typeof routingSettings;
  readonly shortcuts: typeof shortcuts;
  readonly skills: typeof skills;
  readonly triggers: typeof triggers;
};

const entities: SupportChatEntities = {
  accounts,
  agents,
  agent_timeline: agentTimeline,
  bans,
  chats,
  departments,
  goals,
  roles,
  routing_settings: routingSettings,
  shortcuts,
  skills,
  triggers,
};

/**
 * Zendesk Chat.
 *
 * @see docs/reference/support-chat.md
 */
export const supportChat = connectorKind({
  kind: 'support-chat',
  displayName: 'Zendesk Chat',
  aliases: ['zendesk-chat'],
  definitionId: '40d24d0f-b8f9-4fe0-9e6c-b06c0f3f45e4',
  doc: 'A live chat for the visitors of a website: its agents, chats and settings.',
  reference: 'https://developer.zendesk.com/api-reference/live-chat/introduction/',
  baseUrl: 'https://{subdomain}.zendesk.com/api/v2/chat',
  auth: {
    oauth: bearer({
      label: 'OAuth',
      doc: 'An OAuth access token of the account.',
      fields: {
        access_token: credential.required('OAuth access token with the scope read.'),
        ...issued,
        ...oauthClient,
      },
      token: 'access_token',
      grants: ['authorization_code', 'refresh_token'],
      revoked: 'all',
    }),
    client_credentials: clientCredentials,
  },
  oauth: {
    reference: 'https://developer.zendesk.com/documentation/live-chat/getting-started/auth/',
    consent: {
      address: 'https://{subdomain}.zendesk.com/oauth2/chat/authorizations/new',
      scopes: { separator: ' ', default: ['read'], isSaidWithCode: true },
    },
    token: {
      address: 'https://{subdomain}.zendesk.com/oauth2/chat/token',
      body: 'form',
      error: 'error',
      errorMessage: 'error_description',
      deadGrants: ['invalid_grant'],
      wrongClients: ['invalid_client', 'invalid_scope', 'unauthorized_client'],
    },
    revocation: {
      doc: 'Ends the token. Only an administrator’s may ask for that.',
      reference: 'https://developer.zendesk.com/api-reference/live-chat/chat-api/oauth_tokens/',
      lookup: {
        by: 'list',
        request: 'GET /oauth/tokens',
        records: '$',
        token: 'access_token',
        id: 'id',
      },
      request: 'DELETE /oauth/tokens/{id}',
      ends: 'token',
    },
  },
  identity: identity({
    reference: 'https://developer.zendesk.com/api-reference/live-chat/chat-api/agents/',
    reads: { account: 'GET /account', self: 'GET /agents/me' },
    accounts: [{ id: 'account.account_key', name: 'config.subdomain' }],
    principal: 'self.id',
  }),
  config: {
    subdomain: setting.text('Subdomain of the account, the part before .zendesk.com.', {
      pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
      expects:
        'a subdomain: 1 to 63 lower-case letters, digits and hyphens, no hyphen at either end',
      required: true,
      placeholder: 'your-subdomain',
    }),
  },
  requiresReplicationConfig: false,
  replicationConfig: {
    start_date: setting.instant('UTC date and time; chats without a change since are not copied.'),
  },
  errors,
  // Zendesk allows 200 calls in each minute: a burst of 20, and the 180 that a minute then adds.
  policies: { rates: [{ perMinute: 180, burst: 20, shared: 'connector' }] },
  checks: [
    { entity: 'accounts', action: 'get', params: {} },
    { entity: 'agents', action: 'list', params: { limit: 1 } },
    { entity: 'agent_timeline', action: 'list', params: { limit: 1 } },
    { entity: 'bans', action: 'list', params: { limit: 1 } },
    { entity: 'chats', action: 'list', params: { limit: 1, fields: 'chats(id)' } },
    { entity: 'departments', action: 'list', params: {} },
    { entity: 'goals', action: 'list', params: {} },
    { entity: 'roles', action: 'list', params: {} },
    { entity: 'routing_settings', action: 'get', params: {} },
    { entity: 'shortcuts', action: 'list', params: {} },
    { entity: 'skills', action: 'list', params: {} },
    { entity: 'triggers', action: 'list', params: {} },
  ],
  entities,
  extensions: [
    'auth.client_credentials',
    'auth.oauth.fields.refresh_token',
    'auth.oauth.fields.expires_at',
    'auth.oauth.fields.client_id',
    'auth.oauth.fields.client_secret',
    'config.subdomain',
    'replicationConfig.start_date',
    'entities.agent_timeline.actions.list.params.start_id',
    'entities.chats.actions.list.params.start_id',
  ],
});
