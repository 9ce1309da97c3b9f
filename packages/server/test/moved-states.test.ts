import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@patchbay/connectors/engine';
import type { Store } from '@patchbay/store';
import { makeLogger } from '../src/log.ts';
import { LiveConnectors } from '../src/operations/live-connectors.ts';
import { ServedKinds } from '../src/operations/served-kinds.ts';
import { makeLogSink } from './support/log-sink.ts';
import { rowOf } from './support/renew.ts';
import { makeTestGround, MASTER_KEY, startServiceOn } from './support/start-test-service.ts';
import { vaultOf } from './support/vault-of.ts';

/** A store whose first change of a connector waits. */
function heldStore(store: Store) {
  const held = Promise.withResolvers<void>();
  let isFirst = true;
  const update: Store['connectors']['update'] = async (...change) => {
    if (isFirst) {
      isFirst = false;
      await held.promise;
    }
    return await store.connectors.update(...change);
  };
  const connectors = { ...store.connectors, update };
  return { store: { ...store, connectors }, release: held.resolve };
}

test('what is learnt of another account is no part of what is being stored of the one before', async () => {
  await using ground = await makeTestGround();
  await using running = await startServiceOn(ground);
  const id = await running.connector(await running.applicationToken());
  const { store, release } = heldStore(ground.store);
  const live = new LiveConnectors({
    store,
    vault: vaultOf(MASTER_KEY),
    clock: systemClock,
    logger: makeLogger({ destination: makeLogSink() }),
    upstreams: {},
    clientOf: () => Promise.resolve(undefined),
    kinds: new ServedKinds(),
  });
  const before = await live.findNewest(id);
  assert.ok(before !== undefined);
  const refused = live.moveTo('reauth_required', before, { reason: 'of the one before' });
  // Somebody takes the same credentials to another address.
  await ground.store.connectors.update(id, { config: {}, replacesAccount: true });
  const after = await live.findNewest(id);
  assert.ok(after !== undefined);
  assert.equal(after.credentials, before.credentials);
  const refusedAgain = live.moveTo('reauth_required', after, { reason: 'of the one after' });
  release();
  await Promise.all([refused, refusedAgain]);
  const { state, stateReason } = await rowOf(ground.store, id);
  assert.deepEqual([state, stateReason], ['reauth_required', 'of the one after']);
});
