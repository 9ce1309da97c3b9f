import type { UpstreamErrors } from '../../vocabulary/index.ts';

/**
 * What Zendesk's error codes mean. Bodies come as `{error, description}`, as OAuth's
 * `{error, error_description}`, as `{error: {title, message}}` and as
 * `{errors: [{code, title, detail}]}`; where none of the codes below is in one, the HTTP status
 * decides.
 *
 * @see https://developer.zendesk.com/api-reference/introduction/requests/#response-format
 */
export const errors: UpstreamErrors = {
  code: ['error', 'error.title', 'errors.0.code'],
  message: ['description', 'error_description', 'error.message', 'errors.0.detail', 'message'],
  codes: {
    credentials_rejected: ["Couldn't authenticate you", 'invalid_token'],
    upstream_forbidden: ['Forbidden', 'insufficient_scope'],
    record_not_found: ['RecordNotFound'],
    upstream_rate_limited: ['APIRateLimitExceeded'],
    // A conflict means that two calls met; the same call may succeed a moment later.
    upstream_unavailable: ['DatabaseConflict', 'InternalError', 'ServiceUnavailable'],
    // prettier-ignore
    upstream_rejected: [
      'Invalid attribute', 'InvalidEndpoint', 'InvalidPaginationDepth', 'RecordInvalid',
      'UnprocessableEntity',
    ],
  },
  // Without a cursor it is what the pages are sorted by.
  cursorCodes: ['InvalidPaginationParameter'],
  // Of an account that is not there, or not any more, everything is 404.
  beginnings: ['No help desk at '],
  // This kind only reads.
  writeMayHaveHappened: [],
};
