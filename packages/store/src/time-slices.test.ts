import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Steps } from '@patchbay/connectors/engine';
import { Rounds, TimeSlices } from './time-slices.ts';

/** Takes a while, until it is told to end. */
function* workUntil(isDone: () => boolean): Steps<string> {
  while (!isDone()) yield;
  return 'done';
}

describe('work in time slices', () => {
  test('lets others have theirs', async () => {
    let others = 0;
    const countOn = () => {
      others++;
      if (others < 3) globalThis.setImmediate(countOn);
    };
    globalThis.setImmediate(countOn);
    assert.equal(await new TimeSlices(undefined).finish(workUntil(() => others === 3)), 'done');
  });

  test('lets timers fire, and ends once its signal is aborted', async () => {
    const controller = new AbortController();
    const reason = new Error('late');
    setTimeout(() => controller.abort(reason), 1);
    const endless = new TimeSlices(controller.signal).finish(workUntil(() => false));
    await assert.rejects(endless, reason);
  });

  test('counts the time of work before', async () => {
    const slices = new TimeSlices(undefined);
    const others: string[] = [];
    globalThis.setImmediate(() => others.push('another'));
    // Each piece is too short to give way by itself.
    while (others.length === 0) await slices.finish(oneStep());
    assert.deepEqual(others, ['another']);
  });
});

function* oneStep(): Steps<void> {
  yield;
}

/** Rounds by hand, in which each step of work takes a millisecond. */
class HandRounds {
  readonly rounds: Rounds;
  /** Who worked in each round, step by step. */
  readonly work: string[][] = [[]];
  #now = 0;
  #next: (() => void) | undefined;

  constructor() {
    this.rounds = new Rounds({
      now: () => this.#now,
      defer: (next) => {
        assert.equal(this.#next, undefined, 'one round is under way at a time');
        this.#next = next;
      },
    });
  }

  /** Work that takes so many milliseconds, and cannot be left in its middle. */
  piece(name: string, ms: number): () => string {
    return () => {
      this.#now += ms;
      this.work.at(-1)?.push(name);
      return name;
    };
  }

  *steps(name: string, count: number): Steps<string> {
    for (let step = 0; step < count; step++) {
      this.#now++;
      this.work.at(-1)?.push(name);
      yield;
    }
    return name;
  }

  /** Lets everything happen that needs no other round, then begins one. */
  async next(): Promise<boolean> {
    await setImmediate();
    const next = this.#next;
    if (next === undefined) return false;
    this.#next = undefined;
    this.work.push([]);
    next();
    return true;
  }
}

describe('searches that work at once', () => {
  test('share each round, however many they are, and all come to their end', async () => {
    const hand = new HandRounds();
    const names = Array.from({ length: 40 }, (_, index) => `search ${index}`);
    const all = Promise.all(
      names.map((name) => new TimeSlices(undefined, hand.rounds).finish(hand.steps(name, 12))),
    );
    while (await hand.next());
    assert.deepEqual(await all, names);
    assert.equal(hand.work.flat().length, 40 * 12);
    for (const round of hand.work) assert.ok(round.length <= 5, 'so much is done in a round');
    // Once all of them wait, nobody has two turns before everybody had one.
    const firsts = hand.work.slice(1, 41).map(([name]) => name);
    assert.equal(new Set(firsts).size, 40);
  });

  test('leave what they do not need of a round to the next one', async () => {
    const hand = new HandRounds();
    const slices = () => new TimeSlices(undefined, hand.rounds);
    const all = Promise.all([
      slices().finish(hand.steps('long', 5)),
      ...['a', 'b', 'c', 'd'].map((name) => slices().finish(hand.steps(name, 2))),
    ]);
    while (await hand.next());
    await all;
    assert.deepEqual(hand.work.slice(0, 3), [
      ['long', 'long', 'long', 'long', 'long'],
      ['a', 'a', 'b', 'b', 'c'],
      ['d', 'd', 'c'],
    ]);
  });

  test('do not wait for one that was given up while it waited', async () => {
    const hand = new HandRounds();
    const controller = new AbortController();
    const first = new TimeSlices(undefined, hand.rounds).finish(hand.steps('first', 8));
    const given = new TimeSlices(controller.signal, hand.rounds).finish(hand.steps('given up', 3));
    const last = new TimeSlices(undefined, hand.rounds).finish(hand.steps('last', 3));
    const reason = new Error('late');
    const refused = assert.rejects(given, reason);
    controller.abort(reason);
    while (await hand.next());
    await refused;
    assert.deepEqual(await Promise.all([first, last]), ['first', 'last']);
    assert.ok(!hand.work.flat().includes('given up'));
  });

  test('are shared with pieces of work that cannot be left in their middle', async () => {
    const hand = new HandRounds();
    const slices = (signal?: AbortSignal) => new TimeSlices(signal, hand.rounds);
    const controller = new AbortController();
    const pieces = [4, 4, 4].map((ms, index) => slices().once(hand.piece(`piece ${index}`, ms)));
    const given = slices(controller.signal).once(hand.piece('given up', 4));
    const reason = new Error('late');
    const refused = assert.rejects(given, reason);
    const search = slices().finish(hand.steps('search', 2));
    controller.abort(reason);
    while (await hand.next());
    await refused;
    const names = ['piece 0', 'piece 1', 'piece 2', 'search'];
    assert.deepEqual(await Promise.all([...pieces, search]), names);
    // The second piece began with a part of the round left; what came after it had the next one.
    assert.deepEqual(hand.work.slice(0, 2), [
      ['piece 0', 'piece 1'],
      ['piece 2', 'search'],
    ]);
  });
});
