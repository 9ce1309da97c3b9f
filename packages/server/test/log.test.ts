import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ConnectorError } from '@patchbay/connectors';
import { errorForLog, makeLogger } from '../src/log.ts';
import { at } from './support/http-client.ts';
import { makeLogSink } from './support/log-sink.ts';
import { makeTestGround, startServiceOn, type TestGround } from './support/start-test-service.ts';

let ground: TestGround;
before(async () => {
  ground = await makeTestGround();
});
after(() => ground[Symbol.asyncDispose]());

test('a call is one line that says who, what, outcome and duration', async () => {
  await using running = await startServiceOn(ground);
  const token = await running.scopedToken('user-1');
  const id = await running.connector(token);
  running.log.clear();
  const answer = await running.execute(token, id, {
    entity: 'users',
    action: 'list',
    params: { limit: 1 },
  });
  const lines = running.log.lines().filter((line) => line['msg'] === 'call');
  assert.equal(lines.length, 1);
  const [line = {}] = lines;
  assert.equal(line['request_id'], at(answer, 'execution_metadata.request_id'));
  assert.equal(line['connector_id'], id);
  assert.equal(line['entity'], 'users');
  assert.equal(line['action'], 'list');
  assert.equal(line['code'], 'ok');
  assert.equal(line['status'], 200);
  assert.equal(line['external_user_id'], 'user-1');
  assert.equal(typeof line['application_id'], 'string');
  assert.equal(typeof line['duration_ms'], 'number');
});

test('what a caller sends cannot break or forge a line', async () => {
  await using running = await startServiceOn(ground);
  const evil = 'x"\n{"level":60,"msg":"forged"}\r\n\u2028';
  const token = await running.scopedToken(evil);
  const id = await running.connector(token, { external_user_id: evil });
  const calls = running.log.lines().length;
  await running.execute(token, id, { entity: evil, action: evil });
  await running.send('GET', `/v1/integrations/connectors/${encodeURIComponent(evil)}`, { token });
  const lines = running.log.lines();
  assert.equal(lines.length, calls + 2);
  assert.ok(lines.every((line) => line['msg'] !== 'forged'));
  assert.ok(lines.some((line) => line['external_user_id'] === evil));
});

test('an error nobody foresaw logs its stack and hides it from the caller', async () => {
  await using running = await startServiceOn(ground);
  const token = await running.applicationToken();
  const id = await running.connector(token);
  // Credentials sealed for another connector do not open.
  const other = await running.connector(token);
  const row = await running.store.connectors.find(other);
  await running.store.connectors.update(id, { sealedCredentials: row?.sealedCredentials ?? '' });
  running.clock.advance(60_000);
  const answer = await running.execute(token, id, { entity: 'users', action: 'list' });
  assert.equal(answer.status, 500);
  assert.equal(at(answer, 'code'), 'internal');
  assert.deepEqual(at(answer, 'errors'), []);
  assert.ok(!answer.text.includes('sealed') && !answer.text.includes('.ts'));
  const line = running.log.lines().find((each) => each['request_id'] === at(answer, 'request_id'));
  assert.equal(line?.['level'], 50);
  assert.match(JSON.stringify(line['err']), /a sealed text of another owner.*vault\.ts/);
});

test('members that hold secrets are redacted, and errors logged without their extras', () => {
  const sink = makeLogSink();
  const logger = makeLogger({ level: 'info', destination: sink });
  const error = Object.assign(new Error('failed'), {
    code: 'X',
    headers: { authorization: 'planted' },
  });
  logger.info({ authorization: 'planted', token: 'planted', credentials: { a: 'planted' } }, 'x');
  logger.error({ err: new ConnectorError('internal', {}, { cause: error }) }, 'y');
  assert.ok(!sink.text().includes('planted'), sink.text());
  assert.equal(at({ body: errorForLog(error) }, 'code'), 'X');
  assert.match(sink.text(), /"cause":\{"type":"Error","code":"X"/);
});
