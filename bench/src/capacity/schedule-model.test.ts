import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulate, type Schedule } from './schedule-model.ts';

const SCHEDULE: Schedule = {
  applications: [900, 10, 10],
  interval: 100,
  jitter: 0,
  capacity: 20,
  lookEvery: 1,
  syncTakes: 1,
  duration: 500,
  seed: 1,
};

test('small applications do not wait for a large one that is due as well', () => {
  const { caughtUp } = simulate(SCHEDULE);
  // A third of the room is each one's, as long as all of them have something due.
  assert.deepEqual(caughtUp, [45, 1, 1]);
});

test('nothing is begun twice, or forgotten', () => {
  const { fallen, waiting } = simulate(SCHEDULE);
  const total = 920;
  assert.equal(waiting[0], total - SCHEDULE.capacity);
  // Whoever has begun comes back after the interval and the sync.
  assert.deepEqual(
    fallen.slice(0, 101),
    Array.from({ length: 101 }, () => 0),
  );
  assert.equal(
    fallen.slice(101, 202).reduce((sum, count) => sum + count, 0),
    total,
  );
});

test('what came together spreads out where intervals differ, and does not where they do not', () => {
  assert.equal(mostAtOnce(0), 920);
  assert.ok(mostAtOnce(0.1) < 100);
});

/** The most that fall due in a second, after many rounds without too little room. */
function mostAtOnce(jitter: number): number {
  const { fallen } = simulate({ ...SCHEDULE, jitter, capacity: 1_000, duration: 5_000 });
  return Math.max(...fallen.slice(-500));
}
