import type { UpstreamErrors } from '../../vocabulary/index.ts';

/**
 * What Zendesk Chat's refusals mean. Their code is the name of the HTTP status, or OAuth's word for
 * what is wrong with the token.
 *
 * @see https://developer.zendesk.com/api-reference/live-chat/introduction/
 */
export const errors: UpstreamErrors = {
  code: 'error',
  message: 'description',
  codes: {
    credentials_rejected: ['Unauthorized', 'invalid_token'],
    upstream_forbidden: ['Forbidden', 'insufficient_scope'],
    // Not Found stays with the status: for a list it means that the address is wrong, not an id.
  },
  writeMayHaveHappened: [],
};
