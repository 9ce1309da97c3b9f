import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '@patchbay/store';
import { makeTestGround, startServiceOn } from '../support/start-test-service.ts';

const MOST_WHEN_BUSY = 3;

/** Whose connections for calls are a crowd, so that the process has no time left. */
function crowded(store: Store): Store {
  const connectionUse = () => ({
    ...store.connectionUse(),
    calls: { ...store.connectionUse().calls, waiting: 1_000 },
  });
  return { ...store, connectionUse };
}

for (const [calls, request] of [
  ['reads', { entity: 'users', action: 'list', params: { limit: 1 } }],
  ['checks', { entity: '*', action: 'check', params: {} }],
] as const)
  test(`whose ${calls} hang at an upstream has others answered, though the process has no time left`, async () => {
    await using ground = await makeTestGround();
    const limits = { callsOfUser: MOST_WHEN_BUSY + 1, callsOfUserWhenBusy: MOST_WHEN_BUSY };
    const busy = { ...ground, store: crowded(ground.store) };
    await using running = await startServiceOn(busy, { limits });
    const token = await running.applicationToken();
    const scoped = await running.scopedToken('user-1');
    const ids = await Promise.all(
      Array.from({ length: MOST_WHEN_BUSY }, () => running.connector(token)),
    );
    // Whoever is alone would have all turns.
    const others = await running.send('GET', `/v1/integrations/connectors`, { token });
    assert.equal(others.status, 200);
    const hang = running.sandbox.faults.add({ kind: 'hang', times: 100 });
    const hanging = ids.map((id) => running.execute(scoped, id, request));
    await hang.whenHit(MOST_WHEN_BUSY);
    const answer = await running.send('GET', `/v1/integrations/connectors/${ids[0]}`, {
      token: scoped,
    });
    assert.equal(answer.status, 200, answer.text);
    hang.release();
    await Promise.all(hanging);
  });
