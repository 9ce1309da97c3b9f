import { bearerToken, NO_REAL_CREDENTIALS } from '../credentials.ts';
import type { GrantBook, LiveToken } from '../oauth/grant-book.ts';
import { forbidden, SupportError } from './support-error.ts';

/** API tokens have 40 letters and digits; OAuth tokens, those of Chat too, have 64. */
const REAL_TOKEN_FORMS: readonly RegExp[] = [/^[A-Za-z0-9]{40}$/, /^[A-Za-z0-9]{64}$/];

/** The credential in an Authorization header, not checked yet. */
export interface Credential {
  readonly scheme: 'basic' | 'bearer';
  readonly token: string;
}

/**
 * Reads an Authorization header: `Basic` with `<email>/token:<API token>`, or `Bearer`.
 *
 * @see https://developer.zendesk.com/api-reference/introduction/security-and-auth/
 */
export function readCredential(authorization: string | undefined): Credential | undefined {
  const bearer = bearerToken(authorization);
  if (bearer !== undefined) return { scheme: 'bearer', token: bearer };
  const encoded = /^Basic +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const token = /^[^:]+@[^:]+\/token:(.+)$/.exec(decoded)?.[1];
  return token === undefined ? undefined : { scheme: 'basic', token };
}

/**
 * Accepts tokens that were issued here as long as they live, and any other credential except those
 * in a real format of Zendesk and those whose token contains `invalid`, `revoked` or `forbidden`.
 *
 * @returns the token as it was issued; undefined for a credential that was made by hand.
 * @throws SupportError 401 or 403.
 */
export function checkCredential(
  credential: Credential | undefined,
  book: GrantBook,
  isRevokedByFault: boolean,
): LiveToken | undefined {
  if (credential === undefined) throw unauthenticated('basic');
  const { scheme, token } = credential;
  if (looksReal(token)) {
    throw new SupportError(401, {
      error: "Couldn't authenticate you",
      description: NO_REAL_CREDENTIALS,
    });
  }
  const found = book.find(token);
  const isLive = found.status === 'live' && scheme === 'bearer';
  if (isLive && !isRevokedByFault) return found.token;
  const isRefused =
    isRevokedByFault ||
    found.status !== 'foreign' ||
    token.includes('invalid') ||
    token.includes('revoked');
  if (isRefused) throw unauthenticated(scheme);
  if (token.includes('forbidden')) throw forbidden();
  return undefined;
}

/** Says whether a text has the exact form of a real Zendesk token. */
export function looksReal(token: string): boolean {
  return REAL_TOKEN_FORMS.some((form) => form.test(token));
}

function unauthenticated(scheme: Credential['scheme']): SupportError {
  if (scheme === 'basic') return new SupportError(401, { error: "Couldn't authenticate you" });
  return new SupportError(401, {
    error: 'invalid_token',
    error_description:
      'The access token provided is expired, revoked, malformed or invalid for other reasons.',
  });
}
