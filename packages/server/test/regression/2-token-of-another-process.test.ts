import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeTestGround, startServiceOn } from '../support/start-test-service.ts';

// Found with two processes started at once: each made a signing key, and for a second refused the
// tokens of the other, because it had looked the keys up a moment before.
test('processes that start at once take the tokens of each other at once', async () => {
  await using ground = await makeTestGround();
  await using first = await startServiceOn(ground);
  await using second = await startServiceOn(ground);
  const tokens = await Promise.all([first.applicationToken(), second.applicationToken()]);
  for (const token of tokens)
    for (const { send } of [first, second]) {
      const { status, text } = await send('GET', '/api/v1/connector-kinds', { token });
      assert.equal(status, 200, text);
    }
});
