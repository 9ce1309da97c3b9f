/** Bodies are held until their calls are answered: an application has so many large ones at once, however many calls. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { assertProblem } from '../support/problem.ts';
import { makeTestGround, startServiceOn } from '../support/start-test-service.ts';

const BYTES = 100_000;
const LIST = { entity: 'users', action: 'list' };
const LARGE = { ...LIST, note: 'x'.repeat(BYTES) };

test('a large body waits for another one of its application, a small one does not', async () => {
  await using ground = await makeTestGround();
  await using running = await startServiceOn(ground, { limits: { largeBodiesOfApplication: 1 } });
  const token = await running.scopedToken('user');
  const id = await running.connector(token, { external_user_id: 'user' });
  const { hostname, port } = new URL(running.service.url);
  const socket = connect({ port: Number(port), host: hostname });
  socket.write(
    `POST /api/v1/connectors/sources/${id}/execute HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${BYTES}\r\nExpect: 100-continue\r\n\r\n`,
  );
  // Node says so right before it hands the call over, whose token is known already.
  await once(socket, 'data');
  const soon = { 'Patchbay-Timeout-Ms': '300' };
  assertProblem(await running.execute(token, id, LARGE, soon), 'rate_limited');
  assert.equal((await running.execute(token, id, LIST)).status, 200);
  socket.write(JSON.stringify(LIST).padEnd(BYTES));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 200/);
  assertProblem(await running.execute(token, id, LARGE), 'invalid_request');
  socket.destroy();
});
