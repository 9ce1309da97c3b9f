import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Clock } from '@patchbay/connectors';
import { StoreError, type Lease } from '@patchbay/store';
import { makeLogger } from '../log.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import { StoppedError } from './stopped.ts';

const LEASE: Lease = { connectorId: 'a', owner: 'me', epoch: 1, copyNumber: 1 };
const TTL_MS = 3_000;

/** A clock that a test turns: each call of what is due takes a third of a lease. */
function makeHandClock() {
  let nowMs = 0;
  let due: (() => void) | undefined;
  const clock: Clock = {
    now: () => 0,
    monotonic: () => nowMs,
    after: (_, callback) => {
      due = callback;
      return () => {
        if (due === callback) due = undefined;
      };
    },
  };
  return {
    clock,
    isWaiting: () => due !== undefined,
    turn: async () => {
      nowMs += TTL_MS / 3;
      const callback = due;
      due = undefined;
      callback?.();
      for (let turns = 0; turns < 10; turns++) await Promise.resolve();
    },
  };
}

async function keep(renew: () => Promise<void>) {
  const hand = makeHandClock();
  const released: Lease[] = [];
  const keeper = await LeaseKeeper.take(
    {
      syncs: {
        takeLease: () => Promise.resolve(LEASE),
        renewLease: renew,
        releaseLease: async (lease) => {
          released.push(lease);
          return Promise.resolve();
        },
      },
      clock: hand.clock,
      logger: makeLogger({ level: 'silent' }),
      ttlMs: TTL_MS,
    },
    'a',
    'me',
  );
  assert.ok(keeper !== undefined);
  return { ...hand, keeper, released };
}

describe('keeping a lease', () => {
  test('it is renewed three times as often as it needs to be, until it is given back', async () => {
    let renewals = 0;
    const { keeper, turn, isWaiting, released } = await keep(() => {
      renewals += 1;
      return Promise.resolve();
    });
    for (let turns = 0; turns < 5; turns++) await turn();
    assert.equal(renewals, 5);
    assert.equal(keeper.signal.aborted, false);
    await keeper[Symbol.asyncDispose]();
    assert.deepEqual(released, [LEASE]);
    assert.equal(isWaiting(), false);
  });

  test('one that is lost ends the work at once, and is not given back', async () => {
    const { keeper, turn, released } = await keep(() =>
      Promise.reject(new StoreError('lease_lost', 'lost')),
    );
    await turn();
    assert.ok(keeper.signal.reason instanceof StoppedError);
    assert.equal(keeper.signal.reason.reason, 'lease_lost');
    await keeper[Symbol.asyncDispose]();
    assert.deepEqual(released, []);
  });

  test('one that cannot be renewed ends the work when it has run out, and not before', async () => {
    const { keeper, turn } = await keep(() => Promise.reject(new Error('no database')));
    await turn();
    await turn();
    assert.equal(keeper.signal.aborted, false);
    await turn();
    assert.ok(keeper.signal.reason instanceof StoppedError);
  });

  test('one that is being renewed is given back afterwards', async () => {
    const renewing = Promise.withResolvers<void>();
    const { keeper, turn, isWaiting, released } = await keep(() => renewing.promise);
    await turn();
    const giving = keeper[Symbol.asyncDispose]();
    await turn();
    assert.deepEqual(released, []);
    renewing.resolve();
    await giving;
    assert.deepEqual(released, [LEASE]);
    assert.equal(isWaiting(), false);
  });

  test('a renewal that fails while the lease is given back is no loss', async () => {
    const renewing = Promise.withResolvers<void>();
    const { keeper, turn, isWaiting } = await keep(() => renewing.promise);
    await turn();
    const giving = keeper[Symbol.asyncDispose]();
    renewing.reject(new StoreError('lease_lost', 'lost'));
    await giving;
    assert.equal(keeper.signal.aborted, false);
    assert.equal(isWaiting(), false);
  });
});
