import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConnectorError, type Clock, type ErrorCode } from '@patchbay/connectors';
import { withPatience } from './patience.ts';

/** A clock whose time passes when somebody waits. */
function makeLeapingClock(): Clock & { readonly waits: readonly number[] } {
  let nowMs = 0;
  const waits: number[] = [];
  return {
    waits,
    now: () => nowMs,
    after: (ms, callback) => {
      waits.push(ms);
      queueMicrotask(() => {
        nowMs += ms;
        callback();
      });
      return () => undefined;
    },
  };
}

function patience(clock: Clock, signal = new AbortController().signal) {
  const waits = { firstMs: 1_000, longestMs: 8_000 };
  return { clock, random: () => 1, patienceMs: 60_000, waits, signal };
}

function failingTimes(times: number, code: ErrorCode, retryAfterSeconds?: number) {
  let count = 0;
  return () => {
    count += 1;
    if (count > times) return Promise.resolve(count);
    const details = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    // The codes of the tests have no details that are required.
    return Promise.reject(new ConnectorError(code, details as never));
  };
}

describe('patience with an upstream', () => {
  for (const code of ['upstream_unavailable', 'upstream_timeout', 'upstream_rate_limited'] as const)
    test(`${code} is waited out, longer each time up to a limit`, async () => {
      const clock = makeLeapingClock();
      assert.equal(await withPatience(patience(clock), failingTimes(5, code)), 6);
      assert.deepEqual(clock.waits, [1_000, 2_000, 4_000, 8_000, 8_000]);
    });

  test('nothing comes back before the upstream said', async () => {
    const clock = makeLeapingClock();
    await withPatience(patience(clock), failingTimes(2, 'upstream_rate_limited', 20));
    assert.deepEqual(clock.waits, [21_000, 22_000]);
  });

  test('patience has an end, and it does not wait for what lies behind it', async () => {
    const clock = makeLeapingClock();
    const attempt = failingTimes(99, 'upstream_unavailable');
    await assert.rejects(withPatience(patience(clock), attempt), { code: 'upstream_unavailable' });
    assert.ok(clock.now() <= 60_000 && clock.now() > 40_000);
    const hourly = failingTimes(9, 'upstream_rate_limited', 3_600);
    const at = clock.now();
    await assert.rejects(withPatience(patience(clock), hourly), { code: 'upstream_rate_limited' });
    assert.equal(clock.now(), at);
  });

  for (const code of [
    'credentials_rejected',
    'upstream_forbidden',
    'upstream_rejected',
    'upstream_contract_broken',
    'invalid_cursor',
  ] as const)
    test(`${code} is no matter of patience`, async () => {
      const clock = makeLeapingClock();
      await assert.rejects(withPatience(patience(clock), failingTimes(1, code)), { code });
      assert.deepEqual(clock.waits, []);
    });

  test('an error that is none of the table is not repeated', async () => {
    const clock = makeLeapingClock();
    const reading = withPatience(patience(clock), () => Promise.reject(new Error('a mistake')));
    await assert.rejects(reading, /a mistake/);
  });

  test('a wait ends with the signal', async () => {
    const controller = new AbortController();
    const reason = new Error('stopped');
    const clock: Clock = {
      now: () => 0,
      after: () => {
        queueMicrotask(() => controller.abort(reason));
        return () => undefined;
      },
    };
    const waiting = withPatience(
      patience(clock, controller.signal),
      failingTimes(9, 'upstream_unavailable'),
    );
    await assert.rejects(waiting, reason);
  });
});
