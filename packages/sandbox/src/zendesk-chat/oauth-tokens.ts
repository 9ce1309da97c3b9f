import type { AuthorizationServer } from '../oauth/authorization-server.ts';
import type { LiveToken } from '../oauth/grant-book.ts';
import { OAuthEndpoints } from '../oauth/oauth-endpoints.ts';
import type { OAuthCall, OAuthRoute } from '../oauth/oauth-endpoints.ts';
import type { UpstreamAnswer } from '../upstream.ts';
import { isoTime } from '../zendesk-support/times.ts';
import { json, ZENDESK_OAUTH_ERRORS } from '../zendesk-support/token-endpoint.ts';
import { ChatError } from './chat-error.ts';
import { checkToken } from './credentials.ts';

/**
 * The caller's own OAuth tokens: listed, shown and revoked.
 *
 * @see https://developer.zendesk.com/api-reference/live-chat/chat-api/oauth_tokens/
 */
export function chatTokens(chatPath: string, server: AuthorizationServer): OAuthEndpoints {
  return new OAuthEndpoints({
    basePath: `${chatPath}/oauth`,
    namePrefix: '/oauth',
    routes: [
      route('GET /oauth/tokens', (call) => json(200, ownTokens(server, call).map(tokenRecord))),
      route('GET /oauth/tokens/{id}', (call) => json(200, tokenRecord(ownToken(server, call)))),
      route('DELETE /oauth/tokens/{id}', (call) => {
        server.book.revoke(ownToken(server, call).grant.id);
        return { status: 204, headers: [], body: Buffer.alloc(0) };
      }),
    ],
    errors: ZENDESK_OAUTH_ERRORS,
  });
}

/** An endpoint that answers refusals as the API does. */
function route(name: string, run: (call: OAuthCall) => UpstreamAnswer): OAuthRoute {
  return {
    name,
    run: (call) => {
      try {
        return run(call);
      } catch (error) {
        if (!(error instanceof ChatError)) throw error;
        return json(error.status, { error: error.error, description: error.description });
      }
    },
  };
}

/** The tokens of the agent who calls; whoever calls with a token made by hand is the first one. */
function ownTokens(server: AuthorizationServer, call: OAuthCall): readonly LiveToken[] {
  const person = checkToken(call.token, server.book, false)?.grant.person ?? server.people[0];
  return server.book.live().filter(({ grant }) => grant.person.id === person?.id);
}

function ownToken(server: AuthorizationServer, call: OAuthCall): LiveToken {
  const found = ownTokens(server, call).find(({ id }) => String(id) === call.id);
  if (found === undefined) throw new ChatError(404, 'The requested resource was not found');
  return found;
}

function tokenRecord({ id, value, grant, issuedAt, expiresAt }: LiveToken) {
  return {
    id,
    access_token: value,
    agent_id: Number(grant.person.id),
    client_identifier: grant.client.id,
    create_date: isoTime(Math.floor(issuedAt / 1_000)),
    expire_date: expiresAt === undefined ? null : isoTime(Math.floor(expiresAt / 1_000)),
    scopes: grant.scopes,
    token_type: 'Bearer',
  };
}
