import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate as passed } from 'node:timers/promises';
import { Heartbeat } from './heartbeat.ts';
import { makeLogger } from './log.ts';
import { makeLogSink, type LogSink } from '../test/support/log-sink.ts';

const HALF_AN_HOUR_MS = 1_800_000;

const atZero = () => Promise.resolve(new Date(0));

describe('a heartbeat', () => {
  test('whose clock and writes are right warns of nothing', async (t) => {
    const { heartbeat } = await begin(t, atZero);
    assert.deepEqual(heartbeat.warnings(), []);
  });

  test('tells by how much the clock differs, once in the log, until it is right again', async (t) => {
    const clock = { nowMs: HALF_AN_HOUR_MS };
    const { heartbeat, log, beat } = await begin(t, atZero, clock);
    await beat();
    const [warning, ...others] = heartbeat.warnings();
    assert.equal(warning?.code, 'clock_differs');
    assert.match(warning.message, /1800 s ahead of/);
    assert.deepEqual(others, []);
    assert.deepEqual(
      log.lines().map(({ msg, ahead_ms }) => ({ msg, ahead_ms })),
      [{ msg: warning.message, ahead_ms: HALF_AN_HOUR_MS }],
    );
    clock.nowMs = -HALF_AN_HOUR_MS;
    await beat();
    assert.match(heartbeat.warnings()[0]?.message ?? '', /1800 s behind/);
    clock.nowMs = 59_000;
    await beat();
    assert.deepEqual(heartbeat.warnings(), []);
  });

  test('whose answer was long in coming knows no more than that', async (t) => {
    const clock = { nowMs: 0 };
    const { heartbeat } = await begin(
      t,
      () => {
        clock.nowMs = HALF_AN_HOUR_MS;
        return Promise.resolve(new Date(60_000));
      },
      clock,
    );
    assert.deepEqual(heartbeat.warnings(), []);
  });

  test('that the database does not take says so until it does', async (t) => {
    let isFull = false;
    const { heartbeat, log, beat } = await begin(t, () =>
      isFull ? Promise.reject(new Error('no space left on device')) : atZero(),
    );
    isFull = true;
    await beat();
    assert.deepEqual(
      heartbeat.warnings().map(({ code }) => code),
      ['no_writes'],
    );
    assert.equal(log.lines().length, 1);
    isFull = false;
    await beat();
    assert.deepEqual(heartbeat.warnings(), []);
  });

  test('signs off after the last report, however long that one takes', async (t) => {
    const answer = Promise.withResolvers<Date>();
    let beats = 0;
    const calls: string[] = [];
    const { heartbeat, beat } = await begin(
      t,
      async () => {
        if (beats++ > 0) await answer.promise;
        calls.push('beat');
        return new Date(0);
      },
      { nowMs: 0 },
      () => Promise.resolve(void calls.push('remove')),
    );
    await beat();
    const stopped = heartbeat.stop();
    await passed();
    answer.resolve(new Date(0));
    await stopped;
    assert.deepEqual(calls, ['beat', 'beat', 'remove']);
  });
});

/** A heartbeat that has begun, on a database that answers so. */
async function begin(
  t: TestContext,
  answer: () => Promise<Date>,
  clock = { nowMs: 0 },
  remove: (id: string) => Promise<void> = never,
): Promise<{ heartbeat: Heartbeat; log: LogSink; beat: () => Promise<void> }> {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const log = makeLogSink();
  const heartbeat = new Heartbeat({
    store: {
      instances: { beat: answer, countWorkers: never, countWithoutKey: never, remove },
    },
    instanceId: 'this one',
    facts: {},
    onBeat: () => Promise.resolve(),
    clock: { now: () => clock.nowMs, monotonic: never, after: never },
    logger: makeLogger({ destination: log }),
  });
  await heartbeat.start();
  const beat = () => {
    t.mock.timers.tick(5_000);
    return passed();
  };
  return { heartbeat, log, beat };
}

function never(): never {
  assert.fail('nobody is to ask for it');
}
