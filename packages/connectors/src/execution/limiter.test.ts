import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { HandClock } from '../../test/support/hand-clock.ts';
import type { RateRule } from '../vocabulary/index.ts';
import { BudgetExhaustedError, Limiter, type AcquireOptions, type Budget } from './limiter.ts';

const NEVER = new AbortController().signal;
const MINUTE = 60_000;
const YEAR_MS = 365 * 86_400_000;

/** A limiter on a clock of its own, that writes down when which call went out. */
class Gate {
  readonly clock = new HandClock(0);
  readonly limiter: Limiter;
  readonly out: { readonly name: string; readonly at: number }[] = [];
  readonly refused: string[] = [];

  constructor(limits: ConstructorParameters<typeof Limiter>[1] = 'vendor') {
    this.limiter = new Limiter(this.clock, limits);
  }

  /** Starts a call; resolves once it is out or refused. */
  async call(
    name: string,
    budgets: readonly Budget[],
    options: Partial<AcquireOptions> = {},
  ): Promise<void> {
    try {
      await this.limiter.acquire(budgets, {
        priority: 'interactive',
        signal: NEVER,
        deadlineAt: Number.MAX_SAFE_INTEGER,
        ...options,
      });
      this.out.push({ name, at: this.clock.now() });
    } catch (error) {
      this.refused.push(error instanceof BudgetExhaustedError ? `${name} ${error.waitMs}` : name);
    }
  }

  /** Turns the clock, so that woken calls write down their own instant. */
  async turn(ms: number): Promise<void> {
    const until = this.clock.monotonic() + ms;
    await settled();
    while (this.clock.pending > 0 && this.clock.nextAt <= until) {
      this.clock.step();
      await settled();
    }
    this.clock.advance(until - this.clock.monotonic());
    await settled();
  }

  names(): readonly string[] {
    return this.out.map(({ name }) => name);
  }
}

function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function budget(perMinute: number, burst?: number, key = 'a'): Budget {
  const rule: RateRule = {
    perMinute,
    shared: 'request',
    ...(burst === undefined ? {} : { burst }),
  };
  return { key, rule };
}

describe('a budget', () => {
  test('many that wait for a budget of their own hold up none of another', async () => {
    const gate = new Gate();
    const account = {
      key: 'account',
      rule: { perMinute: 180, burst: 20, shared: 'connector' },
    } as const;
    const list = { key: 'list', rule: { perMinute: 90, burst: 10, shared: 'request' } } as const;
    const calls = Array.from({ length: 45 }, (_, nth) => gate.call(`list ${nth}`, [list, account]));
    await gate.turn(10_000);
    const waiting = 45 - gate.names().length;
    assert.ok(waiting > 19, String(waiting));
    const get = gate.call('get', [account]);
    await gate.turn(500);
    assert.ok(gate.names().includes('get'));
    await gate.turn(MINUTE);
    await Promise.all([...calls, get]);
  });

  test('is never overdrawn: burst + rate × window, whatever calls come when', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          perMinute: fc.integer({ min: 1, max: 200 }),
          burst: fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined }),
          factor: fc.constantFrom('vendor' as const, 0.5, 2),
        }),
        fc.array(
          fc.record({
            afterMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20_000 })),
            isBackground: fc.boolean(),
          }),
          { minLength: 1, maxLength: 60 },
        ),
        async ({ perMinute, burst, factor }, arrivals) => {
          const gate = new Gate(factor);
          const times = factor === 'vendor' ? 1 : factor;
          const rate = (perMinute * times) / MINUTE;
          const capacity = Math.max(1, (burst ?? perMinute) * times);
          const budgets = [budget(perMinute, burst)];
          for (const [index, { afterMs, isBackground }] of arrivals.entries()) {
            await gate.turn(afterMs);
            void gate.call(`${index}`, budgets, {
              priority: isBackground ? 'background' : 'interactive',
            });
          }
          await gate.turn((arrivals.length + 1) / rate + 1);
          assert.equal(gate.out.length, arrivals.length, 'nobody starves');
          for (const [from, { at: start }] of gate.out.entries())
            for (const [to, { at: end }] of gate.out.entries()) {
              if (to < from) continue;
              const allowed = capacity + rate * (end - start);
              assert.ok(to - from + 1 <= allowed + 1e-6, `${to - from + 1} in ${end - start} ms`);
            }
          assert.equal(gate.clock.pending, 0, 'no timer is left behind');
        },
      ),
      { numRuns: 60 },
    );
  });

  test('is used up: a burst at once, then one by one as it fills', async () => {
    const gate = new Gate();
    for (let nth = 0; nth < 6; nth++) void gate.call(`${nth}`, [budget(60, 3)]);
    await gate.turn(10_000);
    assert.deepEqual(
      gate.out.map(({ at }) => at),
      [0, 0, 0, 1_000, 2_000, 3_000],
    );
  });

  test('lets the first call out without a wait, synchronously', () => {
    const limiter = new Limiter(new HandClock(0), 'vendor');
    const options = { priority: 'interactive', signal: NEVER, deadlineAt: 1 } as const;
    assert.equal(limiter.acquire([budget(1)], options), undefined);
    assert.notEqual(limiter.acquire([budget(1, 1, 'b')], options), limiter);
  });

  test('wakes those who wait for it in their order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 30 }),
        async (keys) => {
          const gate = new Gate();
          for (const [index, key] of keys.entries())
            void gate.call(`${key} ${index}`, [budget(20, 1, `${key}`)]);
          await gate.turn(31 * 3_000);
          for (const key of new Set(keys)) {
            const order = gate
              .names()
              .filter((name) => name.startsWith(`${key} `))
              .map((name) => Number(name.split(' ')[1]));
            assert.deepEqual(
              order,
              order.toSorted((a, b) => a - b),
            );
          }
          assert.equal(gate.out.length, keys.length);
        },
      ),
      { numRuns: 40 },
    );
  });

  test('never holds up calls of another', async () => {
    const gate = new Gate();
    for (let nth = 0; nth < 5; nth++) void gate.call(`slow ${nth}`, [budget(1, 1, 'slow')]);
    await gate.turn(0);
    void gate.call('quick', [budget(1, 1, 'quick')]);
    await gate.turn(0);
    assert.deepEqual(gate.names(), ['slow 0', 'quick']);
  });

  test('of several, the scarcest decides, and a waiting call takes none of the others', async () => {
    const gate = new Gate();
    const ample = budget(60, 10, 'ample');
    const both = [budget(60, 1, 'scarce'), ample];
    void gate.call('first', both);
    void gate.call('second', both);
    await gate.turn(1_000);
    assert.deepEqual(
      gate.out.map(({ at }) => at),
      [0, 1_000],
    );
    for (let nth = 0; nth < 9; nth++) void gate.call(`ample ${nth}`, [ample]);
    await gate.turn(0);
    assert.equal(gate.out.length, 11, 'two of ten were taken, and one has come back');
  });
});

