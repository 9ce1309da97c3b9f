import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { at, type TestAnswer } from './support/http-client.ts';
import { assertProblem } from './support/problem.ts';
import {
  connectorBody,
  countOf,
  logIn,
  startServiceOn,
  useTestService,
} from './support/start-test-service.ts';

const COLLECTION = '/v1/integrations/connectors';

const { running, token } = await useTestService({
  quotas: { connectorsPerUser: 3, connectorsPerApplication: 5 },
});

const create = (externalUserId: string, as = token, send = running.send) =>
  send('POST', COLLECTION, {
    token: as,
    body: connectorBody({ external_user_id: externalUserId }),
  });

describe('checks', async () => {
  const { running: own, token: as } = await useTestService();
  const id = await own.connector(as);
  const check = (signal?: AbortSignal) =>
    own.send('POST', `${COLLECTION}/${id}/check`, {
      token: as,
      ...(signal === undefined ? {} : { signal }),
    });
  const health = async () =>
    at(await own.execute(as, id, { entity: '*', action: 'check' }), 'result.status');
  const asked = () => countOf(own.sandbox, 'users.list');
  beforeEach(() => {
    own.clock.advance(5_000);
    own.sandbox.resetRequests();
  });

  test('soon after one another get the last answer, by either way', async () => {
    const first = await check();
    assert.equal(at(first, 'status'), 'succeeded');
    assert.deepEqual((await check()).body, first.body);
    assert.equal(await health(), 'healthy');
    assert.equal(asked(), 1);
    own.clock.advance(5_000);
    assert.equal(await health(), 'healthy');
    assert.equal(asked(), 2);
  });

  test('that failed are remembered too, but not when the same credentials are given again', async () => {
    const fault = own.sandbox.faults.add({ kind: 'revokeToken' });
    assert.equal(await health(), 'unhealthy');
    fault.release();
    assert.equal(at(await check(), 'status'), 'failed');
    const body = { credentials: { api_token: 'xoxb-test' } };
    const patched = await own.send('PATCH', `${COLLECTION}/${id}`, { token: as, body });
    assert.equal(at(patched, 'status'), 'active');
    assert.equal(at(await check(), 'status'), 'succeeded');
    assert.equal(asked(), 2);
  });

  test('are made anew for other credentials, and after calls have shown another state', async () => {
    assert.equal(await health(), 'healthy');
    const fault = own.sandbox.faults.add({ kind: 'revokeToken' });
    const users = { entity: 'users', action: 'list', params: { limit: 1 } };
    assertProblem(await own.execute(as, id, users), 'credentials_rejected');
    assert.equal(await health(), 'unhealthy');
    fault.release();
    const body = { credentials: { api_token: 'xoxb-other' } };
    await own.send('PATCH', `${COLLECTION}/${id}`, { token: as, body });
    assert.equal(await health(), 'healthy');
    assert.equal(asked(), 4);
  });

  test('at once share one, which goes on while anybody waits for it', async () => {
    const hang = own.sandbox.faults.add({ kind: 'hang', method: 'users.list' });
    const leaving = new AbortController();
    const left = assert.rejects(check(leaving.signal));
    await hang.whenHit();
    const others = [check(), check(), health()];
    // They join it in the order in which they arrive, so after an answer to a later call they have.
    await own.send('GET', `${COLLECTION}/${id}`, { token: as });
    leaving.abort();
    await left;
    await own.send('GET', `${COLLECTION}/${id}`, { token: as });
    hang.release();
    const [first, second, healthy] = await Promise.all(others);
    assert.equal(at(first as TestAnswer, 'status'), 'succeeded');
    assert.deepEqual((second as TestAnswer).body, (first as TestAnswer).body);
    assert.equal(healthy, 'healthy');
    assert.equal(asked(), 1);
  });

  test('that everybody has left are ended, and the next one is another', async () => {
    const hang = own.sandbox.faults.add({ kind: 'hang', method: 'users.list' });
    const leaving = new AbortController();
    const left = assert.rejects(check(leaving.signal));
    await hang.whenHit();
    leaving.abort();
    await left;
    await own.log.nextCall();
    own.sandbox.faults.clear();
    assert.equal(at(await check(), 'status'), 'succeeded');
    assert.equal(asked(), 2);
  });
});

describe('quotas of connectors', () => {
  test('hold for an external user and for an application, whoever asks, until one is deleted', async () => {
    const own = await running.scopedToken('one');
    const first = await create('one', own);
    assert.equal(first.status, 201, first.text);
    for (const as of [own, token]) assert.equal((await create('one', as)).status, 201);
    for (const as of [own, token]) {
      const refused = await create('one', as);
      assertProblem(refused, 'quota_exceeded');
      assert.equal(refused.status, 409);
      assert.equal(at(refused, 'retry'), 'never');
      assert.deepEqual(at(refused, 'details'), { limit: 3, of: 'external_user' });
      assert.ok(!refused.text.includes('PATCHBAY_'), 'a setting is not for tenants');
    }
    for (const user of ['two', 'three']) assert.equal((await create(user)).status, 201);
    const full = await create('four');
    assertProblem(full, 'quota_exceeded');
    assert.deepEqual(at(full, 'details'), { limit: 5, of: 'application' });
    assert.ok(running.log.text().includes('"setting":"PATCHBAY_MAX_CONNECTORS_PER_APPLICATION"'));

    const another = await logIn(running.send, await running.service.createApplication('another'));
    assert.equal((await create('one', another)).status, 201);

    const deleted = await running.send('DELETE', `${COLLECTION}/${String(at(first, 'id'))}`, {
      token: own,
    });
    assert.equal(deleted.status, 202);
    assert.equal((await create('four')).status, 201);
    assertProblem(await create('five'), 'quota_exceeded');
  });

  test('cannot be slipped under by asking two processes at once', async () => {
    await using second = await startServiceOn(running, {
      quotas: { connectorsPerUser: 3, connectorsPerApplication: 5 },
    });
    const as = await second.applicationToken();
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        create('crowd', as, index % 2 === 0 ? running.send : second.send),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 201).length, 3);
    for (const answer of answers)
      if (answer.status !== 201) assertProblem(answer, 'quota_exceeded');
  });
});
