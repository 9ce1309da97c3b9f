import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { ConnectorError } from '@patchbay/connectors';
import { newClientSecret } from '../src/access/client-secret.ts';
import { errorForLog, makeLogger } from '../src/log.ts';
import { at } from './support/http-client.ts';
import { makeLogSink } from './support/log-sink.ts';
import {
  makeTestGround,
  OPERATOR_KEY,
  startServiceOn,
  type TestGround,
} from './support/start-test-service.ts';

const LOGIN = '/api/v1/account/applications/token';

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
  assert.equal(line['address'], '127.0.0.1');
});

test('every call says where it came from: through trusted proxies, from where they were called', async () => {
  const addresses = '198.51.100.1, 203.0.113.9';
  for (const [trustedProxies, address] of [
    [undefined, '127.0.0.1'],
    [1, '203.0.113.9'],
    [['127.0.0.0/8', '203.0.113.0/24'], '198.51.100.1'],
  ] as const) {
    await using running = await startServiceOn(ground, { trustedProxies });
    const token = await running.applicationToken();
    running.log.clear();
    const headers = { 'x-forwarded-for': addresses };
    await running.send('GET', '/v1/integrations/connectors', { token, headers });
    await running.send('GET', '/v1/integrations/connectors', { token: 'wrong', headers });
    await running.send('GET', '/no/such/route', { headers });
    assert.deepEqual(
      running.log.lines().map((line) => [line['status'], line['address']]),
      [200, 401, 404].map((status) => [status, address]),
    );
  }
});

test('what a proxy passes on as an address is cut, and cannot move a cursor', async () => {
  await using running = await startServiceOn(ground, { trustedProxies: 1 });
  running.log.clear();
  const headers = { 'x-forwarded-for': `\u009b2J${'x'.repeat(1_000)}` };
  await running.send('GET', '/no/such/route', { headers });
  const address = String(running.log.lines()[0]?.['address']);
  assert.equal(address.length, 64);
  assert.match(address, /^[\x20-\x7e]+$/);
});

test('a client id in the log is that of an application, and has nothing that a terminal obeys', async () => {
  await using running = await startServiceOn(ground);
  const odd = 'a\u001b[2J\u202eb\u2028c\n';
  await running.service.ensureFirstApplication({ clientId: odd, clientSecret: 'x'.repeat(32) });
  const logged = async (clientId: string) => {
    running.log.clear();
    await running.send('POST', LOGIN, { body: { client_id: clientId, client_secret: 'x' } });
    const [line = {}] = running.log.lines();
    return line['client_id'];
  };
  assert.equal(await logged(odd), 'a�[2J�b�c�');
  // Whatever else is sent may be a secret: the operator's, of an application, of an upstream.
  for (const unknown of [OPERATOR_KEY, 'xoxb-1', '\ud800', 'y'.repeat(100_000)])
    assert.match(String(await logged(unknown)), /^\[unknown [0-9a-f]{12}\]$/);
});

test('nor has what else a caller chose, and it is cut', async () => {
  await using running = await startServiceOn(ground);
  const token = await running.scopedToken(`a\u009b31m\u202e${'x'.repeat(4_000)}`);
  running.log.clear();
  await running.send('GET', '/v1/integrations/connectors/%C2%9B31mRED%E2%80%AE', { token });
  const [line = {}] = running.log.lines();
  assert.equal(line['connector_id'], '�31mRED�');
  assert.match(String(line['external_user_id']), /^a�31m�x{249}…$/);
});

test('a login says whose it was and where it came from, never a secret', async () => {
  await using running = await startServiceOn(ground);
  const { clientId, clientSecret } = running.client;
  const logIn = async (body: Readonly<Record<string, unknown>>) => {
    const written = running.log.lines().length;
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    await running.send('POST', LOGIN, { body, headers });
    const { client_id: id, address, status } = running.log.lines()[written] ?? {};
    return { id, address, status };
  };
  const address = '127.0.0.1';
  const right = { client_id: clientId, client_secret: clientSecret };
  assert.deepEqual(await logIn(right), { id: clientId, address, status: 200 });
  const wrong = { ...right, client_secret: 'x'.repeat(32) };
  assert.deepEqual(await logIn(wrong), { id: clientId, address, status: 401 });
  const swapped = { client_id: newClientSecret(), client_secret: clientId };
  const digest = createHash('sha256').update(swapped.client_id).digest('hex').slice(0, 12);
  assert.deepEqual(await logIn(swapped), { id: `[unknown ${digest}]`, address, status: 401 });
  assert.deepEqual(await logIn({ client_id: 1 }), { id: undefined, address, status: 422 });
});

test('a login through trusted proxies says where the first of them was called from', async () => {
  const addresses = '198.51.100.1, 203.0.113.9, 192.0.2.7:4444';
  for (const [trustedProxies, address] of [
    [undefined, '127.0.0.1'],
    [1, '192.0.2.7'],
    [2, '203.0.113.9'],
    [['127.0.0.0/8', '192.0.2.0/24'], '203.0.113.9'],
    [['10.0.0.0/8'], '127.0.0.1'],
  ] as const) {
    await using running = await startServiceOn(ground, { trustedProxies });
    running.log.clear();
    const headers = { 'x-forwarded-for': addresses };
    await running.send('POST', LOGIN, { body: {}, headers });
    assert.equal(running.log.lines().at(-1)?.['address'], address);
  }
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
  const shown = 'x"�{"level":60,"msg":"forged"}���';
  assert.ok(lines.some((line) => line['external_user_id'] === shown));
});

function unforeseen(): Promise<never> {
  return Promise.reject(new Error('a secret of the list'));
}

test('an error nobody foresaw logs its stack and hides it from the caller', async () => {
  const store = { ...ground.store, connectors: { ...ground.store.connectors, list: unforeseen } };
  await using running = await startServiceOn({ ...ground, store });
  const token = await running.applicationToken();
  const answer = await running.send('GET', '/v1/integrations/connectors', { token });
  assert.equal(answer.status, 500);
  assert.equal(at(answer, 'code'), 'internal');
  assert.deepEqual(at(answer, 'errors'), []);
  assert.ok(!answer.text.includes('secret') && !answer.text.includes('.ts'));
  const line = running.log.lines().find((each) => each['request_id'] === at(answer, 'request_id'));
  assert.equal(line?.['level'], 50);
  assert.match(JSON.stringify(line['err']), /a secret of the list.*log\.test\.ts/);
});

test('what an upstream says moves no cursor, and turns no text around', () => {
  const sink = makeLogSink();
  makeLogger({ destination: sink }).warn({ reason: 'x\u009b31m\u202e\u2028é' }, 'y');
  assert.doesNotMatch(sink.text(), /[\u007f-\u009f\u2028-\u202e]/);
  assert.equal(sink.lines()[0]?.['reason'], 'x\u009b31m\u202e\u2028é', 'it means the same');
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
