import type { UpstreamErrors } from '../../vocabulary/index.ts';

/**
 * What Intercom's error codes mean; of several errors in a body the first one counts. Intercom says
 * itself that there may be more codes than it lists.
 *
 * @see https://developers.intercom.com/docs/references/2.11/rest-api/errors/error-codes
 */
export const errors: UpstreamErrors = {
  code: 'errors.0.code',
  message: 'errors.0.message',
  hints: { field: 'errors.0.field', request_id: 'request_id' },
  codes: {
    // prettier-ignore
    credentials_rejected: [
      'missing_authorization', 'token_blocked', 'token_expired', 'token_not_found',
      'token_revoked', 'unauthorized',
    ],
    // The token is good, but a scope, the plan or the workspace stands in the way.
    upstream_forbidden: [
      'action_forbidden',
      'api_plan_restricted',
      'forbidden',
      'token_unauthorized',
    ],
    // not_found stays with the status: for a list it means that the address is wrong, not an id.
    record_not_found: ['admin_not_found', 'company_not_found', 'team_not_found'],
    upstream_rate_limited: ['rate_limit_exceeded', 'retry_after', 'too_many_requests'],
    upstream_unavailable: ['request_timeout', 'server_error', 'service_unavailable'],
    // Every other code says that the request makes no sense as it is: upstream_rejected.
  },
  // Page sizes are checked before anything is sent.
  cursorCodes: ['parameter_invalid'],
  writeMayHaveHappened: [],
};
