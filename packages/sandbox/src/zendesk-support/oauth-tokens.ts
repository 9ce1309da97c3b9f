import type { AuthorizationServer } from '../oauth/authorization-server.ts';
import type { LiveToken } from '../oauth/grant-book.ts';
import { OAuthEndpoints } from '../oauth/oauth-endpoints.ts';
import type { OAuthCall, OAuthRoute } from '../oauth/oauth-endpoints.ts';
import type { UpstreamAnswer } from '../upstream.ts';
import { checkCredential, readCredential } from './credentials.ts';
import { recordNotFound, SupportError } from './support-error.ts';
import { isoTime } from './times.ts';
import { json, ZENDESK_OAUTH_ERRORS } from './token-endpoint.ts';

/** How many characters of a token are shown. */
const SHOWN_CHARACTERS = 10;

/**
 * The caller's own OAuth tokens. `current` can be shown, but not deleted: that answers 204 and
 * revokes nothing, as Zendesk's is said to do.
 *
 * @see https://developer.zendesk.com/api-reference/ticketing/oauth/oauth_tokens/
 */
export function supportTokens(apiPath: string, server: AuthorizationServer): OAuthEndpoints {
  return new OAuthEndpoints({
    basePath: `${apiPath}/oauth`,
    namePrefix: '/oauth',
    routes: [
      route('GET /oauth/tokens', (call) => {
        const tokens = ownTokens(server, call);
        return json(200, { tokens: tokens.map((token) => tokenRecord(server, token)) });
      }),
      route('GET /oauth/tokens/current', (call) => {
        const current = callersToken(server, call);
        if (current === undefined) throw recordNotFound();
        return json(200, { token: tokenRecord(server, current) });
      }),
      route('GET /oauth/tokens/{id}', (call) =>
        json(200, { token: tokenRecord(server, ownToken(server, call)) }),
      ),
      route('DELETE /oauth/tokens/current', (call) => {
        callersToken(server, call);
        return NO_CONTENT;
      }),
      route('DELETE /oauth/tokens/{id}', (call) => {
        server.book.revoke(ownToken(server, call).grant.id);
        return NO_CONTENT;
      }),
    ],
    errors: ZENDESK_OAUTH_ERRORS,
  });
}

const NO_CONTENT: UpstreamAnswer = { status: 204, headers: [], body: Buffer.alloc(0) };

/** An endpoint that answers refusals as the API does. */
function route(name: string, run: (call: OAuthCall) => UpstreamAnswer): OAuthRoute {
  return {
    name,
    run: (call) => {
      try {
        return run(call);
      } catch (error) {
        if (error instanceof SupportError) return json(error.status, error.body);
        throw error;
      }
    },
  };
}

/** The token that a call was made with; undefined for one made by hand. */
function callersToken(server: AuthorizationServer, call: OAuthCall): LiveToken | undefined {
  return checkCredential(readCredential(call.authorization), server.book, false);
}

/** The tokens of the person who calls; whoever calls with a token made by hand is the first one. */
function ownTokens(server: AuthorizationServer, call: OAuthCall): readonly LiveToken[] {
  const person = callersToken(server, call)?.grant.person ?? server.people[0];
  return server.book.live().filter(({ grant }) => grant.person.id === person?.id);
}

function ownToken(server: AuthorizationServer, call: OAuthCall): LiveToken {
  const found = ownTokens(server, call).find(({ id }) => String(id) === call.id);
  if (found === undefined) throw recordNotFound();
  return found;
}

function tokenRecord(
  { clients }: AuthorizationServer,
  { id, value, grant, issuedAt, expiresAt }: LiveToken,
) {
  return {
    id,
    client_id: clients.indexOf(grant.client) + 1,
    user_id: Number(grant.person.id),
    token: value.slice(-SHOWN_CHARACTERS),
    scopes: grant.scopes.split(' '),
    created_at: isoTime(Math.floor(issuedAt / 1_000)),
    expires_at: expiresAt === undefined ? null : isoTime(Math.floor(expiresAt / 1_000)),
    used_at: null,
  };
}
