import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { FairTurns, AWAY_AFTER_MS, type Release } from './fair-turns.ts';

const NEVER = new AbortController().signal;
/** As many of a letter at once, of a name, and in all. */
const MOST = { letter: 2, name: 1, all: 3 };

/** Takes turns by hand, and knows who has one. */
class Hand {
  readonly running: { readonly name: string; readonly release: Release }[] = [];
  readonly waiting: string[] = [];
  readonly #turns = new FairTurns(MOST.all);

  async ask(name: string, signal: AbortSignal = NEVER): Promise<void> {
    const groups = [
      { name: name.slice(0, 1), most: MOST.letter },
      { name, most: MOST.name },
    ];
    const now = signal.aborted ? undefined : this.#turns.tryTake(groups);
    if (now !== undefined) {
      this.running.push({ name, release: now });
      return;
    }
    const taken = this.#turns.take(groups, signal);
    this.waiting.push(name);
    const leave = () => this.waiting.splice(this.waiting.indexOf(name), 1);
    try {
      const release = await taken;
      leave();
      this.running.push({ name, release });
    } catch (error) {
      leave();
      throw error;
    }
  }

  async end(index: number): Promise<void> {
    this.running.splice(index, 1)[0]?.release();
    await settled();
  }

  names(): readonly string[] {
    return this.running.map(({ name }) => name);
  }

  waitingOf(group: string): number {
    return this.#turns.waitingOf(group);
  }
}

