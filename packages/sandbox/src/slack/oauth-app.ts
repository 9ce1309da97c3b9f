import type { Consent } from '../oauth/authorization-codes.ts';
import type { AuthorizationServer, VendorRules } from '../oauth/authorization-server.ts';
import { authorizeRoutes } from '../oauth/authorize.ts';
import type { AuthorizeRules } from '../oauth/authorize.ts';
import { PAGE_ERRORS } from '../oauth/consent-page.ts';
import type { GrantDetails } from '../oauth/grant.ts';
import type { OAuthClient } from '../oauth/oauth-client.ts';
import { OAuthEndpoints } from '../oauth/oauth-endpoints.ts';
import type { OAuthParams } from '../oauth/oauth-params.ts';
import type { SlackAccounts } from './accounts.ts';

const TWELVE_HOURS_SECONDS = 43_200;
const THIRTY_DAYS_SECONDS = 30 * 86_400;

/**
 * The apps. Switching PKCE on makes a public app of one, whose refresh tokens die in 30 days.
 *
 * @see https://docs.slack.dev/authentication/using-token-rotation
 */
const SLACK_CLIENTS: readonly OAuthClient[] = [
  {
    id: 'sandbox-slack',
    secret: 'sandbox-slack-secret',
    name: 'Sandbox App',
    life: { accessSeconds: TWELVE_HOURS_SECONDS, refreshSeconds: 'unlimited' },
  },
  {
    id: 'sandbox-slack-lasting',
    secret: 'sandbox-slack-lasting-secret',
    name: 'Sandbox App without token rotation',
    life: { accessSeconds: undefined, refreshSeconds: 'none' },
  },
  {
    id: 'sandbox-slack-public',
    secret: undefined,
    name: 'Sandbox App with PKCE',
    life: { accessSeconds: TWELVE_HOURS_SECONDS, refreshSeconds: THIRTY_DAYS_SECONDS },
  },
];

/**
 * How Slack keeps codes and tokens: a code works for ten minutes, and a renewed access token lives
 * on beside the new one until it expires or a third is issued.
 */
export function slackRules(accounts: SlackAccounts): VendorRules {
  return {
    vendor: 'slack',
    clients: SLACK_CLIENTS,
    people: () => accounts.people(),
    codeSeconds: 600,
    codeNeedsRedirectUri: true,
    codeReplayEndsGrants: false,
    accessTokensKept: 2,
    grantsOf: slackGrants,
  };
}

const SLACK_AUTHORIZE: AuthorizeRules = {
  vendor: 'Slack',
  needsResponseType: false,
  hasPkce: true,
  scopesOf: (asked) =>
    [scopes(asked, 'scope'), scopes(asked, 'user_scope')].join(',').replace(/^,|,$/g, ''),
  denied: { error: 'access_denied' },
};

/**
 * The page that people consent on, which lies beside the API.
 *
 * @see https://docs.slack.dev/authentication/installing-with-oauth
 */
export function slackConsent(server: AuthorizationServer): OAuthEndpoints {
  return new OAuthEndpoints({
    basePath: '/slack/oauth/v2',
    namePrefix: '/oauth/v2',
    routes: authorizeRoutes(server, SLACK_AUTHORIZE, '/oauth/v2/authorize'),
    errors: PAGE_ERRORS,
  });
}

/** A token of the app's bot for `scope`, and one of the person for `user_scope`. */
function slackGrants({ client, person, asked }: Consent): readonly GrantDetails[] {
  const { life } = client;
  const rotation = life.accessSeconds === undefined ? '' : 'xoxe.';
  return [
    { tokenType: 'bot', scopes: scopes(asked, 'scope'), tokenPrefix: `${rotation}xoxb-` },
    { tokenType: 'user', scopes: scopes(asked, 'user_scope'), tokenPrefix: `${rotation}xoxp-` },
  ]
    .filter((one) => one.scopes !== '')
    .map((one) => ({ ...one, client, person, life }));
}

/** Scopes as Slack writes them, with commas; it reads spaces as well. */
function scopes(asked: OAuthParams, name: string): string {
  return (asked[name] ?? '')
    .split(/[\s,]+/)
    .filter((scope) => scope !== '')
    .join(',');
}
