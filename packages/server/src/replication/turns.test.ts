import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import type { Clock } from '@patchbay/connectors';
import { isTurnOver } from './stopped.ts';
import { Turns, type Party, type Turn } from './turns.ts';

const TURN_MS = 1_000;
const NEVER = new AbortController().signal;

/** A clock that a test turns. */
function makeHandClock() {
  let nowMs = 0;
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  const clock: Clock = {
    now: () => nowMs,
    monotonic: () => nowMs,
    after: (ms, callback) => {
      const timer = { at: nowMs + ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  };
  const advance = async (ms: number) => {
    nowMs += ms;
    for (const timer of timers) {
      if (timer.at > nowMs) continue;
      timers.delete(timer);
      timer.callback();
    }
    await settle();
  };
  return { clock, advance };
}

async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await Promise.resolve();
}

interface Asked extends Party {
  readonly name: string;
  readonly leave: AbortController;
  readonly isUrgent: boolean;
}

/** Parties that come, have their turns, and go by hand; names as in `x1`: of the application x. */
function makeHall(slots: number) {
  const hand = makeHandClock();
  const turns = new Turns({ clock: hand.clock, slots, turnMs: TURN_MS });
  const waiting: Asked[] = [];
  const held = new Map<string, { readonly asked: Asked; readonly turn: Turn }>();
  const come = async (name: string, parts: { kind?: string; isUrgent?: boolean } = {}) => {
    const { kind = name.slice(0, 1), isUrgent = false } = parts;
    const asked = { name, applicationId: name.slice(0, 1), kind, isUrgent };
    const leave = new AbortController();
    const each: Asked = { ...asked, leave };
    waiting.push(each);
    void turns
      .take(each, { isUrgent, signal: leave.signal })
      .then(
        (turn) => held.set(name, { asked: each, turn }),
        (error: unknown) => assert.equal(error, leave.signal.reason),
      )
      .finally(() => waiting.splice(waiting.indexOf(each), 1));
    await settle();
  };
  return {
    ...hand,
    turns,
    waiting,
    held,
    come,
    names: () => [...held.keys()],
    turnOf: (name: string) => {
      const found = held.get(name);
      assert.ok(found !== undefined, `${name} has no turn`);
      return found.turn;
    },
    end: async (name: string) => {
      held.get(name)?.turn[Symbol.dispose]();
      held.delete(name);
      await settle();
    },
  };
}

describe('slots', () => {
  test('neither one application nor one kind has the last of them', async () => {
    const hall = makeHall(4);
    for (const name of ['a1', 'a2', 'a3', 'a4']) await hall.come(name, { kind: name });
    assert.deepEqual(hall.names(), ['a1', 'a2', 'a3']);
    await hall.come('b1', { kind: 'a1' });
    assert.deepEqual(hall.names(), ['a1', 'a2', 'a3', 'b1']);

    const alike = makeHall(4);
    for (const name of ['a1', 'b1', 'c1', 'd1']) await alike.come(name, { kind: 'same' });
    assert.deepEqual(alike.names(), ['a1', 'b1', 'c1']);
    await alike.come('e1', { kind: 'other' });
    assert.deepEqual(alike.names(), ['a1', 'b1', 'c1', 'e1']);
  });

  test('a single one is everybody’s', async () => {
    const hall = makeHall(1);
    await hall.come('a1');
    assert.deepEqual(hall.names(), ['a1']);
  });

  test('a free one goes to the application that holds fewest', async () => {
    const hall = makeHall(3);
    for (const name of ['a1', 'b1', 'c1', 'a2', 'd1']) await hall.come(name);
    await hall.end('b1');
    assert.deepEqual(hall.names(), ['a1', 'c1', 'd1']);
    await hall.end('a1');
    assert.deepEqual(hall.names(), ['c1', 'd1', 'a2']);
  });

  test('of one application a first copy goes first, then who came first', async () => {
    const hall = makeHall(1);
    await hall.come('a1');
    await hall.come('a2');
    await hall.come('a3');
    await hall.come('a4', { isUrgent: true });
    const order: string[] = [];
    for (let turns = 0; turns < 4; turns++) {
      const [name = ''] = hall.names();
      order.push(name);
      await hall.end(name);
    }
    assert.deepEqual(order, ['a1', 'a4', 'a2', 'a3']);
  });

  test('applications have their turns one after the other, however many connectors one has', async () => {
    const hall = makeHall(1);
    await hall.come('a1');
    for (const name of ['a2', 'a3', 'a4', 'b1', 'b2', 'c1']) await hall.come(name);
    const order: string[] = [];
    while (hall.names().length > 0) {
      const [name = ''] = hall.names();
      order.push(name);
      // One who comes back at once overtakes nobody.
      if (name === 'c1') await hall.come('c2');
      await hall.end(name);
    }
    assert.deepEqual(order, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'c2', 'a4']);
  });

  test('whoever gives up waiting leaves nothing behind', async () => {
    const hall = makeHall(1);
    await hall.come('a1');
    await hall.come('b1');
    await hall.come('c1');
    const [b1] = hall.waiting;
    b1?.leave.abort(new Error('gone'));
    await settle();
    await hall.end('a1');
    assert.deepEqual(hall.names(), ['c1']);
    const gone = AbortSignal.abort(new Error('gone'));
    const late = hall.turns.take(
      { applicationId: 'd', kind: 'd' },
      { isUrgent: false, signal: gone },
    );
    await assert.rejects(late, /gone/);
  });

  test('an application has room for so many that wait, and as many urgent ones', async () => {
    const hall = makeHall(1);
    const party = { applicationId: 'a', kind: 'a', isUrgent: false };
    await hall.come('a0');
    for (let count = 1; count <= 100; count++) {
      assert.ok(hall.turns.hasRoom(party));
      await hall.come(`a${count}`);
    }
    assert.equal(hall.turns.hasRoom(party), false);
    assert.ok(hall.turns.hasRoom({ ...party, isUrgent: true }));
    assert.ok(hall.turns.hasRoom({ ...party, applicationId: 'b' }));
  });

  test('with any arrivals nobody waits for a slot that he may have, and all have their turn', async () => {
    const step = fc.record({
      act: fc.constantFrom('come', 'come', 'come', 'end', 'end', 'leave'),
      applicationId: fc.constantFrom('a', 'b', 'c', 'd'),
      kind: fc.constantFrom('one', 'two', 'three'),
      isUrgent: fc.boolean(),
      /** Of those who have their turn, or wait, which one. */
      which: fc.nat(20),
    });
    const steps = fc.array(step, { maxLength: 80 });
    const property = fc.asyncProperty(fc.integer({ min: 1, max: 6 }), steps, async (slots, all) => {
      const hall = makeHall(slots);
      for (const [index, { act, applicationId, kind, isUrgent, which }] of all.entries()) {
        if (act === 'come') await hall.come(`${applicationId}${index}`, { kind, isUrgent });
        else if (act === 'end') await hall.end(hall.names()[which % hall.held.size] ?? '');
        else hall.waiting[which % hall.waiting.length]?.leave.abort(new Error('gone'));
        await settle();
        assertFair(hall, slots);
      }
      while (hall.held.size > 0) {
        await hall.end(hall.names()[0] ?? '');
        assertFair(hall, slots);
      }
      assert.equal(hall.waiting.length, 0);
    });
    await fc.assert(property, { numRuns: 100 });
  });
});

