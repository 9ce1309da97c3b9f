import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Headroom, LOOK_APART_MS, processLoad } from './headroom.ts';

/** A headroom whose event loop is as busy as the test says. */
function headroomByHand() {
  const hand = { now: 0, busyness: 0, roundMs: 1 };
  const headroom = new Headroom(
    () => hand.now,
    () => hand,
  );
  const look = (looks = 1) => {
    for (let looked = 0; looked < looks; looked++) {
      hand.now += LOOK_APART_MS;
      headroom.share();
    }
  };
  const after = (busyness: number, looks?: number) => {
    hand.busyness = busyness;
    look(looks);
    return headroom.share();
  };
  const afterRounds = (roundMs: number, looks?: number) => {
    hand.roundMs = roundMs;
    look(looks);
    return headroom.inRound();
  };
  return { hand, headroom, after, afterRounds };
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

test('in a busy process more calls begin in a round as long as rounds are short, and fewer while they are long', () => {
  const { hand, afterRounds } = headroomByHand();
  assert.equal(afterRounds(1), 8);
  hand.busyness = 1;
  assert.equal(afterRounds(1), 10);
  assert.equal(afterRounds(1, 20), Infinity);
  assert.equal(afterRounds(11, 100), Infinity);
  assert.equal(afterRounds(24), 32);
  assert.equal(afterRounds(10, 100), 32);
  assert.equal(afterRounds(48), 8);
  assert.equal(afterRounds(1_000, 10), 2);
  assert.equal(afterRounds(5), 3);
  hand.busyness = 0.5;
  assert.equal(afterRounds(11), 8, 'of many that come to it now, nobody knows what they cost');
});

test('rounds of an event loop are as long as they keep it', async () => {
  const headroom = new Headroom(() => performance.now());
  for (let round = 0; round < 3; round++) {
    const busyUntil = performance.now() + 2 * LOOK_APART_MS;
    while (performance.now() < busyUntil);
    await new Promise((resolve) => setImmediate(resolve));
    headroom.share();
  }
  assert.equal(headroom.inRound(), 2);
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
  const readLoad = processLoad({
    connectionUse: () => ({
      control: calls,
      calls,
      searches: calls,
      scans: calls,
      replication: calls,
    }),
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(readLoad().busyness < 1);
  calls.waiting = 5;
  assert.equal(readLoad().busyness, 1);
});
