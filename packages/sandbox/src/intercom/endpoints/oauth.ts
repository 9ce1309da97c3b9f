import { textsOf } from '../../oauth/oauth-params.ts';
import { OAuthRefusal } from '../../oauth/oauth-refusal.ts';
import type { Endpoint } from '../endpoint.ts';
import { IntercomError } from '../intercom-error.ts';

/**
 * Intercom documents no error of this endpoint; these are made alike to the others.
 *
 * @see https://developers.intercom.com/docs/build-an-integration/learn-more/authentication/setting-up-oauth
 */
export const exchangeCode: Endpoint = {
  verb: 'POST',
  path: '/auth/eagle/token',
  pages: false,
  isOpen: true,
  run: ({ server, parameters }) => {
    try {
      const request = { params: textsOf(parameters), authorization: undefined };
      const [issued] = server.exchange(request);
      // A consent at Intercom always gives one token.
      if (issued === undefined) throw new OAuthRefusal('bad_code');
      const { accessToken } = issued;
      return { body: { token_type: 'Bearer', token: accessToken, access_token: accessToken } };
    } catch (error) {
      if (!(error instanceof OAuthRefusal)) throw error;
      const isClient = error.reason === 'unknown_client' || error.reason === 'wrong_secret';
      throw new IntercomError(
        401,
        'unauthorized',
        isClient ? 'Unauthorized Client' : 'Unauthorized Code',
      );
    }
  },
};

/** Takes the app out of the workspace, with every token that it has there. */
export const uninstallApp: Endpoint = {
  verb: 'POST',
  path: '/auth/uninstall',
  pages: false,
  run: ({ server, caller }) => {
    const { token, grant } = caller;
    if (grant === undefined) server.book.revokeByHand(token);
    for (const { grant: other } of server.book.live()) {
      const isSameApp = other.client === grant?.client;
      const isSameWorkspace = other.person.account.id === grant?.person.account.id;
      if (isSameApp && isSameWorkspace) server.book.revoke(other.id);
    }
    return { body: {} };
  },
};
