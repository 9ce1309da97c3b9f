import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { faultsOf, isConnectorError } from '../errors.ts';
import { checkOptions } from './check-options.ts';

describe('options of a connector', () => {
  const sound: readonly object[] = [
    {},
    { baseUrl: undefined, upstreamLimits: undefined, timeoutMs: undefined },
    { baseUrl: 'http://127.0.0.1:8080/slack/api', upstreamLimits: 'vendor', timeoutMs: 1 },
    { baseUrl: 'https://{subdomain}.example.com', upstreamLimits: 'reactive' },
    { upstreamLimits: 0.001, timeoutMs: 2 ** 31 - 1 },
  ];
  for (const options of sound)
    test(`${JSON.stringify(options)} make sense`, () => {
      checkOptions(options);
    });

  const wrong: readonly (readonly [string, object])[] = [
    ...['', 'slack.com/api', 'ftp://example.com', '/api', 'http://', 'javascript:1', 5, null].map(
      (baseUrl) => ['baseUrl', { baseUrl: baseUrl as string }] as const,
    ),
    ['baseUrl', { baseUrl: 'https://user:hush-hush@example.com' }],
    ['baseUrl', { baseUrl: 'https://example.com/?token=hush-hush' }],
    ['baseUrl', { baseUrl: 'https://example.com/#hush-hush' }],
    ...[0, -1, Number.NaN, Infinity, 'off', '1', null, {}].map(
      (upstreamLimits) => ['upstreamLimits', { upstreamLimits }] as const,
    ),
    ...[0, -1, 1.5, Number.NaN, Infinity, 2 ** 31, '5' as unknown as number].map(
      (timeoutMs) => ['timeoutMs', { timeoutMs }] as const,
    ),
  ];
  for (const [field, options] of wrong)
    test(`${field} ${String(Object.values(options)[0])} is invalid_config`, () => {
      assert.throws(
        () => checkOptions(options),
        (error) => {
          assert.ok(isConnectorError(error, 'invalid_config'));
          assert.deepEqual(
            faultsOf(error).map((fault) => fault.field),
            [field],
          );
          assert.ok(!(error.message + JSON.stringify(error)).includes('hush'));
          return true;
        },
      );
    });

  test('that are all wrong are all told', () => {
    assert.throws(
      () => checkOptions({ baseUrl: '', upstreamLimits: 0, timeoutMs: 0 }),
      (error) => {
        assert.ok(isConnectorError(error));
        assert.equal(faultsOf(error).length, 3);
        return true;
      },
    );
  });
});
