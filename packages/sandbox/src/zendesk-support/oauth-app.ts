import { AuthorizationServer } from '../oauth/authorization-server.ts';
import type { OAuthSettings } from '../oauth/authorization-server.ts';
import { authorizeRoutes } from '../oauth/authorize.ts';
import type { AuthorizeRules } from '../oauth/authorize.ts';
import type { IssuedTokens, Person } from '../oauth/grant.ts';
import type { OAuthClient, TokenLife } from '../oauth/oauth-client.ts';
import { OAuthEndpoints } from '../oauth/oauth-endpoints.ts';
import type { OAuthParams } from '../oauth/oauth-params.ts';
import { seededUsers } from './seeded-people.ts';
import { TokenRequestError, tokenRoute, ZENDESK_OAUTH_ERRORS } from './token-endpoint.ts';
import { ADMIN_COUNT } from './world.ts';
import type { SupportWorld } from './world.ts';

const LIFE: TokenLife = { accessSeconds: 1_800, refreshSeconds: 30 * 86_400 };

/**
 * The apps.
 *
 * @see https://developer.zendesk.com/api-reference/ticketing/oauth/oauth_clients/
 */
const SUPPORT_CLIENTS: readonly OAuthClient[] = [
  {
    id: 'sandbox-support',
    secret: 'sandbox-support-secret',
    name: 'Sandbox App',
    life: LIFE,
  },
  {
    id: 'sandbox-support-public',
    secret: undefined,
    name: 'Public Sandbox App',
    life: LIFE,
  },
];

const SUPPORT_AUTHORIZE: AuthorizeRules = {
  vendor: 'Zendesk',
  needsResponseType: true,
  hasPkce: true,
  scopesOf: ({ scope = '' }) => scope,
  denied: {
    error: 'access_denied',
    error_description: 'The end-user or authorization server denied the request.',
  },
};

/**
 * The authorization server of Zendesk Support: a code works for two minutes, its second use ends
 * what it gave, and a renewal ends the pair before.
 */
export function supportServer(world: SupportWorld, settings: OAuthSettings): AuthorizationServer {
  return new AuthorizationServer(
    {
      vendor: 'zendesk-support',
      clients: SUPPORT_CLIENTS,
      people: () => supportPeople(world),
      codeSeconds: 120,
      codeNeedsRedirectUri: true,
      codeReplayEndsGrants: true,
      accessTokensKept: 1,
      grantsOf: ({ client, person, asked: { scope: scopes = '' } }) => [
        { client, person, scopes, tokenType: 'bearer', tokenPrefix: '', life: client.life },
      ],
    },
    settings,
  );
}

/**
 * Its authorize page and its token endpoint, which lie beside the API.
 *
 * @see https://developer.zendesk.com/api-reference/ticketing/oauth/grant_type_tokens/
 */
export function supportOAuth(sitePath: string, server: AuthorizationServer): OAuthEndpoints {
  return new OAuthEndpoints({
    basePath: `${sitePath}/oauth`,
    namePrefix: '/oauth',
    routes: [
      ...authorizeRoutes(server, SUPPORT_AUTHORIZE, '/oauth/authorizations/new'),
      tokenRoute({
        name: 'POST /oauth/tokens',
        server,
        ownLife: { ...LIFE, refreshSeconds: 'none' },
        askedLife: readLife,
        body: tokenBody,
      }),
    ],
    errors: ZENDESK_OAUTH_ERRORS,
    begin: (params) => server.begin(params),
  });
}

/** The admins who can consent for the account, and an agent. */
function supportPeople(world: SupportWorld): readonly Person[] {
  const users = seededUsers(world);
  return [0, 1, ADMIN_COUNT].map((position) => {
    const { id, name } = users.recordAt(position);
    return {
      id: String(id),
      name: String(name),
      account: { id: 'sandbox', name: 'sandbox.zendesk' },
    };
  });
}

function readLife(params: OAuthParams): Partial<TokenLife> {
  const accessSeconds = seconds(params, 'expires_in', { over: 300, under: 172_800 });
  const bounds = { over: 604_800, under: 7_776_000 };
  const refreshSeconds = seconds(params, 'refresh_token_expires_in', bounds);
  return {
    ...(accessSeconds === undefined ? {} : { accessSeconds }),
    ...(refreshSeconds === undefined ? {} : { refreshSeconds }),
  };
}

function seconds(
  params: OAuthParams,
  name: string,
  { over, under }: { readonly over: number; readonly under: number },
): number | undefined {
  const text = params[name];
  if (text === undefined || text === '') return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value > over && value < under) return value;
  throw new TokenRequestError(
    `${name} must be more than ${String(over)} and less than ${String(under)} seconds`,
  );
}

function tokenBody(issued: IssuedTokens) {
  return {
    access_token: issued.accessToken,
    token_type: 'bearer',
    scope: issued.grant.scopes,
    expires_in: issued.expiresInSeconds,
    ...(issued.refreshToken === undefined
      ? {}
      : {
          refresh_token: issued.refreshToken,
          refresh_token_expires_in: issued.refreshExpiresInSeconds,
        }),
  };
}
