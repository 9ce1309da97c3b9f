import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '@patchbay/store';
import {
  connectorBody,
  makeTestGround,
  startServiceOn,
  type TestService,
} from '../support/start-test-service.ts';

const MOST_WHEN_BUSY = 3;

/** Whose connections for calls are a crowd, so that the process has no time left. */
function crowded(store: Store): Store {
  const connectionUse = () => ({
    ...store.connectionUse(),
    calls: { ...store.connectionUse().calls, waiting: 1_000 },
  });
  return { ...store, connectionUse };
}

/** Something that a user asks for, and that waits for the upstream. */
type Ask = (running: TestService, token: string, id: string) => Promise<unknown>;

const executed =
  (call: Readonly<Record<string, unknown>>): Ask =>
  (running, token, id) =>
    running.execute(token, id, call);

const ITEM = '/v1/integrations/connectors';
const CALLS: Readonly<Record<string, Ask>> = {
  reads: executed({ entity: 'users', action: 'list', params: { limit: 1 } }),
  checks: executed({ entity: '*', action: 'check', params: {} }),
  'checks by their own route': (running, token, id) =>
    running.send('POST', `${ITEM}/${id}/check`, { token, body: {} }),
  'new connectors, which are tried,': (running, token) =>
    running.send('POST', ITEM, { token, body: connectorBody({ verify: true }) }),
};

for (const [calls, ask] of Object.entries(CALLS))
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
    const others = await running.send('GET', ITEM, { token });
    assert.equal(others.status, 200);
    const hang = running.sandbox.faults.add({ kind: 'hang', times: 100 });
    const hanging = ids.map((id) => ask(running, scoped, id));
    await hang.whenHit(MOST_WHEN_BUSY);
    const answer = await running.send('GET', `${ITEM}/${ids[0]}`, {
      token: scoped,
      // Well before the time from which on the user counts as alone.
      headers: { 'Patchbay-Timeout-Ms': '5000' },
    });
    assert.equal(answer.status, 200, answer.text);
    hang.release();
    await Promise.all(hanging);
  });
