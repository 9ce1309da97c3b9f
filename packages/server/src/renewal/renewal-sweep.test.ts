import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { makeLogger } from '../log.ts';
import { AT_ONCE, OF_ONE_KIND, RenewalSweep } from './renewal-sweep.ts';

const logger = makeLogger({ level: 'silent' });

/** Which kinds are renewed while so many are due of each, and the upstreams of those that are named do not answer. */
async function sweep(
  due: Readonly<Record<string, number>>,
  hanging: readonly string[],
): Promise<readonly string[]> {
  const waiting = Object.entries(due).flatMap(([kind, length]) =>
    Array.from({ length }, (_, index) => ({ id: `${kind} ${index}`, kind })),
  );
  const begun: string[] = [];
  const answer = Promise.withResolvers<void>();
  const running = new RenewalSweep({
    store: {
      renewals: {
        // What has begun is due no more.
        due: (limit, exceptKinds = []) =>
          Promise.resolve(
            waiting
              .filter(({ id, kind }) => !begun.includes(id) && !exceptKinds.includes(kind))
              .slice(0, limit),
          ),
      },
    },
    live: {
      renew: async (id) => {
        begun.push(id);
        if (hanging.some((kind) => id.startsWith(kind))) await answer.promise;
      },
    },
    logger,
  });
  try {
    for (let look = 0; look < 4; look++) {
      mock.timers.tick(2_000);
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    }
    return begun.map((id) => id.replace(/ \d+$/, ''));
  } finally {
    answer.resolve();
    await running.stop();
  }
}

function count(kinds: readonly string[], wanted: string): number {
  return kinds.filter((kind) => kind === wanted).length;
}

describe('the renewal of what is due', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
  afterEach(() => mock.timers.reset());

  test('of other kinds goes on beside an upstream that does not answer', async () => {
    const renewed = await sweep({ hanging: 50, other: 5 }, ['hanging']);
    assert.equal(count(renewed, 'hanging'), OF_ONE_KIND);
    assert.equal(count(renewed, 'other'), 5);
  });

  test('goes on beside two such upstreams, too, as where one vendor has two kinds', async () => {
    const renewed = await sweep({ one: 50, another: 50, third: 3 }, ['one', 'another']);
    assert.equal(count(renewed, 'third'), 3);
  });

  test('is of no more at once than there is room for', async () => {
    const renewed = await sweep({ a: 20, b: 20, c: 20 }, ['a', 'b', 'c']);
    assert.equal(renewed.length, AT_ONCE);
  });

  test('begins no more once it is told to stop, also of what was looked up before', async () => {
    const found =
      Promise.withResolvers<readonly { readonly id: string; readonly kind: string }[]>();
    const begun: string[] = [];
    const running = new RenewalSweep({
      store: { renewals: { due: () => found.promise } },
      live: { renew: (id) => Promise.resolve(void begun.push(id)) },
      logger,
    });
    mock.timers.tick(2_000);
    const stopped = running.stop();
    found.resolve([{ id: 'a-1', kind: 'a' }]);
    await stopped;
    assert.deepEqual(begun, []);
  });
});