describe('a turn', () => {
  test('has no slot while it rests, and takes another one before it goes on', async () => {
    const hall = makeHall(1);
    await hall.come('a1');
    await hall.come('b1');
    const steps: string[] = [];
    const turn = hall.turnOf('a1');
    void turn.during(async () => {
      assert.ok(await turn.rest(500, NEVER));
      steps.push('went on');
    }, NEVER);
    await settle();
    assert.ok(turn.isResting);
    assert.deepEqual(hall.names(), ['a1', 'b1']);
    await hall.advance(500);
    assert.deepEqual(steps, []);
    await hall.end('b1');
    assert.deepEqual(steps, ['went on']);
    assert.equal(turn.isResting, false);
  });

  test('has no slot while an upstream has not answered for as long as a turn', async () => {
    const { hall, turn, answer, answered } = await makeAsking();
    await settle();
    await hall.advance(TURN_MS - 1);
    assert.deepEqual(hall.names(), ['a1']);
    await hall.advance(1);
    assert.ok(turn.isResting);
    assert.deepEqual(hall.names(), ['a1', 'b1']);
    answer.resolve('a page');
    await settle();
    assert.ok(turn.isResting);
    await hall.end('b1');
    assert.equal(await answered, 'a page');
  });

  test('goes on without a slot where an answer must not wait, and has one again before it asks for more', async () => {
    const { hall, turn, answer, answered } = await makeAsking(() => true);
    await settle();
    await hall.advance(TURN_MS);
    assert.deepEqual(hall.names(), ['a1', 'b1']);
    answer.resolve('a page');
    assert.equal(await answered, 'a page');
    assert.ok(turn.isResting);
    turn.requireTime();
    const ready = turn.during(() => turn.ready(NEVER), NEVER);
    await settle();
    assert.ok(turn.isResting);
    await hall.end('b1');
    await ready;
    assert.equal(turn.isResting, false);
    await turn.ready(NEVER);
  });

  test('keeps an answer that comes after its end, without a slot', async () => {
    const { hall, turn, answer, answered } = await makeAsking();
    const worked = turn.during(async () => {
      await hall.advance(TURN_MS);
      turn.requireTime();
    }, NEVER);
    await assert.rejects(worked, isTurnOver);
    answer.resolve('a page');
    assert.equal(await answered, 'a page');
    assert.throws(() => turn.requireTime(), isTurnOver);
  });

  test('keeps its slot while one of its tasks does not rest', async () => {
    const hall = makeHall(1);
    await hall.come('a1');
    await hall.come('b1');
    const turn = hall.turnOf('a1');
    const work = Promise.withResolvers<void>();
    void turn.during(() => turn.rest(500, NEVER), NEVER);
    void turn.during(() => work.promise, NEVER);
    await settle();
    assert.deepEqual(hall.names(), ['a1']);
    work.resolve();
    await settle();
    assert.deepEqual(hall.names(), ['a1', 'b1']);
    let hasBegun = false;
    void turn.during(() => {
      hasBegun = true;
      return Promise.resolve();
    }, NEVER);
    await settle();
    assert.equal(hasBegun, false);
    await hall.end('b1');
    assert.ok(hasBegun);
  });

  test('a rest ends with its signal, alone', async () => {
    const hall = makeHall(2);
    await hall.come('a1');
    const turn = hall.turnOf('a1');
    const leaving = new AbortController();
    const left = turn.during(() => turn.rest(500, leaving.signal), NEVER);
    const stayed = turn.during(() => turn.rest(500, NEVER), NEVER);
    leaving.abort(new Error('paused'));
    await assert.rejects(left, /paused/);
    await hall.advance(500);
    assert.equal(await stayed, true);
  });

  test('that has ended takes no slot any more', async () => {
    const hall = makeHall(1);
    await hall.come('a1');
    await hall.come('b1');
    const turn = hall.turnOf('a1');
    const rested = turn.during(() => turn.rest(500, NEVER), NEVER);
    await settle();
    await hall.advance(500);
    turn[Symbol.dispose]();
    await assert.rejects(rested, isTurnOver);
    await hall.end('b1');
    await hall.come('c1');
    assert.ok(hall.held.has('c1'));
  });

  test('so many rest, half of them of one application', async () => {
    const hall = makeHall(2);
    const rest = async (name: string): Promise<unknown> => {
      await hall.come(name);
      const turn = hall.turnOf(name);
      const results: unknown[] = [];
      void turn
        .during(() => turn.rest(500, NEVER), NEVER)
        .then(
          (rested) => results.push(rested),
          (error: unknown) => assert.ok(isTurnOver(error)),
        );
      await settle();
      return results[0];
    };
    for (let count = 0; count < 8; count++) assert.equal(await rest(`a${count}`), undefined);
    assert.equal(await rest('a8'), false);
    await hall.end('a8');
    for (let count = 0; count < 8; count++) assert.equal(await rest(`b${count}`), undefined);
    assert.equal(await rest('c1'), false);
    await hall.end('c1');
    await hall.end('a0');
    assert.equal(await rest('c2'), undefined);
  });

  test('is over once it has lasted, and somebody waits for it', async () => {
    const hall = makeHall(1);
    await hall.come('a1');
    const turn = hall.turnOf('a1');
    await hall.advance(TURN_MS);
    turn.requireTime();
    await hall.come('b1');
    assert.throws(() => turn.requireTime(), isTurnOver);
    assert.ok(turn.isOver);
    await hall.end('a1');
    const next = hall.turnOf('b1');
    await hall.come('a2');
    next.requireTime();
    assert.equal(next.isOver, false);
  });

  test('that is over ends for all its tasks, those that rest included', async () => {
    const hall = makeHall(1);
    await hall.come('a1');
    await hall.come('a2');
    const turn = hall.turnOf('a1');
    const rested = turn.during(() => turn.rest(60_000, NEVER), NEVER);
    const worked = turn.during(async () => {
      await hall.advance(TURN_MS);
      turn.requireTime();
    }, NEVER);
    await assert.rejects(worked, isTurnOver);
    await assert.rejects(rested, isTurnOver);
  });

  test('goes on where those who wait hold as many, or could not have its slot', async () => {
    const hall = makeHall(2);
    await hall.come('a1', { kind: 'same' });
    await hall.come('b1', { kind: 'other' });
    await hall.come('b2', { kind: 'other' });
    await hall.advance(TURN_MS);
    // B would then have both.
    hall.turnOf('a1').requireTime();
    await hall.come('c1', { kind: 'other' });
    // So would the kind of the other one.
    hall.turnOf('a1').requireTime();
    assert.throws(() => hall.turnOf('b1').requireTime(), isTurnOver);
  });
});

/** One that waits for an answer of its upstream, and another who wants its slot. */
async function makeAsking(isUrgent?: () => boolean) {
  const hall = makeHall(1);
  await hall.come('a1');
  await hall.come('b1');
  const turn = hall.turnOf('a1');
  const answer = Promise.withResolvers<string>();
  const answered = turn.during(() => turn.answered(answer.promise, NEVER, isUrgent), NEVER);
  return { hall, turn, answer, answered };
}

function assertFair({ held, waiting }: ReturnType<typeof makeHall>, slots: number): void {
  const most = Math.max(1, slots - 1);
  const parties = [...held.values()].map(({ asked }) => asked);
  const holds = (member: keyof Party, { [member]: value }: Party) =>
    parties.filter((party) => party[member] === value).length;
  assert.ok(parties.length <= slots);
  for (const party of parties) {
    assert.ok(holds('applicationId', party) <= most);
    assert.ok(holds('kind', party) <= most);
  }
  if (parties.length === slots) return;
  for (const party of waiting) {
    const isHeldBack = holds('applicationId', party) >= most || holds('kind', party) >= most;
    assert.ok(isHeldBack, `${party.name} waits beside a free slot`);
  }
}
