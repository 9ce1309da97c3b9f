import type { AuthorizationServer } from '../oauth/authorization-server.ts';
import type { IssuedTokens } from '../oauth/grant.ts';
import type { TokenLife } from '../oauth/oauth-client.ts';
import type { OAuthCall, OAuthErrors, OAuthRoute } from '../oauth/oauth-endpoints.ts';
import type { OAuthParams } from '../oauth/oauth-params.ts';
import { OAuthRefusal } from '../oauth/oauth-refusal.ts';
import type { RefusalReason } from '../oauth/oauth-refusal.ts';
import type { UpstreamAnswer } from '../upstream.ts';
import { invalidEndpoint } from './support-error.ts';

/** What sets the token endpoint of one of Zendesk's products apart from the other's. */
export interface TokenEndpointOptions {
  /** Verb and path, as faults and the log call it. */
  readonly name: string;
  readonly server: AuthorizationServer;
  /** How long the tokens of an app for itself live, which are asked for anew. */
  readonly ownLife: TokenLife;
  /**
   * The lifetimes that a request asks for.
   *
   * @throws TokenRequestError
   */
  readonly askedLife: (params: OAuthParams) => Partial<TokenLife>;
  readonly body: (issued: IssuedTokens) => Readonly<Record<string, unknown>>;
}

/** The refusal of a request for a token whose parameters are wrong. */
export class TokenRequestError extends Error {}

const INVALID_CLIENT =
  'Client authentication failed due to unknown client, no client authentication included, or ' +
  'unsupported authentication method.';
const INVALID_GRANT =
  'The provided access grant is invalid, expired, or revoked (e.g. invalid assertion, expired ' +
  'authorization token, bad end-user password credentials, or mismatching authorization code and ' +
  'redirection URI).';

const REFUSALS: Readonly<Record<RefusalReason, readonly [number, string, string]>> = {
  unknown_client: [401, 'invalid_client', INVALID_CLIENT],
  wrong_secret: [401, 'invalid_client', INVALID_CLIENT],
  unsupported_grant: [400, 'unsupported_grant_type', 'The grant type is not supported.'],
  bad_code: [400, 'invalid_grant', INVALID_GRANT],
  redirect_mismatch: [400, 'invalid_grant', INVALID_GRANT],
  bad_verifier: [400, 'invalid_grant', INVALID_GRANT],
  bad_refresh_token: [400, 'invalid_grant', INVALID_GRANT],
};

/**
 * The endpoint that gives tokens for a code, for a refresh token, or to an app for itself.
 *
 * @see https://developer.zendesk.com/api-reference/ticketing/oauth/grant_type_tokens/
 */
export function tokenRoute(options: TokenEndpointOptions): OAuthRoute {
  return {
    name: options.name,
    run: (call) => {
      try {
        const issued = issue(call, options);
        return json(200, options.body(issued));
      } catch (error) {
        if (error instanceof TokenRequestError)
          return refuse(400, 'invalid_request', error.message);
        if (error instanceof OAuthRefusal) return refuse(...REFUSALS[error.reason]);
        throw error;
      }
    },
  };
}

/** Zendesk's errors at addresses of its authorization server. */
export const ZENDESK_OAUTH_ERRORS: OAuthErrors = {
  notFound: () => {
    const { status, body } = invalidEndpoint();
    return json(status, body);
  },
  injected: ({ code, status }) => {
    const usual = Object.values(REFUSALS).find(([, error]) => error === code);
    return refuse(status ?? usual?.[0] ?? 400, code, usual?.[2] ?? `The sandbox answers ${code}`);
  },
  rateLimited: (retryAfterSeconds) => {
    const answer = json(429, {
      error: 'APIRateLimitExceeded',
      description: 'Number of allowed API requests per minute exceeded',
    });
    return { ...answer, headers: [...answer.headers, 'retry-after', String(retryAfterSeconds)] };
  },
  failed: (status) =>
    json(status, { error: 'InternalError', description: 'Something went wrong on our side' }),
};

/** An answer in JSON. */
export function json(status: number, body: unknown): UpstreamAnswer {
  const headers = ['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store'];
  return { status, headers, body: Buffer.from(JSON.stringify(body)) };
}

function issue(
  { params, authorization }: OAuthCall,
  { server, ownLife, askedLife }: TokenEndpointOptions,
): IssuedTokens {
  const request = { params, authorization };
  const life = askedLife(params);
  switch (params['grant_type']) {
    case 'authorization_code': {
      if (params['scope'] === undefined) throw new TokenRequestError('The scope is missing.');
      const [issued] = server.exchange(request, life);
      // A consent at Zendesk always gives one grant.
      if (issued === undefined) throw new OAuthRefusal('bad_code');
      return issued;
    }
    case 'refresh_token':
      return server.renew(request, life);
    case 'client_credentials':
      return issueToApp(server, request, {
        ...ownLife,
        accessSeconds: life.accessSeconds ?? ownLife.accessSeconds,
      });
    default:
      throw new OAuthRefusal('unsupported_grant');
  }
}

/** Tokens of the admin who registered the app, without anybody's consent; public apps get none. */
function issueToApp(
  server: AuthorizationServer,
  request: { readonly params: OAuthParams; readonly authorization: string | undefined },
  life: TokenLife,
): IssuedTokens {
  const client = server.authenticate(request);
  const [person] = server.people;
  if (client.secret === undefined || person === undefined) throw new OAuthRefusal('wrong_secret');
  const scopes = request.params['scope'] ?? 'read';
  return server.open({ client, person, scopes, tokenType: 'bearer', tokenPrefix: '', life });
}

function refuse(status: number, error: string, description: string): UpstreamAnswer {
  return json(status, { error, error_description: description });
}
