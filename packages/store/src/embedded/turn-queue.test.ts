import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Lane } from '../contract/lane-use.ts';
import { laneOfStart } from './lane.ts';
import { TurnQueue } from './turn-queue.ts';

interface NamedTurn {
  readonly lane: Lane;
  readonly name: string;
}

function makeQueue() {
  let now = 0;
  const queue = new TurnQueue<NamedTurn>(() => now);
  return {
    add: (lane: Lane, name: string) => queue.add({ lane, name }),
    take: () => queue.take()?.name,
    takeOf: (name: string) => queue.takeOf((turn) => turn.name === name)?.name,
    waitMs: () => queue.waitMs,
    drop: (name: string) => queue.drop((turn) => turn.name === name),
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test('turns go to the best lane, and within one to who came first', () => {
  const queue = makeQueue();
  queue.add('replication', 'r');
  queue.add('scans', 'scan');
  queue.add('searches', 's1');
  queue.add('searches', 's2');
  queue.add('calls', 'call');
  queue.add('control', 'control');
  const taken = Array.from({ length: 4 }, () => queue.take());
  assert.deepEqual(taken, ['control', 'call', 's1', 's2']);
  queue.pass(queue.waitMs());
  assert.deepEqual([queue.take(), queue.take(), queue.take()], ['scan', 'r', undefined]);
});

for (const { lane, turnMs } of [
  { lane: 'scans', turnMs: 100 },
  { lane: 'replication', turnMs: 16 },
  { lane: 'searches', turnMs: 10 },
] as const)
  test(`${lane} that have waited long have one turn, and then wait again`, () => {
    const queue = makeQueue();
    queue.add(lane, 'one');
    queue.add(lane, 'two');
    const taken: (string | undefined)[] = [];
    for (let turn = 0; turn < 8; turn++) {
      queue.add('calls', 'c');
      queue.pass(turnMs);
      taken.push(queue.take());
    }
    assert.deepEqual(taken, ['c', 'c', 'one', 'c', 'c', 'two', 'c', 'c']);
  });

for (const lane of ['replication', 'scans'] as const)
  test(`${lane} wait a moment for whoever has just been served`, () => {
    const queue = makeQueue();
    queue.add('calls', 'c1');
    queue.add(lane, 'r1');
    assert.deepEqual([queue.take(), queue.take()], ['c1', undefined]);
    queue.pass(1);
    queue.add('calls', 'c2');
    assert.deepEqual([queue.take(), queue.take()], ['c2', undefined]);
    assert.ok(queue.waitMs() > 0);
    queue.pass(queue.waitMs());
    assert.deepEqual([queue.take(), queue.waitMs()], ['r1', 0]);
  });

test('who has the database has all turns; what nobody waits for any more goes', () => {
  const queue = makeQueue();
  for (const name of ['a', 'b', 'b', 'c', 'b']) queue.add('replication', name);
  assert.deepEqual([queue.takeOf('c'), queue.takeOf('c')], ['c', undefined]);
  queue.drop('b');
  assert.deepEqual([queue.take(), queue.take()], ['a', undefined]);
});

test('connections tell their lane by their name', () => {
  const named = (name: string) => laneOf('user', 'postgres', 'application_name', name);
  assert.equal(named('patchbay control'), 'control');
  assert.equal(named('patchbay replication'), 'replication');
  assert.equal(named('replication'), 'calls');
  assert.equal(named('patchbay start'), 'calls');
  assert.equal(laneOf('user', 'application_name', 'database', 'x'), 'calls');
  assert.equal(laneOf(), 'calls');
});

/** Of a message as `pg` sends it. */
function laneOf(...parameters: readonly string[]): Lane {
  const body = Buffer.from([...parameters, ''].map((text) => `${text}\0`).join(''));
  return laneOfStart(Buffer.concat([Buffer.from([0, 0, 0, 8 + body.length, 0, 3, 0, 0]), body]));
}
