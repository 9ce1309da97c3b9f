import type { IssuedTokens } from '../../oauth/grant.ts';
import { textsOf } from '../../oauth/oauth-params.ts';
import { OAuthRefusal } from '../../oauth/oauth-refusal.ts';
import type { RefusalReason } from '../../oauth/oauth-refusal.ts';
import { isOrganization } from '../accounts.ts';
import { flagArgument } from '../arguments.ts';
import { SlackError } from '../slack-error.ts';
import type { MethodAnswer, MethodCall, SlackMethod } from '../slack-method.ts';

/** Slack's codes; it names none for a wrong verifier, so that one is ours. */
const CODES: Readonly<Record<RefusalReason, string>> = {
  unknown_client: 'invalid_client_id',
  wrong_secret: 'bad_client_secret',
  unsupported_grant: 'invalid_grant_type',
  bad_code: 'invalid_code',
  redirect_mismatch: 'bad_redirect_uri',
  bad_verifier: 'invalid_code_verifier',
  bad_refresh_token: 'invalid_refresh_token',
};

/** @see https://docs.slack.dev/reference/methods/oauth.v2.access */
export const oauthV2Access: SlackMethod = {
  tier: 'identity',
  scopes: '',
  required: [],
  writes: true,
  pages: false,
  takesJson: true,
  isOpen: true,
  run: (call) => {
    try {
      return tokens(call);
    } catch (error) {
      if (error instanceof OAuthRefusal) throw new SlackError(CODES[error.reason]);
      throw error;
    }
  },
};

/** @see https://docs.slack.dev/reference/methods/auth.revoke */
export const authRevoke: SlackMethod = {
  tier: 'tier3',
  scopes: '',
  required: [],
  writes: true,
  pages: false,
  takesJson: true,
  run: ({ args, caller, server }) => {
    if (flagArgument(args, 'test')) return { revoked: false };
    const { token, grant } = caller;
    if (grant === undefined) server.book.revokeByHand(token);
    else server.book.revoke(grant.id);
    return { revoked: true };
  },
};

function tokens(call: MethodCall): MethodAnswer {
  const request = { params: textsOf(call.args), authorization: call.authorization };
  switch (request.params['grant_type'] ?? 'authorization_code') {
    case 'authorization_code':
      return installation(call, call.server.exchange(request));
    case 'refresh_token': {
      const issued = call.server.renew(request);
      return { ...installed(call, issued), ...tokenFields(call, issued) };
    }
    default:
      throw new OAuthRefusal('unsupported_grant');
  }
}

/** The bot's token is on the outside, the person's inside `authed_user`. */
function installation(call: MethodCall, issued: readonly IssuedTokens[]): MethodAnswer {
  const [first] = issued;
  // Without scopes there is no consent, so every code gives a token.
  if (first === undefined) throw new SlackError('no_scopes');
  const bot = issued.find(({ grant }) => grant.tokenType === 'bot');
  const user = issued.find(({ grant }) => grant.tokenType === 'user');
  return {
    ...installed(call, first),
    authed_user: {
      id: first.grant.person.id,
      ...(user === undefined ? {} : tokenFields(call, user)),
    },
    ...(bot === undefined ? {} : tokenFields(call, bot)),
  };
}

function installed({ accounts }: MethodCall, { grant }: IssuedTokens) {
  const { person } = grant;
  const isForOrganization = isOrganization(person.account);
  return {
    app_id: accounts.workspace(person.account.id).world.appId,
    authed_user: { id: person.id },
    team: isForOrganization ? null : person.account,
    enterprise: isForOrganization ? person.account : null,
    is_enterprise_install: isForOrganization,
  };
}

function tokenFields({ accounts }: MethodCall, issued: IssuedTokens) {
  const { grant, accessToken, expiresInSeconds, refreshToken } = issued;
  const { appUserId } = accounts.workspace(grant.person.account.id);
  return {
    scope: grant.scopes,
    access_token: accessToken,
    token_type: grant.tokenType,
    ...(grant.tokenType === 'bot' ? { bot_user_id: appUserId } : {}),
    ...(refreshToken === undefined
      ? {}
      : { expires_in: expiresInSeconds, refresh_token: refreshToken }),
  };
}
