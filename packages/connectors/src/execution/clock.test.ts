import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test } from 'node:test';
import { HandClock } from '../../test/support/hand-clock.ts';
import { systemClock, wait } from './clock.ts';
import { startDeadline } from './deadline.ts';

const reason = new Error('enough');

describe('waiting', () => {
  test('ends when its time has come, and leaves nothing behind', async () => {
    const clock = new HandClock();
    const { signal } = new AbortController();
    const waiting = wait(clock, 50, signal);
    clock.advance(49);
    assert.equal(clock.pending, 1);
    clock.advance(1);
    await waiting;
    assert.equal(clock.pending, 0);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  test('ends with the reason of an abort, before or meanwhile, and leaves no timer behind', async () => {
    const clock = new HandClock();
    const controller = new AbortController();
    const waiting = wait(clock, 50, controller.signal);
    controller.abort(reason);
    await assert.rejects(waiting, (error) => error === reason);
    await assert.rejects(wait(clock, 50, controller.signal), (error) => error === reason);
    assert.equal(clock.pending, 0);
  });
});

describe('a deadline', () => {
  test('aborts its signal when time is up, and says so', () => {
    const clock = new HandClock();
    const deadline = startDeadline(clock, 50, undefined);
    assert.equal(deadline.leftMs(), 50);
    clock.set(-1_000);
    clock.advance(49);
    assert.equal(deadline.leftMs(), 1);
    assert.equal(deadline.signal.aborted, false);
    clock.advance(1);
    assert.equal(deadline.signal.aborted, true);
    assert.equal(deadline.hasPassed(), true);
  });

  test('hands on the reason of the caller’s signal, which is not its own', () => {
    for (const isEarly of [true, false]) {
      const controller = new AbortController();
      if (isEarly) controller.abort(reason);
      const deadline = startDeadline(new HandClock(), 50, controller.signal);
      if (!isEarly) controller.abort(reason);
      assert.equal(deadline.signal.reason, reason);
      assert.equal(deadline.hasPassed(), false);
    }
  });

  test('leaves neither timer nor listener behind when it is disposed of', () => {
    const clock = new HandClock();
    const { signal } = new AbortController();
    {
      using deadline = startDeadline(clock, 50, signal);
      assert.equal(deadline.signal.aborted, false);
      assert.equal(getEventListeners(signal, 'abort').length, 1);
    }
    assert.equal(clock.pending, 0);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });
});

test('the system clock tells the time, and calls back unless cancelled', async () => {
  assert.ok(Math.abs(systemClock.now() - Date.now()) < 1_000);
  const cancel = systemClock.after(0, () => assert.fail('it was cancelled'));
  cancel();
  await new Promise<void>((resolve) => {
    systemClock.after(0, resolve);
  });
});
