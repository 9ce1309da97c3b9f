import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { systemClock } from '@patchbay/connectors/engine';
import { makeLogger } from '../log.ts';
import { Clearing } from './clearing.ts';

type Syncs = ConstructorParameters<typeof Clearing>[0]['store']['syncs'];

test('a connector with many records keeps no other one waiting for long', async () => {
  const left = new Map([
    ['large', 1_000],
    ['small', 1],
  ]);
  // As the database has it: what was handed back comes behind what waits.
  const waiting = [...left.keys()];
  const cleared: string[] = [];
  let elapsedMs = 0;
  const syncs = {
    takeUncleared: async () => {
      const connectorId = waiting.shift();
      return connectorId === undefined ? undefined : { connectorId, kind: 'chat-workspace' };
    },
    keepUncleared: async (connectorId: string, ttlMs: number) => {
      if (ttlMs === 0) waiting.push(connectorId);
    },
    clearSome: async ({ connectorId }: { readonly connectorId: string }) => {
      elapsedMs += 50;
      const some = left.get(connectorId) ?? 0;
      left.set(connectorId, some - 1);
      return some > 0;
    },
  };
  const clearing = new Clearing({
    // Proof: it asks for nothing else.
    store: { syncs: syncs as unknown as Syncs },
    clock: { ...systemClock, monotonic: () => elapsedMs },
    logger: makeLogger({ level: 'silent' }),
    leaseTtlMs: 30_000,
    onCleared: async (connectorId) => {
      cleared.push(`${connectorId} ${elapsedMs < 10_000 ? 'soon' : 'late'}`);
    },
  });
  clearing.begin();
  while (cleared.length < 2) await setImmediate();
  await clearing.stop();
  assert.deepEqual(cleared, ['small soon', 'large late']);
});
