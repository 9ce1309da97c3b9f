import { randomUUID } from 'node:crypto';
import type { ConnectKind, ConnectPageSession } from '@patchbay/connectors/wire';

const SUBDOMAIN = {
  name: 'subdomain',
  required: true,
  doc: 'Subdomain of the account: acme for acme.zendesk.com.',
  expects: 'the first part of <subdomain>.zendesk.com: lower-case letters, digits, hyphens',
  allowed: null,
  default: null,
};

const REGION = {
  name: 'region',
  required: false,
  doc: 'Where Intercom keeps the workspace.',
  expects: 'one of us, eu, au',
  allowed: ['us', 'eu', 'au'],
  default: 'us',
};

const TOKENS = [
  { name: 'access_token', doc: 'OAuth 2.0 access token.', required: true, secret: true },
  {
    name: 'refresh_token',
    doc: 'Refresh token, which gets the next access token.',
    required: false,
    secret: true,
  },
];

export const SLACK: ConnectKind = {
  connector_type: 'chat-workspace',
  display_name: 'Slack',
  doc: 'A team chat workspace: its people, channels and messages.',
  config: [],
  methods: [
    {
      name: 'oauth',
      label: 'OAuth',
      doc: 'The bot token of an app, from the OAuth v2 access exchange.',
      has_consent: true,
      fields: TOKENS,
    },
    {
      name: 'token',
      label: 'Token',
      doc: 'A token made by hand in the app settings: https://api.slack.com/apps.',
      has_consent: false,
      fields: [
        { name: 'api_token', doc: 'A bot-type or user-type token.', required: true, secret: true },
      ],
    },
  ],
};

export const ZENDESK: ConnectKind = {
  connector_type: 'support-ticketing',
  display_name: 'Zendesk Support',
  doc: 'A help desk: its tickets, the people behind them, its rules and its help center.',
  config: [SUBDOMAIN],
  methods: [
    {
      name: 'oauth',
      label: 'OAuth',
      doc: 'A token of an OAuth client of the account.',
      has_consent: false,
      fields: TOKENS,
    },
    {
      name: 'token',
      label: 'Token',
      doc: 'An API token, in the name of a user of the account.',
      has_consent: false,
      fields: [
        { name: 'email', doc: 'E-mail address of the user.', required: true, secret: false },
        {
          name: 'api_token',
          doc: "API token from the account's admin center.",
          required: true,
          secret: true,
        },
      ],
    },
  ],
};

export const INTERCOM: ConnectKind = {
  connector_type: 'customer-messaging',
  display_name: 'Intercom',
  doc: 'Customer messaging: contacts, companies and conversations with them.',
  config: [REGION],
  methods: [
    {
      name: 'oauth',
      label: 'Access token',
      doc: 'The access token of an app, made by hand or through OAuth.',
      has_consent: true,
      fields: TOKENS,
    },
  ],
};

/** An open session for Slack, with what a test changes of it. */
export function viewOf(changes: Partial<ConnectPageSession> = {}): ConnectPageSession {
  return {
    id: randomUUID(),
    status: 'open',
    expires_at: new Date(Date.now() + 1_800_000).toISOString(),
    application_name: 'Acme',
    user_label: 'ada@acme.example',
    branding: null,
    return_url: null,
    origin: null,
    reconnects: false,
    connector_id: null,
    connector_type: null,
    error: null,
    kinds: [SLACK],
    progress: null,
    ...changes,
  };
}

/** What a first copy looks like in its middle. */
export const COPYING: ConnectPageSession['progress'] = {
  state: 'running',
  entities: [
    { entity: 'users', state: 'idle', records: 214 },
    { entity: 'channels', state: 'idle', records: 38 },
    { entity: 'channel_messages', state: 'syncing', records: 12_400 },
    { entity: 'threads', state: 'never', records: 0 },
    { entity: 'channel_topics', state: 'failed', records: 3 },
  ],
};
