import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measuredOf } from '../neighbours/light-load.ts';
import { runOpenLoop, type Sample } from './open-loop.ts';

test('an open loop sends the next call before the one before has been answered', async () => {
  const waiting: ((sample: Sample) => void)[] = [];
  const running = runOpenLoop({
    perSecond: 1_000,
    seconds: 0.005,
    offsetMs: 0,
    call: (nth) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        if (nth === 4) for (const [index, each] of waiting.entries()) each({ ms: index });
      }),
  });
  const { samples } = await running;
  assert.deepEqual(
    samples.map(({ ms }) => ms),
    [0, 1, 2, 3, 4],
  );
});

test('failed calls are counted by why, and their times count', () => {
  const measured = measuredOf([
    { ms: 3 },
    { ms: 5_000, failure: 'late' },
    { ms: 1, failure: 'no' },
  ]);
  assert.deepEqual(measured, { calls: 3, p50: 3, p99: 5_000, failures: { late: 1, no: 1 } });
});
