import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { systemClock } from '@patchbay/connectors/engine';
import { setTimeout as wait } from 'node:timers/promises';
import { startSandbox } from '@patchbay/sandbox';
import { makeBrowser, makeSession } from './support/connect-page.ts';
import { at, textAt, type TestAnswer } from './support/http-client.ts';
import { openMcp } from './support/mcp-session.ts';
import { assertProblem } from './support/problem.ts';
import { connectorBody, useTestService } from './support/start-test-service.ts';

const COLLECTION = '/v1/integrations/connectors';
const REAL = 'token-of-a-real-vendor';
const SENTENCE = 'Such credentials are for another upstream; nothing is sent.';

const codesOf = (answer: TestAnswer, path = 'warnings'): unknown => {
  const warnings = at(answer, path);
  assert.ok(Array.isArray(warnings), answer.text);
  return warnings.map((_, index) => at(answer, `${path}.${index}.code`));
};

describe('credentials that the set upstream does not take', async () => {
  const sandbox = await startSandbox();
  after(() => sandbox.close());
  const { running, token } = await useTestService({
    upstreams: {
      'chat-workspace': {
        baseUrl: sandbox.urls.slack,
        label: 'stand-in',
        limits: 'reactive',
        refuses: (values) => (values['api_token']?.includes(REAL) === true ? SENTENCE : undefined),
      },
    },
    role: 'all',
    clock: systemClock,
  });
  const { send } = running;
  const create = (changes: object = {}) =>
    send('POST', COLLECTION, {
      token,
      body: connectorBody({ credentials: { api_token: REAL }, ...changes }),
    });

  /** The status once the first sync has ended. */
  const syncedStatus = async (item: string): Promise<TestAnswer> => {
    for (;;) {
      const status = await send('GET', `${item}/sync`, { token });
      assert.equal(status.status, 200, status.text);
      if (at(status, 'last') !== null) return status;
      await wait(50);
    }
  };

  test('are stored, with a warning wherever the connector is shown', async () => {
    const created = await create({ external_user_id: 'warned' });
    assert.equal(created.status, 201);
    assert.deepEqual(at(created, 'warnings'), [
      { code: 'credentials_out_of_place', message: SENTENCE, field: 'credentials' },
    ]);
    const item = `${COLLECTION}/${textAt(created, 'id')}`;
    for (const path of [item, `${item}/inspect`])
      assert.deepEqual(codesOf(await send('GET', path, { token })), ['credentials_out_of_place']);
    const listed = await send('GET', `${COLLECTION}?external_user_id=warned`, { token });
    assert.deepEqual(codesOf(listed, 'data.0.warnings'), ['credentials_out_of_place']);
  });

  test('go nowhere: calls, checks, syncs and models are refused in the same words', async () => {
    sandbox.resetRequests();
    const id = textAt(await create({ external_user_id: 'refused' }), 'id');
    const item = `${COLLECTION}/${id}`;
    const list = { entity: 'users', action: 'list' };
    for (let turn = 1; turn <= 2; turn++) {
      const answer = await running.execute(token, id, list);
      assertProblem(answer, 'credentials_out_of_place');
      assert.equal(textAt(answer, 'detail'), SENTENCE);
    }
    const checked = await send('POST', `${item}/check`, { token });
    assert.partialDeepStrictEqual(checked.body, { status: 'failed', error_message: SENTENCE });
    assert.deepEqual(codesOf(checked), ['credentials_out_of_place']);
    const health = { entity: '*', action: 'check', params: {} };
    const healthy = await running.execute(token, id, health);
    assert.partialDeepStrictEqual(at(healthy, 'result'), { status: 'unhealthy', error: SENTENCE });
    const status = await syncedStatus(item);
    assert.equal(at(status, 'last.state'), 'failed');
    assert.equal(at(status, 'entities.0.error.code'), 'credentials_out_of_place');
    assert.equal(at(status, 'entities.0.error.message'), SENTENCE);
    const search = { entity: 'users', action: 'search', params: { query: {} } };
    const unready = await running.execute(token, id, search);
    assertProblem(unready, 'search_not_ready');
    assert.ok(textAt(unready, 'detail').endsWith(SENTENCE), unready.text);
    await using session = await openMcp(running, await running.scopedToken('refused'));
    const failed = await session.fail('execute', { ...list, connector: id });
    assert.equal(at(failed, 'message'), SENTENCE);
    assert.deepEqual(sandbox.requests(), []);
    // Where another upstream is set some day, it works as it is.
    assert.notEqual(at(await send('GET', item, { token }), 'status'), 'reauth_required');
  });

  test('are refused where they were to be verified, and where they replace what works', async () => {
    sandbox.resetRequests();
    const verified = await create({ verify: true });
    assertProblem(verified, 'credentials_out_of_place');
    assert.equal(textAt(verified, 'detail'), SENTENCE);
    assert.deepEqual(sandbox.requests(), []);
    const id = await running.connector(token, { external_user_id: 'changed' });
    assert.equal((await send('POST', `${COLLECTION}/${id}/check`, { token })).status, 200);
    const body = { credentials: { api_token: REAL } };
    const patched = await send('PATCH', `${COLLECTION}/${id}`, { token, body });
    assertProblem(patched, 'credentials_out_of_place');
    const list = { entity: 'users', action: 'list', params: { limit: 1 } };
    assert.equal((await running.execute(token, id, list)).status, 200);
  });

  test('work once they are others', async () => {
    const id = textAt(await create({ external_user_id: 'mended' }), 'id');
    const body = { credentials: { api_token: 'made-up' } };
    const patched = await send('PATCH', `${COLLECTION}/${id}`, { token, body });
    assert.deepEqual(at(patched, 'warnings'), []);
    const list = { entity: 'users', action: 'list', params: { limit: 1 } };
    assert.equal((await running.execute(token, id, list)).status, 200);
  });

  test('are refused on the page where people enter them, in the same words', async () => {
    const { id, url } = await makeSession(running, token);
    const browser = makeBrowser(running);
    assert.equal((await browser.open(url)).status, 200);
    const answer = await browser.submit(id, { credentials: { api_token: REAL } });
    assertProblem(answer, 'credentials_out_of_place');
    assert.equal(textAt(answer, 'detail'), SENTENCE);
  });

  test('are told by nothing: no answer, no log line', () => {
    assert.ok(!running.log.text().includes(REAL));
    assert.ok(!sandbox.requests().some((entry) => JSON.stringify(entry).includes(REAL)));
  });
});

