import {
  bearer,
  connectorKind,
  credential,
  identity,
  issued,
  setting,
} from '../../vocabulary/index.ts';
import { channelMessages } from './channel-messages.ts';
import { channelPurposes } from './channel-purposes.ts';
import { channelTopics } from './channel-topics.ts';
import { channels } from './channels.ts';
import { errors } from './errors.ts';
import { messages } from './messages.ts';
import { reactions } from './reactions.ts';
import { messagesOfDistributed } from './shared.ts';
import { threads } from './threads.ts';
import { users } from './users.ts';

/** The entities of Slack; spelled out so that declarations name them. */
export type ChatWorkspaceEntities = {
  readonly users: typeof users;
  readonly channels: typeof channels;
  readonly channel_messages: typeof channelMessages;
  readonly threads: typeof threads;
  readonly messages: typeof messages;
  readonly channel_topics: typeof channelTopics;
  readonly channel_purposes: typeof channelPurposes;
  readonly reactions: typeof reactions;
};

const entities: ChatWorkspaceEntities = {
  users,
  channels,
  channel_messages: channelMessages,
  threads,
  messages,
  channel_topics: channelTopics,
  channel_purposes: channelPurposes,
  reactions,
};

/**
 * Slack.
 *
 * @see docs/reference/chat-workspace.md
 */
export const chatWorkspace = connectorKind({
  kind: 'chat-workspace',
  displayName: 'Slack',
  aliases: ['slack'],
  definitionId: 'c2281cee-86f9-4a86-bb48-d23286b4c7bd',
  doc: 'A team chat workspace: its people, channels and messages. Installations for a whole organization, of many workspaces, are not supported.',
  reference: 'https://docs.slack.dev/apis/web-api',
  baseUrl: 'https://slack.com/api',
  auth: {
    oauth: bearer({
      label: 'OAuth',
      doc: 'The bot token of an app, from the OAuth v2 access exchange.',
      fields: {
        client_id: credential.required('Client id of the upstream app.', { isShown: true }),
        client_secret: credential.required('Client secret of the upstream app.'),
        access_token: credential.required('Bot token from the OAuth v2 access exchange.'),
        ...issued,
      },
      token: 'access_token',
      grants: ['authorization_code', 'refresh_token'],
      revoked: 'all',
    }),
    token: bearer({
      label: 'Token',
      doc: 'A token made by hand in the app settings.',
      fields: {
        api_token: credential.required('A bot-type or user-type token.', { alias: 'bot_key' }),
      },
      token: 'api_token',
    }),
  },
  oauth: {
    reference: 'https://docs.slack.dev/authentication/installing-with-oauth',
    consent: {
      address: 'https://slack.com/oauth/v2/authorize',
      scopes: {
        separator: ',',
        // prettier-ignore
        default: [
          'channels:history', 'channels:join', 'channels:manage', 'channels:read', 'chat:write', 'chat:write.public',
          'groups:history', 'groups:read', 'groups:write', 'im:history', 'im:read', 'mpim:history', 'mpim:read',
          'reactions:write', 'users:read', 'users:read.email',
        ],
      },
      // No PKCE: switching it on makes an app a public client for good.
    },
    token: {
      address: 'https://slack.com/api/oauth.v2.access',
      body: 'form',
      error: 'error',
      deadGrants: ['invalid_grant', 'invalid_refresh_token', 'token_expired', 'token_revoked'],
      wrongClients: ['invalid_client_id', 'bad_client_secret'],
    },
    revocation: {
      doc: 'Ends the token; the bot leaves its channels, the app stays installed. An app has one bot token in a workspace, so it is left where another connector is of the same bot.',
      reference: 'https://docs.slack.dev/reference/methods/auth.revoke',
      request: 'POST /auth.revoke',
      confirmedBy: 'revoked',
      ends: 'principal',
    },
  },
  identity: identity({
    reference: 'https://docs.slack.dev/reference/methods/auth.test',
    reads: { self: 'GET /auth.test' },
    accounts: [
      // It tells no name of the organization.
      { when: 'self.is_enterprise_install', id: 'self.enterprise_id' },
      { id: 'self.team_id', name: 'self.team' },
    ],
    // Of a bot token the user of the bot, which is another one for each app.
    principal: 'self.user_id',
  }),
  config: {},
  requiresReplicationConfig: true,
  // Joining channels shows in each of them, so nobody's bot does it unasked.
  usualReplicationConfig: { start_date: { daysAgo: 90 }, lookback_window: 7, join_channels: false },
  replicationConfig: {
    start_date: setting.instant('UTC date and time from which replication starts.', {
      required: true,
    }),
    lookback_window: setting.integer('Days to look back when syncing.', {
      minimum: 0,
      maximum: 365,
      required: true,
    }),
    join_channels: setting.boolean(
      'Public channels are joined automatically, so that their messages can be synced; without it, those of channels that the owner of the token is in are.',
      { required: true },
    ),
    include_archived_channels: setting.boolean('Messages of archived channels are synced too.', {
      default: false,
    }),
    threads_ignore_no_replies: setting.boolean(
      'Messages without replies are not read as threads.',
      {
        default: true,
      },
    ),
  },
  errors,
  checks: [
    { entity: 'users', action: 'list', params: { limit: 1 } },
    { entity: 'channels', action: 'list', params: { limit: 1 } },
  ],
  entities,
  distributions: {
    doc: 'How the app whose tokens are used comes to workspaces.',
    reference:
      'https://docs.slack.dev/changelog/2025/05/29/rate-limit-changes-for-non-marketplace-apps',
    applies: 'internal',
    each: {
      internal: { doc: 'Made for its own workspace or organization, and used there alone.' },
      distributed: {
        doc: "Installed in the workspaces of others, and not in Slack's Marketplace.",
        lists: { channel_messages: messagesOfDistributed, threads: messagesOfDistributed },
        // At 15 messages a minute, a copy would never be whole.
        notCopied: ['channel_messages', 'threads'],
      },
      marketplace: { doc: "Installed from Slack's Marketplace." },
    },
  },
  extensions: [
    'auth.oauth.fields.refresh_token',
    'auth.oauth.fields.expires_at',
    'replicationConfig.include_archived_channels',
    'replicationConfig.threads_ignore_no_replies',
    'entities.channel_messages.search',
    'entities.threads.search',
  ],
});
