import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERRORS, type ErrorCode, type Retry } from '@patchbay/connectors/definitions';
import { EXIT_CODES, exitNameOf, exitNameOfCode } from './exit-codes.ts';

test('every error code has an exit code, by who can act on it', () => {
  const rows: readonly (readonly [ErrorCode, Retry, number])[] = [
    ['invalid_params', 'never', 3],
    ['token_expired', 'reauth', 3],
    ['credentials_rejected', 'reauth', 4],
    ['connector_paused', 'never', 4],
    ['quota_exceeded', 'never', 3],
    ['upstream_rejected', 'never', 5],
    ['write_outcome_unknown', 'never', 5],
    ['upstream_unavailable', 'backoff', 5],
    ['internal', 'never', 6],
    ['not_ready', 'backoff', 7],
    ['rate_limited', 'after', 7],
    ['upstream_rate_limited', 'after', 7],
    ['search_not_ready', 'after', 7],
    // Waiting would not help.
    ['search_not_ready', 'reauth', 4],
    ['search_not_ready', 'never', 4],
  ];
  for (const [code, retry, exit] of rows)
    assert.equal(EXIT_CODES[exitNameOf({ code, retry })].code, exit, code);
  for (const code of Object.keys(ERRORS)) assert.ok(exitNameOfCode(code) in EXIT_CODES);
  assert.equal(exitNameOfCode('of_a_later_version'), 'internal');
});
