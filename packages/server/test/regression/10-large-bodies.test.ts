/** Bodies are held until their calls are answered: an application has so many large ones at once, however many calls. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { assertProblem } from '../support/problem.ts';
import { makeTestGround, startServiceOn, type TestService } from '../support/start-test-service.ts';

const BYTES = 100_000;
const LIST = { entity: 'users', action: 'list' };
const LARGE = { ...LIST, note: 'x'.repeat(BYTES) };

test('a large body waits for another one of its application, a small one does not', async () => {
  await using ground = await makeTestGround();
  await using running = await startServiceOn(ground, { limits: { largeBodiesOfApplication: 1 } });
  const { token, id } = await userOf(running);
  const socket = await beginLarge(running, { token, id });
  const soon = { 'Patchbay-Timeout-Ms': '300' };
  assertProblem(await running.execute(token, id, LARGE, soon), 'rate_limited');
  assert.equal((await running.execute(token, id, LIST)).status, 200);
  socket.write(JSON.stringify(LIST).padEnd(BYTES));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 200/);
  assertProblem(await running.execute(token, id, LARGE), 'invalid_request');
  socket.destroy();
});

test('a large body waits for half of the time that it has to arrive, and is told so then', async () => {
  await using ground = await makeTestGround();
  await using running = await startServiceOn(ground, {
    limits: { largeBodiesOfApplication: 1 },
    httpLimits: { requestTimeoutMs: 1_000 },
  });
  const { token, id } = await userOf(running);
  const socket = await beginLarge(running, { token, id });
  const { service } = running;
  const answer = await fetch(`${service.url}/api/v1/connectors/sources/${id}/execute`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(LARGE),
    signal: AbortSignal.timeout(5_000),
  });
  assert.equal(answer.status, 429);
  assert.match(await answer.text(), /"code":"rate_limited"/);
  socket.destroy();
});

async function userOf(running: TestService) {
  const token = await running.scopedToken('user');
  return { token, id: await running.connector(token, { external_user_id: 'user' }) };
}

/** A call with a large body that has its turn, and of whose body nothing has come. */
async function beginLarge(
  { service }: TestService,
  { token, id }: Awaited<ReturnType<typeof userOf>>,
) {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ port: Number(port), host: hostname });
  socket.write(
    `POST /api/v1/connectors/sources/${id}/execute HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${BYTES}\r\nExpect: 100-continue\r\n\r\n`,
  );
  // Node says so right before it hands the call over, whose token is known already.
  await once(socket, 'data');
  return socket;
}