describe('several budgets', () => {
  const scarce = budget(6, 1, 'scarce');
  const ample = budget(600, 10, 'ample');

  test('calls that wait for one hold up none of the calls that do without it', async () => {
    const gate = new Gate();
    for (let nth = 0; nth < 5; nth++) void gate.call(`both ${nth}`, [scarce, ample]);
    await gate.turn(1_000);
    for (let nth = 0; nth < 5; nth++) void gate.call(`ample ${nth}`, [ample]);
    await gate.turn(100);
    assert.equal(gate.names().filter((name) => name.startsWith('ample')).length, 5);
  });

  test('a call of both does not starve beside crowds of calls of each', async () => {
    const gate = new Gate();
    const [a, b] = [budget(60, 1, 'a'), budget(60, 1, 'b')];
    void gate.call('first a', [a]);
    await gate.turn(500);
    void gate.call('first b', [b]);
    void gate.call('both', [a, b]);
    for (let second = 0; second < 20; second++) {
      for (const nth of [1, 2]) {
        void gate.call(`a ${second} ${nth}`, [a]);
        void gate.call(`b ${second} ${nth}`, [b]);
      }
      await gate.turn(1_000);
    }
    const out = gate.out.find(({ name }) => name === 'both');
    assert.ok(out !== undefined && out.at <= 2_000, `it went at ${out?.at}`);
  });
});

describe('modes', () => {
  test('a factor scales rate and burst', async () => {
    const gate = new Gate(0.5);
    for (let nth = 0; nth < 4; nth++) void gate.call(`${nth}`, [budget(60, 4)]);
    await gate.turn(MINUTE);
    assert.deepEqual(
      gate.out.map(({ at }) => at),
      [0, 0, 2_000, 4_000],
    );
  });

  test('reactive keeps no published budget, but waits when it was told to', async () => {
    const gate = new Gate('reactive');
    for (let nth = 0; nth < 500; nth++) void gate.call(`${nth}`, [budget(1, 1)]);
    await gate.turn(0);
    assert.equal(gate.out.length, 500);
    gate.limiter.block([budget(1, 1)], 5_000);
    for (let nth = 0; nth < 3; nth++) void gate.call(`late ${nth}`, [budget(1, 1)]);
    await gate.turn(4_999);
    assert.equal(gate.out.length, 500);
    await gate.turn(2);
    assert.equal(gate.out.length, 503);
    assert.equal(gate.out[500]?.at, 5_000);
  });

  test('a call without a published rule waits only when told to', async () => {
    const gate = new Gate('vendor');
    const budgets = [{ key: 'unpublished' }];
    for (let nth = 0; nth < 100; nth++) void gate.call(`${nth}`, budgets);
    gate.limiter.block(budgets, 1_000);
    void gate.call('late', budgets);
    await gate.turn(1_000);
    assert.equal(gate.out.length, 101);
    assert.equal(gate.out[100]?.at, 1_000);
  });
});

