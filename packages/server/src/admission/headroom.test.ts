import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Headroom, LOOK_APART_MS, processBusyness } from './headroom.ts';

/** A headroom whose event loop is as busy as the test says. */
function headroomByHand() {
  const hand = { now: 0, busyness: 0 };
  const headroom = new Headroom(
    () => hand.now,
    () => hand.busyness,
  );
  const after = (busyness: number, looks = 1) => {
    hand.busyness = busyness;
    for (let look = 0; look < looks; look++) {
      hand.now += LOOK_APART_MS;
      headroom.share();
    }
    return headroom.share();
  };
  return { hand, headroom, after };
}

test('all is allowed until the event loop has no time left, and less and less while it has none', () => {
  const { after } = headroomByHand();
  assert.equal(after(0.85, 100), 1);
  assert.equal(after(0.95), 1 / 2);
  assert.equal(after(0.95), 1 / 4);
  assert.equal(after(1, 4), 0);
});

test('what was taken comes back step by step once there is time, and stays as it is in between', () => {
  const { after } = headroomByHand();
  after(1, 10);
  assert.equal(after(0.8, 10), 0);
  assert.equal(after(0.5), 1 / 8);
  assert.equal(after(0.5, 3), 1 / 2);
  assert.equal(after(0.8, 10), 1 / 2);
  assert.equal(after(0, 100), 1);
});

test('all comes back at once to whoever comes after a quiet while', () => {
  const { hand, headroom, after } = headroomByHand();
  after(1, 10);
  hand.busyness = 0.1;
  hand.now += 10 * LOOK_APART_MS;
  assert.equal(headroom.share(), 1);
});

test('the event loop is not looked at sooner than it says', () => {
  const { hand, headroom } = headroomByHand();
  hand.busyness = 1;
  hand.now = LOOK_APART_MS - 1;
  assert.equal(headroom.share(), 1);
  hand.now = LOOK_APART_MS;
  assert.equal(headroom.share(), 1 / 2);
  assert.equal(headroom.share(), 1 / 2);
});

test('an event loop that is kept at work has no time left', async () => {
  const headroom = new Headroom(() => performance.now());
  const until = performance.now() + 1_000;
  while (performance.now() < until && headroom.share() > 0) {
    const busyUntil = performance.now() + LOOK_APART_MS;
    while (performance.now() < busyUntil);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(headroom.share(), 0);
});

test('a process before whose database statements crowd has no time left, however idle it is', async () => {
  const calls = { inUse: 2, idle: 0, waiting: 4, most: 2 };
  const busyness = processBusyness({
    connectionUse: () => ({
      control: calls,
      calls,
      searches: calls,
      scans: calls,
      replication: calls,
    }),
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(busyness() < 1);
  calls.waiting = 5;
  assert.equal(busyness(), 1);
});