/** Of a Zendesk connector. */
const zendeskBody = (config?: object) =>
  connectorBody({
    connector_type: 'zendesk-support',
    credentials: { email: 'agent@example.com', api_token: 'made-up' },
    replication_config: null,
    ...(config === undefined ? {} : { config }),
  });

describe('a subdomain that is missing', async () => {
  test('is warned of without the address of an upstream that has no name', async () => {
    await using sandbox = await startSandbox();
    const baseUrl = sandbox.urls.zendeskSupport;
    const { running, token } = await useTestService({
      upstreams: { 'support-ticketing': { baseUrl } },
    });
    const created = await running.send('POST', COLLECTION, { token, body: zendeskBody() });
    const message = textAt(created, 'warnings.0.message');
    assert.match(message, /The upstream that this service is set to does without it;/);
    assert.ok(!created.text.includes(new URL(baseUrl).host), created.text);
  });

  test('is warned of where the set upstream needs none: what the real one needs', async () => {
    await using sandbox = await startSandbox();
    const { running, token } = await useTestService({
      upstreams: {
        'support-ticketing': { baseUrl: sandbox.urls.zendeskSupport, label: 'stand-in' },
      },
    });
    const created = await running.send('POST', COLLECTION, { token, body: zendeskBody() });
    assert.equal(created.status, 201);
    assert.equal(at(created, 'warnings.0.code'), 'config_missing');
    assert.equal(at(created, 'warnings.0.field'), 'config.subdomain');
    const message = textAt(created, 'warnings.0.message');
    assert.match(message, /stand-in\) does without it; against the real upstream, every call/);
    const id = textAt(created, 'id');
    assert.ok(
      message.endsWith(`PATCH ${COLLECTION}/${id} {"config":{"subdomain":"<subdomain>"}}`),
      message,
    );
    const list = { entity: 'tickets', action: 'list' };
    assert.equal((await running.execute(token, id, list)).status, 200);
    const given = { config: { subdomain: 'acme' } };
    const mended = await running.send('PATCH', `${COLLECTION}/${id}`, { token, body: given });
    assert.ok(!mended.text.includes('config_missing'));
  });

  test('is warned of where calls fail without it', async () => {
    const { running, token } = await useTestService({ upstreams: {} });
    const created = await running.send('POST', COLLECTION, { token, body: zendeskBody() });
    assert.match(
      textAt(created, 'warnings.0.message'),
      /Until it has, every call .* fails with config_required/,
    );
    const id = textAt(created, 'id');
    const list = { entity: 'tickets', action: 'list' };
    assertProblem(await running.execute(token, id, list), 'config_required');
    const whole = await running.send('POST', COLLECTION, {
      token,
      body: zendeskBody({ subdomain: 'acme' }),
    });
    assert.ok(!whole.text.includes('config_missing'));
  });

  test('a start date that is still to come is warned of', async () => {
    const { running, token } = await useTestService({ upstreams: {} });
    const { replication_config: usual } = connectorBody() as { replication_config: object };
    const start_date = '9999-01-01T00:00:00Z';
    const body = connectorBody({ replication_config: { ...usual, start_date } });
    const created = await running.send('POST', COLLECTION, { token, body });
    assert.equal(created.status, 201, created.text);
    assert.deepEqual(codesOf(created), ['start_date_ahead']);
    assert.equal(at(created, 'warnings.0.field'), 'replication_config.start_date');
    const mended = await running.send('PATCH', `${COLLECTION}/${textAt(created, 'id')}`, {
      token,
      body: { replication_config: { start_date: '2025-01-01T00:00:00Z' } },
    });
    assert.deepEqual(codesOf(mended), []);
  });

  test('is no matter of kinds that have none', async () => {
    const { running, token } = await useTestService({ upstreams: {} });
    const created = await running.send('POST', COLLECTION, { token, body: connectorBody() });
    assert.deepEqual(at(created, 'warnings'), []);
  });
});
