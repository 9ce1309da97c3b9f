import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConnectorError, ERRORS, faultsOf, isConnectorError, type ErrorCode } from './errors.ts';

describe('the error table', () => {
  test('keeps every code that clients know at its status', () => {
    const contract: Readonly<Record<number, string>> = {
      400: 'malformed_json',
      401: 'unauthenticated token_expired',
      403: 'forbidden',
      404: 'connector_not_found record_not_found route_not_found',
      405: 'method_not_allowed',
      408: 'request_timeout',
      409: 'search_not_ready idempotency_in_progress',
      413: 'body_too_large',
      415: 'unsupported_media_type',
      422:
        'invalid_request unknown_connector_type unknown_entity unsupported_action invalid_params ' +
        'invalid_query invalid_cursor invalid_credentials invalid_replication_config ' +
        'idempotency_key_reused search_requires_hosted_mode',
      424: 'config_required credentials_rejected reauth_required upstream_forbidden upstream_rejected',
      429: 'rate_limited upstream_rate_limited',
      431: 'headers_too_large',
      500: 'internal',
      502: 'upstream_contract_broken',
      503: 'upstream_unavailable not_ready',
      504: 'upstream_timeout write_outcome_unknown',
    };
    const byCode = new Map(Object.entries(ERRORS).map(([code, { status }]) => [code, status]));
    for (const [status, codes] of Object.entries(contract))
      for (const code of codes.split(' ')) assert.equal(byCode.get(code), Number(status), code);
  });

  for (const [code, { status, retry, summary }] of Object.entries(ERRORS))
    test(`${code}: 429 says after, 401 and 424 of credentials say reauth, a sentence ends`, () => {
      if (status === 429) assert.equal(retry, 'after');
      if (/^(credentials_rejected|reauth_required|token_expired)$/.test(code))
        assert.equal(retry, 'reauth');
      assert.match(summary, /^[A-Z].*\.$/);
    });

  test('never lets a write of unknown outcome be repeated', () => {
    assert.equal(ERRORS.write_outcome_unknown.retry, 'never');
  });
});

describe('an error', () => {
  test('is JSON-safe: message, code, status, retry and details, neither stack nor cause', () => {
    const error = new ConnectorError(
      'upstream_rate_limited',
      { entity: 'users', retryAfterSeconds: 5 },
      { cause: new Error('hidden') },
    );
    assert.deepEqual(JSON.parse(JSON.stringify(error)), {
      name: 'ConnectorError',
      message: ERRORS.upstream_rate_limited.summary,
      code: 'upstream_rate_limited',
      status: 429,
      retry: 'after',
      details: { entity: 'users', retryAfterSeconds: 5 },
    });
    assert.ok(!('cause' in new ConnectorError('internal', {})));
  });

  test('after an accepted write is never to be repeated, whatever its code', () => {
    for (const code of Object.keys(ERRORS) as ErrorCode[]) {
      const details = { applied: true } as never;
      const error = new ConnectorError(code, details, { retry: 'backoff' });
      assert.equal(error.retry, 'never', code);
    }
  });

  test('is known by its brand, also from another copy of the package', async () => {
    // Another query makes Node load the file a second time.
    const copy = (await import(String(new URL('errors.ts?copy', import.meta.url)))) as {
      readonly ConnectorError: typeof ConnectorError;
    };
    const foreign = new copy.ConnectorError('internal', {});
    assert.ok(!(foreign instanceof ConnectorError));
    assert.ok(isConnectorError(foreign));
    assert.ok(isConnectorError(foreign, 'internal'));
    assert.ok(!isConnectorError(foreign, 'not_ready'));
    for (const other of [null, undefined, 'internal', new Error('x'), { code: 'internal' }])
      assert.ok(!isConnectorError(other));
  });

  test('gives its faults, or none', () => {
    const faults = [{ field: 'a', message: 'b', errorCode: 'missing' }] as const;
    assert.equal(faultsOf(new ConnectorError('invalid_params', { faults })), faults);
    assert.deepEqual(faultsOf(new ConnectorError('internal', {})), []);
  });
});
