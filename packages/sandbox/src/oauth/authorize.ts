import type { AuthorizationServer } from './authorization-server.ts';
import { consentPage, redirectTo, refusalPage } from './consent-page.ts';
import type { OAuthClient } from './oauth-client.ts';
import type { OAuthRoute } from './oauth-endpoints.ts';
import type { OAuthParams } from './oauth-params.ts';
import type { UpstreamAnswer } from '../upstream.ts';

/** What sets one vendor's authorize page apart from the others. */
export interface AuthorizeRules {
  /** The vendor's name for people. */
  readonly vendor: string;
  /** Whether `response_type=code` has to be asked for. */
  readonly needsResponseType: boolean;
  /** Whether PKCE is understood; where it is not, its parameters are ignored. */
  readonly hasPkce: boolean;
  /** The scopes that are asked for; empty when they are missing. */
  readonly scopesOf: (asked: OAuthParams) => string;
  /** What the app is told of a person who declines, besides the state. */
  readonly denied: OAuthParams;
}

/** The authorize page at `path`, and its form. */
export function authorizeRoutes(
  server: AuthorizationServer,
  rules: AuthorizeRules,
  path: string,
): readonly OAuthRoute[] {
  return [
    {
      name: `GET ${path}`,
      showsPage: true,
      run: ({ query }) => showAuthorizePage(server, rules, query),
    },
    {
      name: `POST ${path}`,
      showsPage: true,
      run: ({ query, form }) => decideAuthorizePage(server, rules, { asked: query, form }),
    },
  ];
}

/** Answers the request for an authorize page. */
function showAuthorizePage(
  server: AuthorizationServer,
  rules: AuthorizeRules,
  asked: OAuthParams,
): UpstreamAnswer {
  const checked = check(server, rules, asked);
  if ('problem' in checked) return refusalPage(checked.problem);
  const { client } = checked;
  const { people } = server;
  return consentPage({ vendor: rules.vendor, client, scopes: rules.scopesOf(asked), people });
}

/** Answers the form of an authorize page: leads back to the app, with a code or a refusal. */
function decideAuthorizePage(
  server: AuthorizationServer,
  rules: AuthorizeRules,
  { asked, form }: { readonly asked: OAuthParams; readonly form: OAuthParams },
): UpstreamAnswer {
  const checked = check(server, rules, asked);
  if ('problem' in checked) return refusalPage(checked.problem);
  const { client, redirectUri } = checked;
  const state = asked['state'] === undefined ? {} : { state: asked['state'] };
  if (form['decision'] === 'deny') return redirectTo(redirectUri, { ...rules.denied, ...state });
  const person = server.people.find(({ id }) => id === form['person']);
  if (person === undefined || form['decision'] !== 'allow') {
    return refusalPage('Choose a person, and allow or deny.');
  }
  const code = server.consent({ client, person, asked: withoutUnknownPkce(rules, asked) });
  return redirectTo(redirectUri, { code, ...state });
}

/** The app and the way back, or what is wrong with the request. */
function check(
  server: AuthorizationServer,
  rules: AuthorizeRules,
  asked: OAuthParams,
): { readonly client: OAuthClient; readonly redirectUri: string } | { readonly problem: string } {
  const client = server.clients.find(({ id }) => id === asked['client_id']);
  if (client === undefined) return { problem: 'There is no app with this client_id.' };
  const redirectUri = server.redirectUriOf(asked);
  if (redirectUri === undefined) {
    return { problem: 'redirect_uri does not match one that is registered for this app.' };
  }
  if (rules.needsResponseType && asked['response_type'] !== 'code') {
    return { problem: 'response_type must be code.' };
  }
  if (rules.scopesOf(asked) === '') return { problem: 'No scopes are asked for.' };
  const problem = pkceProblem(rules, client, asked);
  return problem === undefined ? { client, redirectUri } : { problem };
}

function pkceProblem(
  { hasPkce }: AuthorizeRules,
  { secret }: OAuthClient,
  asked: OAuthParams,
): string | undefined {
  if (!hasPkce) return undefined;
  if (asked['code_challenge'] === undefined) {
    return secret === undefined ? 'A public app has to send a code_challenge.' : undefined;
  }
  return asked['code_challenge_method'] === 'S256'
    ? undefined
    : 'code_challenge_method must be S256.';
}

function withoutUnknownPkce({ hasPkce }: AuthorizeRules, asked: OAuthParams): OAuthParams {
  if (hasPkce) return asked;
  const { code_challenge: _challenge, ...rest } = asked;
  return rest;
}
