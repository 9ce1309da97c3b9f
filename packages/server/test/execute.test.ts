import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, textAt } from './support/http-client.ts';
import { assertProblem } from './support/problem.ts';
import {
  countOf,
  someChannel,
  startServiceOn,
  useTestService,
} from './support/start-test-service.ts';
import { until } from './support/until.ts';

const USERS = { entity: 'users', action: 'list', params: { limit: 3 } };

describe('execute', async () => {
  const { running, token } = await useTestService();
  const id = await running.connector(token);
  const channel = await someChannel(running, token, id);

  const run = (body: Readonly<Record<string, unknown>>, headers = {}) =>
    running.execute(token, id, body, headers);

  test('the answer has the envelope of the contract, keys in its order', async () => {
    const answer = await run(USERS);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
    const { body } = answer;
    assert.ok(typeof body === 'object' && body !== null);
    assert.deepEqual(Object.keys(body), [
      'status',
      'result',
      'connector_metadata',
      'execution_metadata',
    ]);
    assert.equal(at(answer, 'status'), 'success');
    assert.equal(typeof at(answer, 'connector_metadata.next_cursor'), 'string');
    assert.equal(at(answer, 'execution_metadata.connector_instance_id'), id);
    assert.ok(Number.isInteger(at(answer, 'execution_metadata.execution_time_ms')));
    const requestId = answer.headers.get('x-request-id');
    assert.equal(at(answer, 'execution_metadata.request_id'), requestId);
    assert.equal(at(answer, 'execution_metadata.upstream'), 'sandbox');
  });

  test('both paths execute', async () => {
    const path = `/api/v1/integrations/connectors/${id}/execute`;
    const answer = await running.send('POST', path, { token, body: USERS });
    assert.deepEqual(at(answer, 'result'), at(await run(USERS), 'result'));
  });

  test('earlier clients check a whole connector through execute', async () => {
    const check = { entity: '*', action: 'check', params: {} };
    const reader = await running.scopedToken('user-1', { access: 'read' });
    const healthy = await running.execute(reader, id, check);
    assert.equal(healthy.status, 200);
    assert.deepEqual(at(healthy, 'result'), {
      status: 'healthy',
      error: null,
      checked_entity: 'users',
      checked_action: 'list',
    });
    assert.deepEqual(at(healthy, 'connector_metadata'), {});

    const credentials = { api_token: 'xoxb-revoked' };
    const dead = await running.connector(token, { credentials });
    const unhealthy = await running.execute(token, dead, check);
    assert.equal(unhealthy.status, 200);
    assert.equal(at(unhealthy, 'result.status'), 'unhealthy');
    assert.match(textAt(unhealthy, 'result.error'), /credentials|token_revoked|invalid_auth/);
    assert.equal(at(unhealthy, 'result.checked_entity'), 'users');
    const path = `/v1/integrations/connectors/${dead}`;
    assert.equal(at(await running.send('GET', path, { token }), 'status'), 'reauth_required');

    for (const more of [{ params: { limit: 1 } }, { select_fields: ['id'] }])
      assertProblem(await run({ ...check, ...more }), 'invalid_request');
    assertProblem(await run({ entity: '*', action: 'list' }), 'unknown_entity');
  });

  test('field selections cut records down, in the order of the record', async () => {
    const whole = await run({ ...USERS, params: { limit: 1 } });
    const cut = async (more: object) =>
      at(await run({ ...USERS, params: { limit: 1 }, ...more }), 'result.0');
    assert.deepEqual(await cut({ select_fields: ['name', 'id'] }), {
      id: at(whole, 'result.0.id'),
      name: at(whole, 'result.0.name'),
    });
    assert.deepEqual(await cut({ select_fields: ['profile.email'], exclude_fields: ['profile'] }), {
      profile: { email: at(whole, 'result.0.profile.email') },
    });
    assert.deepEqual(await cut({ select_fields: ['profile.email', 'profile'] }), {
      profile: at(whole, 'result.0.profile'),
    });
    const without = await cut({ exclude_fields: ['profile.email', 'color'] });
    assert.ok(typeof without === 'object' && without !== null);
    assert.ok(!Object.hasOwn(without, 'color'));
    assert.equal(at({ body: without }, 'profile.email'), undefined);
    assert.equal(
      at({ body: without }, 'profile.real_name'),
      at(whole, 'result.0.profile.real_name'),
    );
    assert.deepEqual(await cut({ select_fields: [] }), at(whole, 'result.0'));
    const one = await run({
      entity: 'channels',
      action: 'get',
      params: { channel },
      select_fields: ['topic.value', 'id'],
    });
    assert.deepEqual(Object.keys(at(one, 'result') ?? {}), ['id', 'topic']);
  });

  test('what the upstream says becomes the error of the table', async () => {
    const cases = [
      [{ kind: 'slackError', error: 'user_not_found' }, 'record_not_found'],
      [{ kind: 'slackError', error: 'missing_scope' }, 'upstream_forbidden'],
      [{ kind: 'slackError', error: 'invalid_cursor' }, 'invalid_cursor'],
      [{ kind: 'slackError', error: 'something_new' }, 'upstream_rejected'],
      [{ kind: 'htmlBody' }, 'upstream_contract_broken'],
      [{ kind: 'truncate', how: 'json' }, 'upstream_contract_broken'],
      [{ kind: 'arrayBody', where: 'body' }, 'upstream_contract_broken'],
      [{ kind: 'arrayBody', where: 'records' }, 'upstream_contract_broken'],
      [{ kind: 'oversize' }, 'upstream_contract_broken'],
    ] as const;
    for (const [fault, code] of cases) {
      const handle = running.sandbox.faults.add(fault);
      const answer = await run(USERS);
      handle.release();
      assertProblem(answer, code);
    }
    const rejected = running.sandbox.faults.add({ kind: 'slackError', error: 'something_new' });
    assert.equal(at(await run(USERS), 'details.upstream_code'), 'something_new');
    rejected.release();
  });

  test('an answer of 50 MB costs bounded memory', async () => {
    const fault = running.sandbox.faults.add({ kind: 'oversize', bytes: 50_000_000 });
    const bytesBefore = process.memoryUsage().rss;
    const answers = await Promise.all([run(USERS), run(USERS)]);
    fault.release();
    for (const answer of answers) assertProblem(answer, 'upstream_contract_broken');
    // The sandbox lives in this process as well; what must not be is several times the answers.
    assert.ok(process.memoryUsage().rss - bytesBefore < 300_000_000);
  });

  test('trouble of the upstream ends at the deadline that the caller gave', async () => {
    const deadline = { 'patchbay-timeout-ms': '500' };
    const cases = [
      // Where the deadline finds an attempt under way, that attempt's end is what is told.
      [{ kind: 'serverError' }, ['upstream_unavailable', 'upstream_timeout']],
      [{ kind: 'cutConnection' }, ['upstream_unavailable', 'upstream_timeout']],
      [{ kind: 'rateLimit', retryAfterSeconds: 30 }, ['upstream_rate_limited']],
      [{ kind: 'hang' }, ['upstream_timeout']],
    ] as const;
    for (const [fault, codes] of cases) {
      const connectorId = await running.connector(token);
      const handle = running.sandbox.faults.add(fault);
      const answer = await running.execute(token, connectorId, USERS, deadline);
      handle.release();
      const code = codes.find((each) => each === at(answer, 'code')) ?? codes[0];
      assertProblem(answer, code);
      if (code === 'upstream_rate_limited') assert.equal(answer.headers.get('retry-after'), '30');
    }
  });

  test('a write whose answer is lost is of unknown outcome, and was sent once', async () => {
    const write = { entity: 'messages', action: 'create', params: { channel, text: 'once' } };
    running.sandbox.resetRequests();
    for (const fault of [
      { kind: 'cutConnection', afterApplying: true },
      { kind: 'serverError', afterApplying: true },
      { kind: 'htmlBody', afterApplying: true },
    ] as const) {
      const handle = running.sandbox.faults.add(fault);
      const answer = await run(write);
      handle.release();
      assertProblem(answer, 'write_outcome_unknown');
      assert.equal(at(answer, 'retry'), 'never');
    }
    assert.equal(countOf(running.sandbox, 'chat.postMessage'), 3);
  });

  test('an accepted write that cannot be shown carries applied: true', async () => {
    const connectorId = await running.connector(token);
    const bare = running.sandbox.faults.add({ kind: 'bareWrites' });
    const readBack = running.sandbox.faults.add({
      kind: 'slackError',
      error: 'missing_scope',
      method: 'conversations.info',
    });
    const answer = await running.execute(token, connectorId, {
      entity: 'channel_topics',
      action: 'create',
      params: { channel, topic: 'applied' },
    });
    bare.release();
    readBack.release();
    assertProblem(answer, 'upstream_forbidden');
    assert.equal(at(answer, 'details.applied'), true);
    assert.equal(at(answer, 'retry'), 'never');
  });

  test('where an upstream is that is not there is told in the log alone, with its setting', async () => {
    await using lost = await startServiceOn(running, {
      upstreams: { 'chat-workspace': { baseUrl: 'http://127.0.0.1:9/api' } },
    });
    const lostToken = await lost.applicationToken();
    const connectorId = await lost.connector(lostToken);
    const answer = await lost.execute(lostToken, connectorId, USERS, {
      'patchbay-timeout-ms': '3000',
    });
    assertProblem(answer, 'upstream_unavailable');
    for (const hidden of ['127.0.0.1', 'PATCHBAY_UPSTREAM_URL'])
      assert.ok(!answer.text.includes(hidden), answer.text);
    const told = lost.log.lines().filter(({ msg }) => String(msg).includes('cannot be reached'));
    assert.equal(told.length, 1, 'not at each attempt');
    assert.partialDeepStrictEqual(told[0], { level: 40, kind: 'chat-workspace' });
    assert.match(
      String(told[0]?.['msg']),
      /at http:\/\/127\.0\.0\.1:9: .*ECONNREFUSED.* PATCHBAY_UPSTREAM_URL_CHAT_WORKSPACE/,
    );
  });

  test('a client that goes ends its read upstream, but not its write', async () => {
    const logged = (code: string) =>
      running.log.lines().filter((line) => line['code'] === code).length;
    const leave = async (body: Readonly<Record<string, unknown>>, method: string) => {
      const hang = running.sandbox.faults.add({ kind: 'hang', method, afterApplying: true });
      const controller = new AbortController();
      const call = running.send('POST', `/api/v1/connectors/sources/${id}/execute`, {
        token,
        body,
        signal: controller.signal,
      });
      await hang.whenHit();
      controller.abort();
      await assert.rejects(call);
      return hang;
    };
    running.log.clear();
    const read = await leave(USERS, 'users.list');
    await until(() => logged('client_disconnected') === 1);
    read.release();
    const params = { channel, text: 'I have to go' };
    const write = await leave({ entity: 'messages', action: 'create', params }, 'chat.postMessage');
    write.release();
    await until(() =>
      running.log.lines().some((line) => line['entity'] === 'messages' && line['code'] === 'ok'),
    );
  });

  test('hundreds of calls at once are answered each with its own record', async () => {
    const page = await run({ ...USERS, params: { limit: 50 } });
    const users = Array.from({ length: 50 }, (_, index) => textAt(page, `result.${index}.id`));
    const calls = Array.from({ length: 300 }, (_, index) => users[index % 50]);
    const answers = await Promise.all(
      calls.map((user) => run({ entity: 'users', action: 'get', params: { user } })),
    );
    assert.deepEqual(
      answers.map((answer) => at(answer, 'result.id')),
      calls,
    );
    const ids = new Set(answers.map((answer) => at(answer, 'execution_metadata.request_id')));
    assert.equal(ids.size, 300);
  });
});
