import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { at } from '../support/http-client.ts';
import { makeTestGround, startServiceOn } from '../support/start-test-service.ts';

const CALLS = 20;

test('calls that learn at once that the credentials of a connector work store that once', async () => {
  await using ground = await makeTestGround();
  await using running = await startServiceOn(ground);
  const token = await running.applicationToken();
  const id = await running.connector(token);
  const update = mock.method(ground.store.connectors, 'update');
  const answers = await Promise.all(
    Array.from({ length: CALLS }, () =>
      running.execute(token, id, { entity: 'users', action: 'list', params: { limit: 3 } }),
    ),
  );
  for (const answer of answers) assert.equal(answer.status, 200, answer.text);
  const stored = update.mock.calls.filter(({ arguments: [, change] }) => 'state' in change);
  assert.ok(stored.length > 0 && stored.length < CALLS / 4, String(stored.length));
  const found = await running.send('GET', `/v1/integrations/connectors/${id}`, { token });
  assert.equal(at(found, 'status'), 'active');
});
