import { NO_REAL_CREDENTIALS } from '../credentials.ts';
import type { GrantBook } from '../oauth/grant-book.ts';
import { SlackError } from './slack-error.ts';
import type { Caller } from './slack-method.ts';

/**
 * The exact forms of Slack's own tokens. A client that sends one was most likely pointed at the
 * sandbox with a real configuration by mistake: it is refused at once, saying so.
 *
 * @see https://docs.slack.dev/authentication/tokens
 */
const REAL_TOKEN_FORMS: readonly RegExp[] = [
  // Bot tokens: team, (bot,) secret.
  /^xoxb-\d{9,14}-(?:\d{9,14}-)?[A-Za-z0-9]{23,25}$/,
  // User and legacy tokens: team, user, client, secret.
  /^xox[aprs]-(?:\d+-)?(?:\d{9,14}-){2,3}[A-Fa-f0-9]{6,64}$/,
  // App-level tokens.
  /^xapp-\d-A[A-Z0-9]{8,12}-\d{9,14}-[a-f0-9]{64}$/,
  // Rotating tokens, configuration tokens and their refresh tokens.
  /^xoxe(?:\.xox[bp])?-\d-[A-Za-z0-9]{100,200}$/,
  // Tokens and cookies of the browser and desktop clients.
  /^xoxc-(?:\d{9,14}-){3}[a-f0-9]{64}$/,
  /^xoxd-[A-Za-z0-9%/+=]{100,400}$/,
];

const DEAD_TOKENS = {
  expired: 'token_expired',
  revoked: 'token_revoked',
  unknown: 'invalid_auth',
} as const;

/**
 * Accepts tokens that were issued here as long as they live, and any other except those in a real
 * format of Slack and those that contain `invalid` or `revoked`.
 *
 * @throws SlackError `not_authed`, `invalid_auth`, `token_expired` or `token_revoked`.
 */
export function checkToken(token: string | undefined, book: GrantBook): Caller {
  if (token === undefined || token === '') throw new SlackError('not_authed');
  if (looksReal(token))
    throw new SlackError('invalid_auth', {
      response_metadata: { messages: [NO_REAL_CREDENTIALS] },
    });
  const found = book.find(token);
  if (found.status === 'live') return { token, grant: found.token.grant };
  if (found.status !== 'foreign') throw new SlackError(DEAD_TOKENS[found.status]);
  if (token.includes('invalid')) throw new SlackError('invalid_auth');
  if (token.includes('revoked')) throw new SlackError('token_revoked');
  return { token, grant: undefined };
}

/** Says whether a text has the exact form of a real Slack token. */
export function looksReal(token: string): boolean {
  return REAL_TOKEN_FORMS.some((form) => form.test(token));
}
