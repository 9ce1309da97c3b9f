import type { AuthorizationServer, VendorRules } from '../oauth/authorization-server.ts';
import { authorizeRoutes } from '../oauth/authorize.ts';
import type { AuthorizeRules } from '../oauth/authorize.ts';
import { PAGE_ERRORS } from '../oauth/consent-page.ts';
import type { OAuthClient } from '../oauth/oauth-client.ts';
import { OAuthEndpoints } from '../oauth/oauth-endpoints.ts';
import type { IntercomAccounts } from './accounts.ts';

/** The app. What it may do is set with the app, so no scopes are asked for. */
const INTERCOM_CLIENTS: readonly OAuthClient[] = [
  {
    id: 'sandbox-intercom',
    secret: 'sandbox-intercom-secret',
    name: 'Sandbox App',
    life: { accessSeconds: undefined, refreshSeconds: 'none' },
  },
];

const INTERCOM_AUTHORIZE: AuthorizeRules = {
  vendor: 'Intercom',
  needsResponseType: false,
  hasPkce: false,
  scopesOf: () => 'what the app was set up with',
  denied: { error: 'access_denied' },
};

/** How Intercom keeps codes and tokens: a code works for five minutes, a token for good. */
export function intercomRules(accounts: IntercomAccounts): VendorRules {
  return {
    vendor: 'intercom',
    clients: INTERCOM_CLIENTS,
    people: () => accounts.people(),
    codeSeconds: 300,
    codeNeedsRedirectUri: false,
    codeReplayEndsGrants: false,
    accessTokensKept: 1,
    grantsOf: ({ client, person }) => [
      { client, person, scopes: '', tokenType: 'bearer', tokenPrefix: '', life: client.life },
    ],
  };
}

/**
 * The page that people consent on. At Intercom it is on a host of its own, `app.intercom.com`.
 *
 * @see https://developers.intercom.com/docs/build-an-integration/learn-more/authentication/setting-up-oauth
 */
export function intercomConsent(server: AuthorizationServer): OAuthEndpoints {
  return new OAuthEndpoints({
    basePath: '/intercom/oauth',
    namePrefix: '/oauth',
    routes: authorizeRoutes(server, INTERCOM_AUTHORIZE, '/oauth'),
    errors: PAGE_ERRORS,
  });
}
