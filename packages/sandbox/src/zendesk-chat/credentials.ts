import { NO_REAL_CREDENTIALS } from '../credentials.ts';
import type { GrantBook, LiveToken } from '../oauth/grant-book.ts';
import { looksReal } from '../zendesk-support/credentials.ts';
import { ChatError } from './chat-error.ts';

/**
 * Accepts tokens that were issued here as long as they live, and any other except those in a real
 * format of Zendesk and those that contain `invalid`, `revoked` or `forbidden`.
 *
 * @returns the token as it was issued; undefined for one that was made by hand.
 * @throws ChatError 401 or 403.
 */
export function checkToken(
  token: string | undefined,
  book: GrantBook,
  isRevokedByFault: boolean,
): LiveToken | undefined {
  if (token !== undefined && looksReal(token)) throw new ChatError(401, NO_REAL_CREDENTIALS);
  const found = book.find(token ?? '');
  if (found.status === 'live' && !isRevokedByFault) return found.token;
  const isRefused =
    token === undefined ||
    isRevokedByFault ||
    found.status !== 'foreign' ||
    token.includes('invalid') ||
    token.includes('revoked');
  if (isRefused) {
    throw new ChatError(
      401,
      'The server could not verify that you are authorized to access the requested resource',
    );
  }
  if (token.includes('forbidden')) {
    throw new ChatError(403, 'You are not allowed to access the requested resource');
  }
  return undefined;
}
