import { NO_REAL_CREDENTIALS } from '../credentials.ts';
import type { GrantBook } from '../oauth/grant-book.ts';
import type { Caller } from './endpoint.ts';
import { IntercomError } from './intercom-error.ts';

/**
 * What a real access token holds under its base64. A client that sends one was most likely pointed
 * at the sandbox with a real configuration by mistake: it is refused at once, saying so.
 */
const REAL_TOKEN_CONTENT = /^tok:[0-9a-f]{8}(?:_[0-9a-f]{4}){3}_[0-9a-f]{12}:\d+:\d+$/;

/**
 * Accepts tokens that were issued here until they are revoked, and any other except those in the
 * real format of Intercom and those that contain `invalid` or `revoked`.
 *
 * @throws IntercomError `unauthorized` or `token_revoked`, with status 401.
 */
export function checkToken(token: string | undefined, book: GrantBook): Caller {
  if (token === undefined || token.includes('invalid')) {
    throw new IntercomError(401, 'unauthorized', 'Access Token Invalid');
  }
  if (looksReal(token)) throw new IntercomError(401, 'unauthorized', NO_REAL_CREDENTIALS);
  const found = book.find(token);
  if (found.status === 'live') return { token, grant: found.token.grant };
  if (found.status === 'unknown') {
    throw new IntercomError(401, 'unauthorized', 'Access Token Invalid');
  }
  if (found.status !== 'foreign' || token.includes('revoked')) throw tokenRevoked();
  return { token, grant: undefined };
}

/** The refusal of a revoked token. */
export function tokenRevoked(): IntercomError {
  return new IntercomError(401, 'token_revoked', 'The access token has been revoked');
}

/** Says whether a text has the exact form of a real access token. */
export function looksReal(token: string): boolean {
  return REAL_TOKEN_CONTENT.test(Buffer.from(token, 'base64').toString('utf8'));
}
