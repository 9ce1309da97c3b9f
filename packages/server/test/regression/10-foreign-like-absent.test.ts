import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertProblem } from '../support/problem.ts';
import { accountOf } from '../support/renew.ts';
import { makeTestGround, startServiceOn } from '../support/start-test-service.ts';

// Found by measuring: a connector of somebody else, in memory for its owner, was refused 0.7 ms
// sooner than an absent one; and before it was in memory, its credentials were opened first.
test('a foreign connector takes the way of an absent one, in memory or not', async () => {
  await using ground = await makeTestGround();
  const asked: string[] = [];
  const { connectors } = ground.store;
  const find = (id: string) => {
    asked.push(id);
    return connectors.find(id);
  };
  const store = { ...ground.store, connectors: { ...connectors, find } };
  await using running = await startServiceOn({ ...ground, store });
  const owner = await running.scopedToken('owner');
  const known = await running.connector(owner, { external_user_id: 'owner' });
  const unopenable = await running.connector(owner, { external_user_id: 'owner' });
  await ground.store.connectors.update(unopenable, { sealedCredentials: 'not to be opened' });
  await using fresh = await startServiceOn({ ...ground, store });
  const stranger = await running.scopedToken('stranger');
  const list = { entity: 'users', action: 'list', params: { limit: 1 } };
  assert.equal((await running.execute(owner, known, list)).status, 200);
  await accountOf(ground.store, known);
  for (const service of [running, fresh])
    for (const id of [known, unopenable, randomUUID()]) {
      asked.length = 0;
      assertProblem(await service.execute(stranger, id, list), 'connector_not_found');
      assert.deepEqual(asked, [id]);
      asked.length = 0;
      const path = `/v1/integrations/connectors/${id}`;
      assertProblem(await service.send('GET', path, { token: stranger }), 'connector_not_found');
      assert.deepEqual(asked, [id]);
    }
});
