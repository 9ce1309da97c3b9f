import { AuthorizationServer } from '../oauth/authorization-server.ts';
import type { OAuthSettings } from '../oauth/authorization-server.ts';
import { authorizeRoutes } from '../oauth/authorize.ts';
import type { AuthorizeRules } from '../oauth/authorize.ts';
import type { IssuedTokens, Person } from '../oauth/grant.ts';
import type { OAuthClient, TokenLife } from '../oauth/oauth-client.ts';
import { OAuthEndpoints } from '../oauth/oauth-endpoints.ts';
import { tokenRoute, ZENDESK_OAUTH_ERRORS } from '../zendesk-support/token-endpoint.ts';
import { accountRecord, agentName, seededAgents } from './seeded-staff.ts';
import type { ChatWorld } from './world.ts';

/** Ten hours, as in Zendesk's example of a token; how long its own live is not documented. */
const LIFE: TokenLife = { accessSeconds: 36_000, refreshSeconds: 'unlimited' };

/** The apps. One that is made in the dashboard is public, until the API makes it confidential. */
const CHAT_CLIENTS: readonly OAuthClient[] = [
  { id: 'sandbox-chat', secret: 'sandbox-chat-secret', name: 'Sandbox App', life: LIFE },
  { id: 'sandbox-chat-public', secret: undefined, name: 'Public Sandbox App', life: LIFE },
];

const CHAT_AUTHORIZE: AuthorizeRules = {
  vendor: 'Zendesk Chat',
  needsResponseType: true,
  hasPkce: false,
  scopesOf: ({ scope = '' }) => scope,
  denied: { error: 'access_denied' },
};

/** The authorization server of Zendesk Chat, which knows nothing of Support's tokens. */
export function chatServer(world: ChatWorld, settings: OAuthSettings): AuthorizationServer {
  return new AuthorizationServer(
    {
      vendor: 'zendesk-chat',
      clients: CHAT_CLIENTS,
      people: () => chatPeople(world),
      codeSeconds: 120,
      codeNeedsRedirectUri: true,
      codeReplayEndsGrants: false,
      accessTokensKept: 1,
      grantsOf: ({ client, person, asked: { scope: scopes = '' } }) => [
        { client, person, scopes, tokenType: 'bearer', tokenPrefix: '', life: client.life },
      ],
    },
    settings,
  );
}

/**
 * Its authorize page and its token endpoint.
 *
 * @see https://developer.zendesk.com/documentation/live-chat/getting-started/auth/
 */
export function chatOAuth(sitePath: string, server: AuthorizationServer): OAuthEndpoints {
  return new OAuthEndpoints({
    basePath: `${sitePath}/oauth2/chat`,
    namePrefix: '/oauth2/chat',
    routes: [
      ...authorizeRoutes(server, CHAT_AUTHORIZE, '/oauth2/chat/authorizations/new'),
      tokenRoute({
        name: 'POST /oauth2/chat/token',
        server,
        ownLife: { ...LIFE, refreshSeconds: 'none' },
        askedLife: () => ({}),
        body: tokenBody,
      }),
    ],
    errors: ZENDESK_OAUTH_ERRORS,
    begin: (params) => server.begin(params),
  });
}

/** The first agents, who are administrators. */
function chatPeople(world: ChatWorld): readonly Person[] {
  const agents = seededAgents(world);
  const account = { id: String(accountRecord(world)['account_key']), name: 'sandbox.zendesk Chat' };
  return [0, 1, 2].map((position) => ({
    id: String(agents.recordAt(position)['id']),
    name: agentName(world, position),
    account,
  }));
}

function tokenBody({ accessToken, grant, expiresInSeconds, refreshToken }: IssuedTokens) {
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    scope: grant.scopes,
    expires_in: expiresInSeconds,
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
  };
}