describe('interactive calls', () => {
  test('go before background ones that came first', async () => {
    const gate = new Gate();
    const budgets = [budget(60, 1)];
    void gate.call('first', budgets);
    void gate.call('background 1', budgets, { priority: 'background' });
    void gate.call('background 2', budgets, { priority: 'background' });
    void gate.call('interactive', budgets);
    await gate.turn(5_000);
    assert.deepEqual(gate.names(), ['first', 'interactive', 'background 1', 'background 2']);
  });

  test('do not starve a background call beyond its patience', async () => {
    const gate = new Gate();
    const budgets = [budget(60, 1)];
    void gate.call('first', budgets);
    void gate.call('background', budgets, { priority: 'background' });
    for (let second = 0; second < 60; second++) {
      for (const nth of [1, 2]) void gate.call(`${second} ${nth}`, budgets);
      await gate.turn(1_000);
    }
    const out = gate.out.find(({ name }) => name === 'background');
    assert.ok(out !== undefined && out.at <= 31_000, `it went at ${out?.at}`);
  });

  test('are not refused for the background calls that they will overtake', async () => {
    const gate = new Gate();
    const budgets = [budget(20, 1)];
    for (let nth = 0; nth < 100; nth++)
      void gate.call(`background ${nth}`, budgets, { priority: 'background' });
    await gate.turn(0);
    void gate.call('interactive', budgets, { deadlineAt: 10_000 });
    await gate.turn(3_000);
    assert.deepEqual(gate.refused, []);
    assert.deepEqual(gate.names(), ['background 0', 'interactive']);
  });
});

describe('a block', () => {
  test('holds every call of its budgets until its instant, and no other', async () => {
    const gate = new Gate();
    const budgets = [budget(60, 10)];
    gate.limiter.block(budgets, 30_000);
    void gate.call('blocked', budgets);
    void gate.call('other', [budget(60, 10, 'b')]);
    await gate.turn(29_999);
    assert.deepEqual(gate.names(), ['other']);
    await gate.turn(1);
    assert.deepEqual(gate.out.at(-1), { name: 'blocked', at: 30_000 });
  });

  test('lasts as long whatever the time of day is set to', async () => {
    for (const byMs of [-YEAR_MS, YEAR_MS]) {
      const gate = new Gate();
      const budgets = [budget(60, 1)];
      gate.limiter.block(budgets, 30_000);
      gate.clock.set(byMs);
      void gate.call('blocked', budgets, { deadlineAt: 40_000 });
      void gate.call('behind', budgets, { deadlineAt: 40_000 });
      await gate.turn(40_000);
      assert.deepEqual(
        gate.out.map(({ at }) => at - byMs),
        [30_000, 31_000],
      );
      assert.deepEqual(gate.refused, []);
    }
  });

  test('is never shortened by a later one', async () => {
    const gate = new Gate();
    const budgets = [budget(60)];
    gate.limiter.block(budgets, 30_000);
    gate.limiter.block(budgets, 1_000);
    void gate.call('blocked', budgets);
    await gate.turn(29_999);
    assert.deepEqual(gate.out, []);
  });

  test('reaches calls that wait already', async () => {
    const gate = new Gate();
    const budgets = [budget(60, 1)];
    void gate.call('first', budgets);
    void gate.call('second', budgets);
    await gate.turn(500);
    gate.limiter.block(budgets, 20_000);
    await gate.turn(19_499);
    assert.deepEqual(gate.names(), ['first']);
    await gate.turn(1);
    assert.deepEqual(gate.names(), ['first', 'second']);
  });

  test('is what a header means that says nothing is left', async () => {
    const gate = new Gate();
    const budgets = [budget(60, 10)];
    gate.limiter.learn(budgets, 5, 30_000);
    void gate.call('some left', budgets);
    gate.limiter.learn(budgets, 0, 30_000);
    void gate.call('none left', budgets);
    await gate.turn(30_000);
    assert.deepEqual(
      gate.out.map(({ at }) => at),
      [0, 30_000],
    );
  });
});

