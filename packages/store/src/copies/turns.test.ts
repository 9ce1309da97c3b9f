import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Steps } from '@patchbay/connectors/engine';
import { Turns } from './turns.ts';

/** Takes a while, until it is told to end. */
function* workUntil(isDone: () => boolean): Steps<string> {
  while (!isDone()) yield;
  return 'done';
}

describe('work in turns', () => {
  test('lets others have theirs', async () => {
    let others = 0;
    const countOn = () => {
      others++;
      if (others < 3) setImmediate(countOn);
    };
    setImmediate(countOn);
    assert.equal(await new Turns(undefined).finish(workUntil(() => others === 3)), 'done');
  });

  test('lets timers fire, and ends once its signal is aborted', async () => {
    const controller = new AbortController();
    const reason = new Error('late');
    setTimeout(() => controller.abort(reason), 1);
    const endless = new Turns(controller.signal).finish(workUntil(() => false));
    await assert.rejects(endless, reason);
  });

  test('counts the time of work before', async () => {
    const turns = new Turns(undefined);
    const others: string[] = [];
    setImmediate(() => others.push('another'));
    // Each piece is too short to give way by itself.
    while (others.length === 0) await turns.finish(oneStep());
    assert.deepEqual(others, ['another']);
  });
});

function* oneStep(): Steps<void> {
  yield;
}
