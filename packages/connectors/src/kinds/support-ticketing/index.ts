import {
  basic,
  bearer,
  clientCredentials,
  connectorKind,
  credential,
  identity,
  issued,
  oauthClient,
  setting,
  type CheckCall,
  type Entity,
} from '../../vocabulary/index.ts';
import { articleAttachments } from './article-attachments.ts';
import { articles } from './articles.ts';
import { attachments } from './attachments.ts';
import { automations } from './automations.ts';
import { brands } from './brands.ts';
import { errors } from './errors.ts';
import { groupMemberships } from './group-memberships.ts';
import { groups } from './groups.ts';
import { macros } from './macros.ts';
import { organizationMemberships } from './organization-memberships.ts';
import { organizations } from './organizations.ts';
import { satisfactionRatings } from './satisfaction-ratings.ts';
import { accountRate } from './shared.ts';
import { slaPolicies } from './sla-policies.ts';
import { tags } from './tags.ts';
import { ticketAudits } from './ticket-audits.ts';
import { ticketComments } from './ticket-comments.ts';
import { ticketFields } from './ticket-fields.ts';
import { ticketForms } from './ticket-forms.ts';
import { ticketMetrics } from './ticket-metrics.ts';
import { tickets } from './tickets.ts';
import { triggers } from './triggers.ts';
import { users } from './users.ts';
import { views } from './views.ts';

/** The entities of Zendesk Support; spelled out so that declarations name them. */
export type SupportTicketingEntities = {
  readonly tickets: typeof tickets;
  readonly ticket_comments: typeof ticketComments;
  readonly users: typeof users;
  readonly organizations: typeof organizations;
  readonly groups: typeof groups;
  readonly attachments: typeof attachments;
  readonly ticket_audits: typeof ticketAudits;
  readonly ticket_metrics: typeof ticketMetrics;
  readonly ticket_fields: typeof ticketFields;
  readonly brands: typeof brands;
  readonly views: typeof views;
  readonly macros: typeof macros;
  readonly triggers: typeof triggers;
  readonly automations: typeof automations;
  readonly tags: typeof tags;
  readonly satisfaction_ratings: typeof satisfactionRatings;
  readonly group_memberships: typeof groupMemberships;
  readonly organization_memberships: typeof organizationMemberships;
  readonly sla_policies: typeof slaPolicies;
  readonly ticket_forms: typeof ticketForms;
  readonly articles: typeof articles;
  readonly article_attachments: typeof articleAttachments;
};

const entities: SupportTicketingEntities = {
  tickets,
  ticket_comments: ticketComments,
  users,
  organizations,
  groups,
  attachments,
  ticket_audits: ticketAudits,
  ticket_metrics: ticketMetrics,
  ticket_fields: ticketFields,
  brands,
  views,
  macros,
  triggers,
  automations,
  tags,
  satisfaction_ratings: satisfactionRatings,
  group_memberships: groupMemberships,
  organization_memberships: organizationMemberships,
  sla_policies: slaPolicies,
  ticket_forms: ticketForms,
  articles,
  article_attachments: articleAttachments,
};

/**
 * Zendesk Support and its help center, read only.
 *
 * @see docs/reference/support-ticketing.md
 */
