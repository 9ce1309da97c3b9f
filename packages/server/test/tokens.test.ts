import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, textAt } from './support/http-client.ts';
import { assertProblem, faultFields } from './support/problem.ts';
import { makeTestClock } from './support/test-clock.ts';
import {
  logIn,
  makeTestGround,
  startServiceOn,
  useTestService,
} from './support/start-test-service.ts';

const LOGIN = '/api/v1/account/applications/token';
const SCOPED = '/api/v1/account/applications/scoped-token';
const KINDS = '/api/v1/connector-kinds';
const YEAR_MS = 365 * 24 * 3_600_000;

describe('tokens', async () => {
  const { running } = await useTestService();

  const login = (body: unknown, path = LOGIN) => running.send('POST', path, { body });

  test('client id and secret give an application token, on both paths', async () => {
    const { clientId, clientSecret } = running.client;
    for (const path of [LOGIN, '/api/v1/applications/token']) {
      const answer = await login({ client_id: clientId, client_secret: clientSecret }, path);
      assert.equal(answer.status, 200);
      assert.equal(at(answer, 'token_type'), 'bearer');
      assert.equal(at(answer, 'expires_in'), 900);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      const token = textAt(answer, 'access_token');
      assert.equal((await running.send('GET', KINDS, { token })).status, 200);
      const self = `/v1/applications/${textAt(answer, 'application_id')}`;
      assert.equal(at(await running.send('GET', self, { token }), 'client_id'), clientId);
    }
  });

  test('a login that is wrong is 401, one that is malformed 422, and neither echoes a secret', async () => {
    const { clientId, clientSecret } = running.client;
    const wrong = await login({ client_id: clientId, client_secret: `${clientSecret}x` });
    assertProblem(wrong, 'unauthenticated');
    assertProblem(
      await login({ client_id: 'nobody', client_secret: clientSecret }),
      'unauthenticated',
    );
    assertProblem(await login({ client_id: 'a\0b', client_secret: 'c\0d' }), 'unauthenticated');
    const missing = await login({});
    assertProblem(missing, 'invalid_request');
    assert.deepEqual(faultFields(missing), ['client_id', 'client_secret']);
    const number = await login({ client_id: clientId, client_secret: 424_242 });
    assertProblem(number, 'invalid_request');
    for (const answer of [wrong, number])
      assert.ok(!answer.text.includes(clientSecret) && !answer.text.includes('424242'));
  });

  test('a scoped token describes itself on both paths', async () => {
    const application = await running.applicationToken();
    for (const path of [SCOPED, '/api/v1/embedded/scoped-token']) {
      const body = { workspace_name: 'user-ü', access: 'read' };
      const answer = await running.send('POST', path, { token: application, body });
      assert.equal(at(answer, 'expires_in'), 1200, answer.text);
      const token = textAt(answer, 'token');
      const info = await running.send('GET', `${path}/info`, { token });
      assert.equal(at(info, 'external_user_id'), 'user-ü');
      assert.equal(at(info, 'access'), 'read');
      assert.match(textAt(info, 'organization_id'), /^[0-9a-f-]{36}$/);
      const leftMs = Date.parse(textAt(info, 'expires_at')) - running.clock.now();
      assert.ok(leftMs > 1_190_000 && leftMs <= 1_201_000, String(leftMs));
    }
  });

  test('a token is taken as it was issued, and in no other spelling', async () => {
    const token = await running.applicationToken();
    assert.equal((await running.send('GET', KINDS, { token })).status, 200);
    for (const other of [`${token}=`, `${token}==`, token.replace('.', '=.'), `${token}.`])
      assertProblem(await running.send('GET', KINDS, { token: other }), 'unauthenticated');
  });

  test('the body of a scoped token is checked', async () => {
    const token = await running.applicationToken();
    const mint = (body: unknown) => running.send('POST', SCOPED, { token, body });
    assertProblem(await mint({}), 'invalid_request');
    const all = await mint({ external_user_id: '', access: 'admin', connector_ids: ['x'], nme: 1 });
    assertProblem(all, 'invalid_request');
    assert.deepEqual(faultFields(all), ['access', 'connector_ids.0', 'external_user_id', 'nme']);
    assertProblem(await mint({ external_user_id: 'a', customer_name: 'b' }), 'invalid_request');
    assert.equal((await mint({ external_user_id: 'a', customer_name: 'a' })).status, 200);
    assert.equal((await mint({ external_user_id: 'x'.repeat(4096) })).status, 200);
    assertProblem(await mint({ external_user_id: '😀'.repeat(4096) }), 'invalid_request');
  });

  test('failed logins are throttled, and a right secret always passes', async () => {
    const { clientId, clientSecret } = running.client;
    const fail = (id: string) => login({ client_id: id, client_secret: 'wrong' });
    const codes: unknown[] = [];
    for (let attempt = 0; attempt < 12; attempt++) codes.push(at(await fail(clientId), 'code'));
    assert.equal(codes.at(-1), 'rate_limited');
    const throttled = await fail('yet another client, same address');
    assertProblem(throttled, 'rate_limited');
    assert.equal((await login({ client_id: clientId, client_secret: clientSecret })).status, 200);
    running.clock.advance(61_000);
    assertProblem(await fail(clientId), 'unauthenticated');
  });

  test('a revoked application ends within 5 seconds', async () => {
    const application = await running.service.createApplication('short-lived');
    const token = await logIn(running.send, application);
    const read = () => running.send('GET', KINDS, { token });
    assert.equal((await read()).status, 200);
    // By another process: nothing here is told of it.
    await running.store.applications.revoke(application.applicationId);
    running.clock.advance(5_000);
    assertProblem(await read(), 'unauthenticated');
    const { clientId, clientSecret } = application;
    const again = await login({ client_id: clientId, client_secret: clientSecret });
    assertProblem(again, 'unauthenticated');
  });

  test('the clients of a revocation in this process notice at once', async () => {
    const application = await running.service.createApplication('shorter-lived');
    const token = await logIn(running.send, application);
    assert.equal((await running.send('GET', KINDS, { token })).status, 200);
    await running.service.revokeApplication(application.applicationId);
    assertProblem(await running.send('GET', KINDS, { token }), 'unauthenticated');
  });

  test('signing keys rotate daily, and tokens of the old key live on', async () => {
    const first = await running.applicationToken();
    running.clock.advance(23 * 3_600_000 + 50 * 60_000);
    const last = await running.applicationToken();
    running.clock.advance(12 * 60_000);
    const next = await running.applicationToken();
    assert.equal(kidOf(last), kidOf(first));
    assert.notEqual(kidOf(next), kidOf(last));
    assert.equal((await running.send('GET', KINDS, { token: last })).status, 200);
    assert.equal((await running.send('GET', KINDS, { token: next })).status, 200);
  });

  test('first applications keep their credentials, and get new ones when those change', async () => {
    const { service, client } = running;
    const same = await service.ensureFirstApplication(client);
    const [oldest] = await running.store.applications.list();
    assert.equal(same.applicationId, oldest?.id);
    const any = await service.ensureFirstApplication();
    assert.equal(any.clientSecret, undefined);
    const clientSecret = 'x'.repeat(32);
    const changed = await service.ensureFirstApplication({ ...client, clientSecret });
    assert.equal(changed.applicationId, same.applicationId);
    await logIn(running.send, { ...client, clientSecret });
    const { clientId: client_id, clientSecret: client_secret } = client;
    assertProblem(await login({ client_id, client_secret }), 'unauthenticated');
    await assert.rejects(service.ensureFirstApplication({ ...client, clientSecret: 'short' }));
    await service.ensureFirstApplication(client);
  });

  test('a revoked application stays so, whoever starts with its credentials', async () => {
    const { service, log } = running;
    const given = await service.createApplication('revoked');
    await service.revokeApplication(given.applicationId);
    for (const clientSecret of [given.clientSecret, 'x'.repeat(32)]) {
      const client = { clientId: given.clientId, clientSecret };
      const first = await service.ensureFirstApplication(client);
      assert.deepEqual([first.applicationId, first.isRevoked], [given.applicationId, true]);
      const warning = log.lines().find((line) => line['client_id'] === given.clientId);
      assert.match(String(warning?.['msg']), /is revoked, and stays so/);
      const { clientId: client_id } = given;
      assertProblem(await login({ client_id, client_secret: clientSecret }), 'unauthenticated');
    }
  });

  test('a printed scoped token works', async () => {
    const token = await running.service.mintScopedToken({ externalUserId: 'me' });
    assert.equal((await running.send('GET', KINDS, { token })).status, 200);
  });

  test('a clock that is set back hides no revocation, and lengthens no waiting', async () => {
    await using other = await startServiceOn(running, { limits: { callsPerMinute: 2 } });
    const application = await other.service.createApplication('short-lived');
    const token = await logIn(other.send, application);
    const read = (bearer: string) => other.send('GET', KINDS, { token: bearer });
    assert.equal((await read(token)).status, 200);
    const patient = await other.applicationToken();
    for (const status of [200, 200, 429]) assert.equal((await read(patient)).status, status);
    const fail = () =>
      other.send('POST', LOGIN, { body: { client_id: 'nobody', client_secret: 'x'.repeat(32) } });
    for (let count = 0; count < 10; count++) assertProblem(await fail(), 'unauthenticated');
    assertProblem(await fail(), 'rate_limited');
    await running.store.applications.revoke(application.applicationId);
    other.clock.set(-300_000);
    other.clock.advance(61_000);
    assertProblem(await read(token), 'unauthenticated');
    assert.equal((await read(patient)).status, 200);
    assertProblem(await fail(), 'unauthenticated');
  });

  test('a clock that was a year ahead costs no token, but those that it would let live for as long', async () => {
    await using ground = await makeTestGround();
    await using first = await startServiceOn(ground);
    const before = await first.applicationToken();
    first.clock.set(YEAR_MS);
    const ahead = await first.applicationToken();
    assert.equal((await first.send('GET', KINDS, { token: ahead })).status, 200);
    first.clock.set(-YEAR_MS);
    await using second = await startServiceOn(ground);
    for (const { send } of [first, second]) {
      assert.equal((await send('GET', KINDS, { token: before })).status, 200);
      assertProblem(await send('GET', KINDS, { token: ahead }), 'unauthenticated');
    }
    assert.equal(kidOf(await second.applicationToken()), kidOf(before));
  });

  test('a process whose clock is wrong says so, and of tokens from a clock ahead what is the matter', async () => {
    await using ground = await makeTestGround();
    await using right = await startServiceOn(ground);
    const quiet = await right.send('GET', '/readyz');
    assert.ok(!quiet.text.includes('clock'), quiet.text);
    const clock = makeTestClock();
    clock.set(3_600_000);
    await using ahead = await startServiceOn(ground, { clock });
    const told = await ahead.send('GET', '/readyz');
    assert.equal(told.status, 200);
    assert.equal(at(told, 'warnings.1.code'), 'clock_differs');
    assert.match(
      textAt(told, 'warnings.1.message'),
      /^The clock of this process is 3600 s ahead of/,
    );
    const token = await ahead.applicationToken();
    const refused = await right.send('GET', KINDS, { token });
    assertProblem(refused, 'unauthenticated');
    assert.match(textAt(refused, 'message'), /clocks of the processes differ/);
  });

  test('a key that was made while the clock of the database was ahead signs nothing more', async () => {
    await using ground = await makeTestGround();
    await using first = await startServiceOn(ground);
    const future = await first.applicationToken();
    const { store } = ground;
    const list = async () =>
      (await store.signingKeys.list()).map((key) =>
        key.id === kidOf(future) ? { ...key, ageMs: key.ageMs - YEAR_MS } : key,
      );
    const corrected = { ...store, signingKeys: { ...store.signingKeys, list } };
    await using second = await startServiceOn({ ...ground, store: corrected });
    const token = await second.applicationToken();
    assert.notEqual(kidOf(token), kidOf(future));
    assert.equal((await second.send('GET', KINDS, { token: future })).status, 200);
    assert.equal((await first.send('GET', KINDS, { token })).status, 200);
  });

  test('an application may make as many calls a minute as the operator says', async () => {
    await using limited = await startServiceOn(running, { limits: { callsPerMinute: 3 } });
    const token = await limited.applicationToken();
    const read = () => limited.send('GET', KINDS, { token });
    const first = await read();
    assert.equal(first.headers.get('ratelimit-limit'), '3');
    assert.equal(first.headers.get('ratelimit-remaining'), '2');
    await read();
    assert.equal((await read()).status, 200);
    const fourth = await read();
    assertProblem(fourth, 'rate_limited');
    assert.equal(fourth.headers.get('ratelimit-remaining'), '0');
    assert.ok(Number(fourth.headers.get('retry-after')) <= 60);
    // Whoever has stolen a token may use the limit up, but not keep it by that.
    const revoked = await limited.send('POST', '/v1/tokens/revoke', { token, body: { token } });
    assert.equal(revoked.status, 204);
    assertProblem(await read(), 'unauthenticated');
    const other = await logIn(limited.send, await limited.service.createApplication('other'));
    assert.equal((await limited.send('GET', KINDS, { token: other })).status, 200);
    limited.clock.advance(60_000);
    const next = await limited.applicationToken();
    assert.equal((await limited.send('GET', KINDS, { token: next })).status, 200);
  });
});

/** The id of the key that signed a token. */
function kidOf(token: string): unknown {
  const header = Buffer.from(token.split('.')[0] ?? '', 'base64url').toString();
  return at({ body: JSON.parse(header) as unknown }, 'kid');
}