/** Whatever was resolved has been told. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test('a turn is had at once where one is free, and after that in the order of those that have waited longest', async () => {
  const hand = new Hand();
  for (const name of ['a1', 'a2', 'b1']) await hand.ask(name);
  for (const name of ['b1', 'b1', 'b2', 'c1']) void hand.ask(name);
  assert.deepEqual(hand.names(), ['a1', 'a2', 'b1']);
  await hand.end(0);
  assert.deepEqual(hand.names(), ['a2', 'b1', 'c1'], 'c has had none');
  await hand.end(0);
  assert.deepEqual(hand.names(), ['b1', 'c1', 'b2'], 'b1 has one, b2 none');
  await hand.end(0);
  assert.deepEqual(hand.names(), ['c1', 'b2', 'b1']);
  await hand.end(2);
  assert.deepEqual(hand.names(), ['c1', 'b2', 'b1'], 'the other of b1');
  assert.equal(hand.waitingOf('b1'), 0);
});

test('who asks for a hundred waits for itself', async () => {
  const hand = new Hand();
  for (let n = 0; n < 100; n++) void hand.ask('a1');
  void hand.ask('b1');
  void hand.ask('c1');
  await settled();
  assert.deepEqual(hand.names(), ['a1', 'b1', 'c1']);
  assert.equal(hand.waitingOf('a1'), 99);
});

test('who gives up waits no more, and one who has come too late does not begin', async () => {
  const hand = new Hand();
  for (const name of ['a1', 'b1', 'c1']) await hand.ask(name);
  const leaving = new AbortController();
  const given = hand.ask('d1', leaving.signal);
  leaving.abort(new Error('gone'));
  await assert.rejects(given, /gone/);
  await assert.rejects(hand.ask('d1', leaving.signal), /gone/);
  await hand.end(0);
  assert.deepEqual(hand.names(), ['b1', 'c1']);
  assert.equal(hand.waitingOf('d'), 0);
});

test('without headroom a turn lasts until the next round of the event loop', async () => {
  let headroom = 0.5;
  const rounds: (() => void)[] = [];
  const turns = new FairTurns(
    8,
    { share: () => headroom, inRound: () => Infinity, now: () => 0 },
    (end) => rounds.push(end),
  );
  const groups = [{ name: 'a', most: 1 }];
  const release = turns.tryTake(groups);
  const next = turns.take(groups, NEVER);
  release?.();
  release?.();
  await settled();
  assert.deepEqual(turns.state(), { running: 1, waiting: 1 });
  assert.equal(turns.tryTake(groups), undefined);
  assert.equal(rounds.length, 1);
  rounds.shift()?.();
  assert.deepEqual(turns.state(), { running: 1, waiting: 0 });
  headroom = 1;
  (await next)();
  assert.deepEqual(turns.state(), { running: 0, waiting: 0 });
  assert.equal(rounds.length, 0);
});

test('turns that are over in the same round of the event loop end together', async () => {
  const rounds: (() => void)[] = [];
  const turns = new FairTurns(8, { share: () => 0, inRound: () => Infinity, now: () => 0 }, (end) =>
    rounds.push(end),
  );
  const groups = [{ name: 'a', most: 2 }];
  const releases = [turns.tryTake(groups), turns.tryTake(groups)];
  const waiting = [turns.wait(groups), turns.wait(groups), turns.wait(groups)];
  for (const release of releases) release?.();
  assert.equal(rounds.length, 1);
  rounds.shift()?.();
  assert.deepEqual(turns.state(), { running: 2, waiting: 1 });
  (await waiting[0]?.turn)?.();
  assert.equal(rounds.length, 1);
});

test('of all groups so many turns begin in a round of the event loop as there is time for', async () => {
  let inRound = 2;
  const rounds: (() => void)[] = [];
  const turns = new FairTurns(8, { share: () => 1, inRound: () => inRound, now: () => 0 }, (end) =>
    rounds.push(end),
  );
  const [a, b] = ['a', 'b'].map((name) => [{ name, most: 8 }]);
  assert.ok(a && b);
  const releases = [turns.tryTake(a), turns.tryTake(a)];
  const waiting = [turns.wait(a), turns.wait(b), turns.wait(a)];
  assert.deepEqual(turns.state(), { running: 2, waiting: 3 });
  for (const release of releases) release?.();
  assert.deepEqual(
    turns.state(),
    { running: 0, waiting: 3 },
    'its turns are over, the round is not',
  );
  assert.equal(turns.tryTake(b), undefined);
  assert.equal(rounds.length, 1);
  inRound = 1;
  rounds.shift()?.();
  assert.deepEqual(turns.state(), { running: 1, waiting: 2 });
  await waiting[0]?.turn;
  inRound = Infinity;
  rounds.shift()?.();
  assert.deepEqual(turns.state(), { running: 3, waiting: 0 });
  assert.equal(rounds.length, 0);
});

test('who leaves after the turn has come has it still', async () => {
  const turns = new FairTurns(1);
  const groups = [{ name: 'a', most: 1 }];
  const release = turns.tryTake(groups);
  const { turn, leave } = turns.wait(groups);
  release?.();
  leave(new Error('gone'));
  leave(new Error('gone'));
  assert.deepEqual(turns.state(), { running: 1, waiting: 0 });
  (await turn)();
  assert.deepEqual(turns.state(), { running: 0, waiting: 0 });
});

test('without headroom a group has fewer, and the others when it comes back', async () => {
  let headroom = 0;
  const turns = new FairTurns(
    8,
    { share: () => headroom, inRound: () => Infinity, now: () => 0 },
    (end) => end(),
  );
  const groups = [{ name: 'a', most: 6, mostWhenBusy: 2 }];
  const waiting = Array.from({ length: 7 }, () => turns.take(groups, NEVER));
  assert.deepEqual(turns.state(), { running: 2, waiting: 5 });
  assert.ok(turns.tryTake([{ name: 'b', most: 1, mostWhenBusy: 5 }]), 'b has none');
  assert.equal(turns.tryTake([{ name: 'b', most: 1, mostWhenBusy: 5 }]), undefined);
  headroom = 0.5;
  turns.startWaiting();
  assert.deepEqual(turns.state(), { running: 5, waiting: 3 });
  headroom = 0;
  (await waiting[0])?.();
  assert.deepEqual(turns.state(), { running: 4, waiting: 3 }, 'a has more than it would get now');
  headroom = 1;
  assert.equal(turns.tryTake(groups), undefined, 'others of a have waited longer');
  assert.deepEqual(turns.state(), { running: 7, waiting: 0 });
});

test('a turn that is given back twice counts once', async () => {
  const turns = new FairTurns(1);
  const first = await turns.take([{ name: 'a', most: 1 }], NEVER);
  const second = turns.take([{ name: 'b', most: 1 }], NEVER);
  const third = turns.take([{ name: 'c', most: 1 }], NEVER);
  assert.equal(turns.tryTake([{ name: 'd', most: 1 }]), undefined);
  first();
  first();
  const release = await second;
  assert.equal(await Promise.race([third, settled()]), undefined);
  release();
  await third;
});

test('limits hold, and nobody waits who could have a turn', async () => {
  const step = fc.oneof(
    fc.record({ ask: fc.constantFrom('a1', 'a2', 'a3', 'b1', 'b2', 'c1') }),
    fc.record({ end: fc.nat(2) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const hand = new Hand();
      for (const each of steps) {
        if ('ask' in each) void hand.ask(each.ask);
        else await hand.end(each.end);
        await settled();
        const running = hand.names();
        const of = (group: string) => running.filter((name) => name.startsWith(group)).length;
        const mayStart = (name: string) =>
          running.length < 3 && of(name.slice(0, 1)) < 2 && of(name) < 1;
        assert.ok(running.length <= 3);
        for (const name of running) assert.ok(of(name.slice(0, 1)) <= 2 && of(name) <= 1);
        assert.deepEqual(hand.waiting.filter(mayStart), []);
      }
    }),
  );
});

test('of groups that come anew each time, none goes before one that waits for its second turn', async () => {
  const turns = new FairTurns(1);
  const first = turns.tryTake([{ name: 'known', most: Infinity }]);
  assert.ok(first !== undefined);
  const begun: string[] = [];
  const take = async (name: string) => {
    const release = await turns.wait([{ name, most: Infinity }]).turn;
    begun.push(name);
    release();
  };
  const waiting = [take('known'), take('new 1'), take('new 2')];
  first();
  await Promise.all(waiting);
  assert.deepEqual(begun, ['known', 'new 1', 'new 2']);
});

test('those of one caller come in order of arrival, whatever else they count in', async () => {
  const turns = new FairTurns(1);
  const small = [{ name: 'a', most: 1 }];
  const large = [...small, { name: 'large of a', most: 1 }];
  const order = [small, large, small, large, large, small];
  const first = turns.tryTake(small);
  const come: number[] = [];
  const waiting = order.map(async (groups, index) => {
    const release = await turns.take(groups, NEVER);
    come.push(index);
    release();
  });
  first?.();
  await Promise.all(waiting);
  assert.deepEqual(come, [0, 1, 2, 3, 4, 5]);
});

test('whoever has many that wait for an upstream begins others all the same, beside quick ones that only rounds bound', async () => {
  const rounds: (() => void)[] = [];
  const turns = new FairTurns(1_000, { share: () => 0, inRound: () => 2, now: () => 0 }, (end) =>
    rounds.push(end),
  );
  const slow = [{ name: 'slow', most: 100 }];
  for (let begun = 0; begun < 20; begun += 2) {
    assert.ok(turns.tryTake(slow) && turns.tryTake(slow));
    rounds.shift()?.();
  }
  const quick = async () => {
    for (;;) (await turns.take([{ name: 'quick', most: 16 }], NEVER))();
  };
  for (let calls = 0; calls < 64; calls += 1) void quick();
  let hasBegun = false;
  void turns.take(slow, NEVER).then(() => (hasBegun = true));
  for (let round = 0; round < 3; round += 1) {
    rounds.shift()?.();
    await settled();
  }
  assert.ok(hasBegun);
});

test('where as many have turns as may at once, whoever has fewest is next, however many may begin in a round', async () => {
  const turns = new FairTurns(
    4,
    { share: () => 1, inRound: () => 8, now: () => 0 },
    () => undefined,
  );
  const [a, b, c] = ['a', 'b', 'c'].map((name) => [{ name, most: 4 }]);
  assert.ok(a && b && c);
  // b has more than a, and had its last one before.
  assert.ok(turns.tryTake(b) && turns.tryTake(b));
  const ofC = turns.tryTake(c);
  assert.ok(turns.tryTake(a));
  const begun: string[] = [];
  void turns.take(b, NEVER).then(() => begun.push('b'));
  void turns.take(a, NEVER).then(() => begun.push('a'));
  ofC?.();
  await settled();
  assert.deepEqual(begun, ['a']);
});

test('however many callers wait, what there is time for is asked a few times for each that comes', () => {
  let asked = 0;
  const inRound = () => {
    asked += 1;
    return 2;
  };
  const turns = new FairTurns(1_000, { share: () => 1, inRound, now: () => 0 }, () => undefined);
  const COMING = 200;
  for (let caller = 0; caller < COMING; caller += 1) {
    const groups = [{ name: `caller ${caller}`, most: 1 }];
    if (turns.tryTake(groups) === undefined) turns.wait(groups).turn.catch(assert.fail);
  }
  assert.ok(asked <= 4 * COMING, String(asked));
});

test('turns that wait for somebody else are none of those that a group may have without headroom', async () => {
  let now = 0;
  const turns = new FairTurns(
    100,
    { share: () => 0, inRound: () => Infinity, now: () => now },
    (end) => end(),
  );
  const groups = [{ name: 'a', most: 4, mostWhenBusy: 2 }];
  assert.ok(turns.tryTake(groups) && turns.tryTake(groups));
  const waiting = Array.from({ length: 4 }, () => turns.wait(groups));
  const goOn = turns.away('a');
  now = AWAY_AFTER_MS - 1;
  turns.away('a');
  turns.startWaiting();
  assert.deepEqual(turns.state(), { running: 2, waiting: 4 });
  now += 1;
  turns.startWaiting();
  assert.deepEqual(turns.state(), { running: 3, waiting: 3 }, 'for the one that has waited long');
  now += AWAY_AFTER_MS;
  turns.startWaiting();
  assert.deepEqual(turns.state(), { running: 4, waiting: 2 }, 'for both');
  turns.away('a');
  now += AWAY_AFTER_MS;
  turns.startWaiting();
  assert.deepEqual(turns.state(), { running: 4, waiting: 2 }, 'never more than with headroom');
  const release = await waiting[0]?.turn;
  goOn();
  release?.();
  assert.deepEqual(turns.state(), { running: 4, waiting: 1 }, 'two are away still');
});

test('turns that are at work for long are as many as ever, however seldom one of them ends', async () => {
  let now = 0;
  const turns = new FairTurns(
    1_000,
    { share: () => 0, inRound: () => Infinity, now: () => now },
    (end) => end(),
  );
  const floods = Array.from({ length: 12 }, (_, index) => [
    { name: `flood ${index}`, most: 64, mostWhenBusy: 16 },
  ]);
  for (const groups of floods)
    for (let calls = 0; calls < 64; calls += 1)
      if (turns.tryTake(groups) === undefined) void turns.wait(groups).turn;
  for (let passed = 0; passed < 20; passed += 1) {
    now += 1_000;
    turns.startWaiting();
  }
  assert.equal(turns.state().running, 12 * 16);
});

test('whoever waits for somebody after its turn leaves nothing behind', () => {
  const turns = new FairTurns(1);
  const groups = [{ name: 'a', most: 1 }];
  turns.tryTake(groups)?.();
  turns.away('a')();
  assert.ok(turns.tryTake(groups));
});

test('groups whose names read alike one after the other are different ones', async () => {
  const turns = new FairTurns(1);
  const release = turns.tryTake([{ name: 'c', most: 1 }]);
  // An external user may have any name.
  const waits = [['a', 'b'], ['a\nb']].map((names) =>
    turns.wait(names.map((name) => ({ name, most: 1 }))),
  );
  release?.();
  for (const { turn } of waits) (await turn)();
  assert.deepEqual(
    ['a', 'b', 'a\nb'].map((name) => turns.waitingOf(name)),
    [0, 0, 0],
  );
});