describe('leaving the queue', () => {
  test('an abort rejects with its reason and frees the place', async () => {
    const gate = new Gate();
    const budgets = [budget(60, 1)];
    const controller = new AbortController();
    const reason = new Error('enough');
    void gate.call('first', budgets);
    const options = {
      priority: 'interactive',
      signal: controller.signal,
      deadlineAt: 1e9,
    } as const;
    const leaving = gate.limiter.acquire(budgets, options);
    void gate.call('third', budgets);
    controller.abort(reason);
    await assert.rejects(leaving ?? Promise.resolve(), (error) => error === reason);
    await gate.turn(1_000);
    assert.deepEqual(gate.out.at(-1), { name: 'third', at: 1_000 });
    assert.equal(gate.clock.pending, 0);
  });

  test('a signal that has aborted already takes no place', async () => {
    const gate = new Gate();
    const budgets = [budget(60, 1)];
    void gate.call('first', budgets);
    void gate.call('aborted', budgets, { signal: AbortSignal.abort() });
    void gate.call('second', budgets);
    await gate.turn(1_000);
    assert.deepEqual(gate.names(), ['first', 'second']);
    assert.deepEqual(gate.refused, ['aborted']);
  });

  test('a wait that would outlast the deadline is refused at once, with its length', async () => {
    const gate = new Gate();
    const budgets = [budget(60, 1)];
    void gate.call('first', budgets);
    void gate.call('hasty', budgets, { deadlineAt: 999 });
    void gate.call('patient', budgets, { deadlineAt: 1_001 });
    await settled();
    assert.deepEqual(gate.refused, ['hasty 1000']);
    await gate.turn(1_000);
    assert.deepEqual(gate.names(), ['first', 'patient']);
  });

  test('a deadline that passes while waiting frees the place', async () => {
    const gate = new Gate();
    const budgets = [budget(60, 1)];
    void gate.call('first', budgets);
    void gate.call('second', budgets, { deadlineAt: 1_500 });
    void gate.call('third', budgets, { deadlineAt: 60_000 });
    await gate.turn(100);
    gate.limiter.block(budgets, 10_000);
    await gate.turn(9_900);
    assert.deepEqual(
      gate.refused.map((refusal) => refusal.split(' ')[0]),
      ['second'],
    );
    assert.deepEqual(gate.out.at(-1), { name: 'third', at: 10_000 });
    assert.equal(gate.clock.pending, 0);
  });
});

describe('callers of one budget', () => {
  test('take turns, whoever came with the most', async () => {
    const gate = new Gate();
    const budgets = [budget(60, 1)];
    void gate.call('first', budgets);
    for (const nth of [1, 2, 3]) void gate.call(`flood ${nth}`, budgets, { caller: 'flood' });
    void gate.call('late 1', budgets, { caller: 'late' });
    void gate.call('late 2', budgets, { caller: 'late' });
    await gate.turn(10_000);
    const order = ['first', 'flood 1', 'late 1', 'flood 2', 'late 2', 'flood 3'];
    assert.deepEqual(gate.names(), order);
  });

  test('are not refused for the calls that they overtake', async () => {
    const gate = new Gate();
    const budgets = [budget(60, 1)];
    void gate.call('first', budgets);
    for (const nth of [1, 2, 3]) void gate.call(`flood ${nth}`, budgets, { caller: 'flood' });
    void gate.call('hasty', budgets, { caller: 'other', deadlineAt: 2_500 });
    await gate.turn(10_000);
    assert.deepEqual(gate.refused, []);
    assert.equal(gate.out.find(({ name }) => name === 'hasty')?.at, 2_000);
  });
});

test('budgets that are full again are forgotten, spent and blocked ones are not', async () => {
  const gate = new Gate();
  const spent = budget(1, 1, 'spent');
  const blocked = budget(60, 1, 'blocked');
  void gate.call('spend', [spent]);
  gate.limiter.block([blocked], 50_000);
  for (let nth = 0; nth < 3_000; nth++) void gate.call(`${nth}`, [budget(6_000, 1, `key ${nth}`)]);
  await gate.turn(1_000);
  for (let nth = 0; nth < 10; nth++) void gate.call(`${nth}`, [budget(6_000, 1, `more ${nth}`)]);
  void gate.call('spent again', [spent]);
  void gate.call('still blocked', [blocked]);
  await gate.turn(49_000);
  assert.equal(gate.out.find(({ name }) => name === 'still blocked')?.at, 50_000);
  assert.ok(!gate.names().includes('spent again'));
  await gate.turn(10_000);
  assert.equal(gate.out.find(({ name }) => name === 'spent again')?.at, 60_000);
});
