import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { makeLogger } from '../log.ts';
import { AT_ONCE, OF_ONE_KIND, RenewalSweep } from './renewal-sweep.ts';

const logger = makeLogger({ level: 'silent' });

/** What is due, as the database tells it; what has begun is so no more. */
function makeQueue(kinds: Readonly<Record<string, number>>) {
  const waiting = Object.entries(kinds).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, index) => ({ id: `${kind}-${index}`, kind })),
  );
  const begun: string[] = [];
  const due = (limit: number, exceptKinds: readonly string[] = []) =>
    Promise.resolve(
      waiting
        .filter(({ id, kind }) => !begun.includes(id) && !exceptKinds.includes(kind))
        .slice(0, limit),
    );
  return { begun, store: { renewals: { due } } };
}

async function sweepTwice(): Promise<void> {
  for (let round = 0; round < 2; round++) {
    mock.timers.tick(2_000);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  }
}

test('an upstream that does not answer keeps the credentials of other kinds from nothing', async () => {
  mock.timers.enable({ apis: ['setInterval'] });
  const { begun, store } = makeQueue({ 'hanging-kind': 50, 'other-kind': 5 });
  const hanging = Promise.withResolvers<void>();
  const renew = async (id: string): Promise<void> => {
    begun.push(id);
    if (id.startsWith('hanging')) await hanging.promise;
  };
  const sweep = new RenewalSweep({ store, live: { renew }, logger });
  try {
    await sweepTwice();
    await sweepTwice();
    assert.equal(begun.filter((id) => id.startsWith('hanging')).length, OF_ONE_KIND);
    assert.equal(begun.filter((id) => id.startsWith('other')).length, 5);
  } finally {
    hanging.resolve();
    await sweep.stop();
    mock.timers.reset();
  }
});

test('nor do two such upstreams, as where one vendor has two kinds', async () => {
  mock.timers.enable({ apis: ['setInterval'] });
  const { begun, store } = makeQueue({ 'hanging-one': 50, 'hanging-other': 50, third: 3 });
  const hanging = Promise.withResolvers<void>();
  const renew = async (id: string): Promise<void> => {
    begun.push(id);
    if (id.startsWith('hanging')) await hanging.promise;
  };
  const sweep = new RenewalSweep({ store, live: { renew }, logger });
  try {
    await sweepTwice();
    await sweepTwice();
    assert.equal(begun.filter((id) => id.startsWith('third')).length, 3);
  } finally {
    hanging.resolve();
    await sweep.stop();
    mock.timers.reset();
  }
});

test('no more are renewed side by side than there is room for', async () => {
  mock.timers.enable({ apis: ['setInterval'] });
  const { begun, store } = makeQueue({ a: 20, b: 20, c: 20 });
  const hanging = Promise.withResolvers<void>();
  const renew = (id: string): Promise<void> => {
    begun.push(id);
    return hanging.promise;
  };
  const sweep = new RenewalSweep({ store, live: { renew }, logger });
  try {
    await sweepTwice();
    await sweepTwice();
    assert.equal(begun.length, AT_ONCE);
  } finally {
    hanging.resolve();
    await sweep.stop();
    mock.timers.reset();
  }
});

test('nothing begins once it is told to stop, also of what was looked up before', async () => {
  mock.timers.enable({ apis: ['setInterval'] });
  const found = Promise.withResolvers<readonly { readonly id: string; readonly kind: string }[]>();
  const begun: string[] = [];
  const sweep = new RenewalSweep({
    store: { renewals: { due: () => found.promise } },
    live: { renew: (id) => Promise.resolve(void begun.push(id)) },
    logger,
  });
  try {
    mock.timers.tick(2_000);
    const stopped = sweep.stop();
    found.resolve([{ id: 'a-1', kind: 'a' }]);
    await stopped;
    assert.deepEqual(begun, []);
  } finally {
    mock.timers.reset();
  }
});
