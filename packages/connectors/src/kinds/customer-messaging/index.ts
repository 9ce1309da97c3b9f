import {
  bearer,
  connectorKind,
  credential,
  identity,
  issued,
  setting,
} from '../../vocabulary/index.ts';
import { admins } from './admins.ts';
import { companies } from './companies.ts';
import { contacts } from './contacts.ts';
import { conversations } from './conversations.ts';
import { errors } from './errors.ts';
import { segments } from './segments.ts';
import { tags } from './tags.ts';
import { teams } from './teams.ts';

/** The entities of Intercom; spelled out so that declarations name them. */
export type CustomerMessagingEntities = {
  readonly contacts: typeof contacts;
  readonly conversations: typeof conversations;
  readonly companies: typeof companies;
  readonly teams: typeof teams;
  readonly admins: typeof admins;
  readonly tags: typeof tags;
  readonly segments: typeof segments;
};

const entities: CustomerMessagingEntities = {
  contacts,
  conversations,
  companies,
  teams,
  admins,
  tags,
  segments,
};

/**
 * Intercom.
 *
 * @see docs/reference/customer-messaging.md
 */
export const customerMessaging = connectorKind({
  kind: 'customer-messaging',
  displayName: 'Intercom',
  aliases: ['intercom'],
  definitionId: 'd8313939-3782-41b0-be29-b3ca20d8dd3a',
  doc: 'Customer messaging: contacts, companies and conversations with them.',
  reference: 'https://developers.intercom.com/docs/references/2.11/introduction',
  baseUrl: 'https://{region}',
  auth: {
    oauth: bearer({
      label: 'Access token',
      doc: 'The access token of an app, made by hand or through OAuth.',
      fields: { access_token: credential.required('Access token of the app.'), ...issued },
      token: 'access_token',
      // Its tokens do not expire, and nothing renews them.
      grants: ['authorization_code'],
      // Of a token made by hand, this would end somebody's own app.
      revoked: 'consented',
    }),
  },
  oauth: {
    reference:
      'https://developers.intercom.com/docs/build-an-integration/learn-more/authentication/setting-up-oauth',
    // The app has its scopes itself.
    consent: {
      address: {
        variable: 'region',
        addresses: {
          us: 'https://app.intercom.com/oauth',
          eu: 'https://app.eu.intercom.com/oauth',
          au: 'https://app.au.intercom.com/oauth',
        },
      },
    },
    token: {
      address: 'https://{region}/auth/eagle/token',
      body: 'form',
      // Answers of some years have it under both names, those of others under one.
      accessToken: ['access_token', 'token'],
      error: 'errors.0.code',
      errorMessage: 'errors.0.message',
      deadGrants: [],
      wrongClients: [],
    },
    // Intercom has no reference page on the request itself.
    revocation: {
      doc: 'Uninstalls the app from the workspace, with every token that it has there; it is left where another connector is of the same workspace.',
      reference:
        'https://developers.intercom.com/docs/build-an-integration/learn-more/authentication/installing-uninstalling-apps',
      request: 'POST /auth/uninstall',
      ends: 'account',
    },
  },
  identity: identity({
    reference:
      'https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/admins/identifyadmin',
    reads: { me: 'GET /me' },
    accounts: [{ id: 'me.app.id_code', name: 'me.app.name' }],
    principal: 'me.id',
  }),
  config: {
    region: setting.choice(
      'Where Intercom keeps the workspace.',
      { us: 'api.intercom.io', eu: 'api.eu.intercom.io', au: 'api.au.intercom.io' },
      { default: 'us' },
    ),
  },
  requiresReplicationConfig: false,
  replicationConfig: {
    start_date: setting.instant(
      'UTC date and time; conversations without a change since are not copied.',
    ),
  },
  headers: { 'intercom-version': '2.11' },
  errors,
  // An app has 10,000 calls a minute, counted in windows of ten seconds.
  policies: { rates: [{ perMinute: 10_000, burst: 1_666, shared: 'connector' }] },
  rateHeaders: {
    remaining: 'x-ratelimit-remaining',
    reset: { header: 'x-ratelimit-reset', unit: 'epoch_seconds' },
  },
  checks: [
    { entity: 'contacts', action: 'list', params: { per_page: 1 } },
    { entity: 'conversations', action: 'list', params: { per_page: 1 } },
    { entity: 'companies', action: 'list', params: { per_page: 1 } },
    { entity: 'teams', action: 'list', params: {} },
    { entity: 'admins', action: 'list', params: {} },
    { entity: 'tags', action: 'list', params: {} },
    { entity: 'segments', action: 'list', params: {} },
  ],
  entities,
  extensions: [
    'auth.oauth.fields.refresh_token',
    'auth.oauth.fields.expires_at',
    'config.region',
    'replicationConfig.start_date',
  ],
});