export const supportTicketing = connectorKind({
  kind: 'support-ticketing',
  displayName: 'Zendesk Support',
  aliases: ['zendesk-support'],
  definitionId: '79c1aa37-dae3-42ae-b333-d1c105477715',
  doc: 'A help desk: its tickets, the people behind them, its rules and its help center. Only the credentials of an administrator can copy tickets, users and organizations for searches; satisfaction ratings and SLA policies are for administrators as well, and of brands others see those that they work for.',
  reference: 'https://developer.zendesk.com/api-reference/ticketing/introduction/',
  baseUrl: 'https://{subdomain}.zendesk.com/api/v2',
  auth: {
    oauth: bearer({
      label: 'OAuth',
      doc: 'A token of an OAuth client of the account.',
      fields: {
        access_token: credential.required('OAuth 2.0 access token.'),
        ...issued,
        ...oauthClient,
      },
      token: 'access_token',
      grants: ['authorization_code', 'refresh_token'],
      revoked: 'all',
      ending: {
        on: '2027-04-01',
        of: 'unrenewed',
        doc: 'From 2027-04-01 on every OAuth token of Zendesk expires, most after 30 minutes: give credentials with a refresh token and the client that it belongs to, or client credentials.',
        reference: 'https://developer.zendesk.com/api-reference/ticketing/oauth/grant_type_tokens/',
      },
    }),
    client_credentials: clientCredentials,
    token: basic({
      label: 'Token',
      doc: 'An API token, in the name of a user of the account.',
      fields: {
        email: credential.required('E-mail address of the user.', { isShown: true }),
        api_token: credential.required("API token from the account's admin center."),
      },
      username: '{email}/token',
      password: '{api_token}',
      ending: {
        on: '2027-04-30',
        of: 'all',
        doc: 'Zendesk ends all API tokens on 2027-04-30, and before that each that nobody uses for 30 days; since 2026-10-27 nobody can make one. Use OAuth or client credentials instead.',
        reference:
          'https://developer.zendesk.com/documentation/api-basics/authentication/oauth-migration/',
      },
    }),
  },
  oauth: {
    reference: 'https://developer.zendesk.com/api-reference/ticketing/oauth/grant_type_tokens/',
    consent: {
      address: 'https://{subdomain}.zendesk.com/oauth/authorizations/new',
      scopes: { separator: ' ', default: ['read'], isSaidWithCode: true },
      pkce: 'S256',
    },
    token: {
      address: 'https://{subdomain}.zendesk.com/oauth/tokens',
      body: 'json',
      error: 'error',
      errorMessage: 'error_description',
      deadGrants: ['invalid_grant'],
      wrongClients: ['invalid_client', 'invalid_scope', 'unauthorized_client'],
    },
    revocation: {
      doc: 'Ends the token and the refresh token beside it.',
      reference: 'https://developer.zendesk.com/api-reference/ticketing/oauth/oauth_tokens/',
      // DELETE of `current` is said to answer 204 and to revoke nothing.
      lookup: { by: 'signature', request: 'GET /oauth/tokens/current', id: 'token.id' },
      request: 'DELETE /oauth/tokens/{id}',
      ends: 'token',
    },
  },
  identity: identity({
    reference: 'https://developer.zendesk.com/api-reference/ticketing/users/users/#show-self',
    reads: { self: 'GET /users/me' },
    accounts: [
      { id: 'config.subdomain', name: 'config.subdomain' },
      // Where the operator's upstream is one account, connectors need not say which.
      { id: 'upstream.host' },
    ],
    principal: 'self.user.id',
  }),
  config: {
    subdomain: setting.text('Subdomain of the account: acme for acme.zendesk.com.', {
      pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
      expects: 'the first part of <subdomain>.zendesk.com: lower-case letters, digits, hyphens',
      required: true,
      placeholder: 'your-subdomain',
    }),
  },
  replicationConfig: {},
  requiresReplicationConfig: false,
  errors,
  policies: { rates: [accountRate] },
  rateHeaders: {
    remaining: 'x-rate-limit-remaining',
    reset: { header: 'ratelimit-reset', unit: 'delta_seconds' },
  },
  checks: Object.values<Entity>(entities).flatMap(checkOf),
  entities,
  extensions: [
    'auth.client_credentials',
    'auth.oauth.fields.expires_at',
    'auth.oauth.fields.client_id',
    'auth.oauth.fields.client_secret',
    ...Object.keys(entities).map((name) => `entities.${name}`),
  ],
});

/** Reads one record of every list that needs no id of another entity. */
function checkOf({ name, actions: { list } }: Entity): readonly CheckCall[] {
  if (list === undefined || Object.values(list.params).some(({ isRequired }) => isRequired))
    return [];
  return [{ entity: name, action: 'list', params: { per_page: 1 } }];
}
