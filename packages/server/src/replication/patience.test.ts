import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConnectorError, type Clock, type ErrorCode } from '@patchbay/connectors';
import { wait } from '@patchbay/connectors/definitions';
import { Patience } from './patience.ts';

/** A clock whose time passes when somebody waits. */
function makeLeapingClock(): Clock & { readonly waits: readonly number[] } {
  let nowMs = 0;
  const waits: number[] = [];
  return {
    waits,
    now: () => nowMs,
    monotonic: () => nowMs,
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

/** Asks again for as long as patience lasts. */
async function withPatience<T>(
  clock: Clock,
  attempt: () => Promise<T>,
  signal = new AbortController().signal,
): Promise<T> {
  const settings = { patienceMs: 60_000, waits: { firstMs: 1_000, longestMs: 8_000 } };
  const patience = new Patience({ clock, random: () => 1, settings });
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(await patience.outlasts(error, restingOn(clock, signal)))) throw error;
    }
  }
}

/** Where there is always room to wait. */
function restingOn(clock: Clock, signal = new AbortController().signal) {
  const rest = async (ms: number, aborting: AbortSignal) => {
    await wait(clock, ms, aborting);
    return true;
  };
  return { turn: { rest }, signal, tellTrouble: async () => undefined };
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
      assert.equal(await withPatience(clock, failingTimes(5, code)), 6);
      assert.deepEqual(clock.waits, [1_000, 2_000, 4_000, 8_000, 8_000]);
    });

  test('nothing comes back before the upstream said', async () => {
    const clock = makeLeapingClock();
    await withPatience(clock, failingTimes(2, 'upstream_rate_limited', 20));
    assert.deepEqual(clock.waits, [21_000, 22_000]);
  });

  test('what is waited for is told before, and nothing else', async () => {
    const clock = makeLeapingClock();
    const settings = { patienceMs: 3_000, waits: { firstMs: 1_000, longestMs: 8_000 } };
    const patience = new Patience({ clock, random: () => 1, settings });
    const told: string[] = [];
    const tellTrouble = async ({ code }: ConnectorError) => {
      told.push(`${code} after ${clock.waits.length} waits`);
    };
    const outlasts = (code: ErrorCode) =>
      patience.outlasts(new ConnectorError(code, {}), { ...restingOn(clock), tellTrouble });
    assert.equal(await outlasts('upstream_rejected'), false);
    assert.ok(await outlasts('upstream_unavailable'));
    assert.ok(await outlasts('upstream_timeout'));
    assert.equal(await outlasts('upstream_timeout'), false);
    assert.deepEqual(told, [
      'upstream_unavailable after 0 waits',
      'upstream_timeout after 1 waits',
    ]);
  });

  test('patience has an end, and it does not wait for what lies behind it', async () => {
    const clock = makeLeapingClock();
    const attempt = failingTimes(99, 'upstream_unavailable');
    await assert.rejects(withPatience(clock, attempt), { code: 'upstream_unavailable' });
    assert.ok(clock.now() <= 60_000 && clock.now() > 40_000);
    const hourly = failingTimes(9, 'upstream_rate_limited', 3_600);
    const at = clock.now();
    await assert.rejects(withPatience(clock, hourly), { code: 'upstream_rate_limited' });
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
      await assert.rejects(withPatience(clock, failingTimes(1, code)), { code });
      assert.deepEqual(clock.waits, []);
    });

  describe('over a whole run', () => {
    const settings = { patienceMs: 4_000, waits: { firstMs: 1_000, longestMs: 8_000 } };
    const error = new ConnectorError('upstream_timeout', {});

    test('a page that comes ends the trouble: the next one is met with fresh patience', async () => {
      const clock = makeLeapingClock();
      const patience = new Patience({ clock, random: () => 1, settings });
      const resting = restingOn(clock);
      assert.ok(await patience.outlasts(error, resting));
      assert.ok(await patience.outlasts(error, resting));
      assert.equal(await patience.outlasts(error, resting), false);
      patience.recover();
      assert.ok(await patience.outlasts(error, resting));
      assert.deepEqual(clock.waits, [1_000, 2_000, 1_000]);
    });

    test('a wait that the end of a turn cut short goes on in the next one', async () => {
      const clock = makeLeapingClock();
      const patience = new Patience({ clock, random: () => 1, settings });
      const cut = { rest: () => Promise.reject(new Error('cut short')) };
      const { signal } = new AbortController();
      await assert.rejects(
        patience.outlasts(error, { ...restingOn(clock, signal), turn: cut }),
        /cut short/,
      );
      await patience.resume(restingOn(clock));
      assert.deepEqual(clock.waits, [1_000]);
      await patience.resume(restingOn(clock));
      assert.deepEqual(clock.waits, [1_000]);
    });

    test('where too many wait there is none', async () => {
      const clock = makeLeapingClock();
      const patience = new Patience({ clock, random: () => 1, settings });
      const turn = { rest: () => Promise.resolve(false) };
      const full = { ...restingOn(clock), turn };
      assert.equal(await patience.outlasts(error, full), false);
    });

    test('an upstream that was too slow gets one attempt at a time, until a page comes', async () => {
      const clock = makeLeapingClock();
      const patience = new Patience({ clock, random: () => 1, settings });
      assert.deepEqual(patience.limits, {});
      await patience.outlasts(new ConnectorError('upstream_unavailable', {}), restingOn(clock));
      assert.deepEqual(patience.limits, {});
      await patience.outlasts(error, restingOn(clock));
      assert.deepEqual(patience.limits, { timeoutMs: 30_000 });
      patience.recover();
      assert.deepEqual(patience.limits, {});
    });
  });

  test('an error that is none of the table is not repeated', async () => {
    const clock = makeLeapingClock();
    const reading = withPatience(clock, () => Promise.reject(new Error('a mistake')));
    await assert.rejects(reading, /a mistake/);
  });

  test('a wait ends with the signal', async () => {
    const controller = new AbortController();
    const reason = new Error('stopped');
    const clock: Clock = {
      now: () => 0,
      monotonic: () => 0,
      after: () => {
        queueMicrotask(() => controller.abort(reason));
        return () => undefined;
      },
    };
    const attempt = failingTimes(9, 'upstream_unavailable');
    const waiting = withPatience(clock, attempt, controller.signal);
    await assert.rejects(waiting, reason);
  });
});
