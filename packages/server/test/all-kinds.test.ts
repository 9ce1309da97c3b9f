import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ConnectorKind } from '@patchbay/connectors';
import { allKinds } from '@patchbay/connectors/engine';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import type { UpstreamSettings } from '../src/index.ts';
import { at, textAt, type TestAnswer } from './support/http-client.ts';
import { assertProblem } from './support/problem.ts';
import { connectorBody, startTestService, type TestService } from './support/start-test-service.ts';

const PATHS = [
  (id: string) => `/api/v1/connectors/sources/${id}/execute`,
  (id: string) => `/api/v1/integrations/connectors/${id}/execute`,
];

/** What creating a connector of a kind takes; the credentials of its first method. */
function bodyOf(kind: ConnectorKind): Readonly<Record<string, unknown>> {
  const [method] = Object.values(kind.auth);
  const fields = Object.entries(method?.fields ?? {}).filter(([, { isRequired }]) => isRequired);
  const credentials = Object.fromEntries(fields.map(([name]) => [name, `${name}-of-a-test`]));
  return connectorBody({
    connector_type: undefined,
    definition_id: kind.definitionId,
    credentials,
    ...(kind.requiresReplicationConfig ? {} : { replication_config: undefined }),
  });
}

describe('every kind, hosted', () => {
  let upstream: Sandbox;
  let running: TestService;
  let token: string;
  const ids = new Map<string, string>();

  before(async () => {
    upstream = await startSandbox({ scale: 20 });
    const { urls } = upstream;
    const limits = 'reactive' as const;
    const upstreams: UpstreamSettings = {
      'chat-workspace': { baseUrl: urls.slack, limits },
      'support-chat': { baseUrl: urls.zendeskChat, limits },
      'customer-messaging': { baseUrl: urls.intercom, limits },
      'support-ticketing': {
        baseUrl: urls.zendeskSupport,
        limits,
        fileOrigins: [urls.zendeskFiles],
      },
    };
    running = await startTestService({ upstreams });
    token = await running.applicationToken();
    for (const kind of allKinds()) {
      const body = bodyOf(kind);
      const answer = await running.send('POST', '/v1/integrations/connectors', { token, body });
      assert.equal(answer.status, 201, answer.text);
      assert.equal(at(answer, 'connector_type'), kind.kind);
      ids.set(kind.kind, textAt(answer, 'id'));
    }
  });
  after(async () => {
    await running[Symbol.asyncDispose]();
    await upstream.close();
  });

  const execute = (
    kind: string,
    body: Readonly<Record<string, unknown>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TestAnswer> => running.execute(token, ids.get(kind) ?? '', body, headers);

  for (const kind of allKinds())
    test(`${kind.kind} reads every entity that needs no other, on all paths`, async () => {
      for (const { entity, action, params } of kind.checks)
        for (const path of PATHS) {
          const body = { entity, action, params };
          const answer = await running.send('POST', path(ids.get(kind.kind) ?? ''), {
            token,
            body,
          });
          assert.equal(answer.status, 200, answer.text);
          const [record] = [at(answer, 'result.0'), at(answer, 'result')].filter(
            (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
          );
          const names = Object.keys(kind.entities[entity]?.record ?? {});
          assert.deepEqual(Object.keys(record ?? {}), names, `${entity}.${action}`);
        }
    });

  for (const kind of allKinds())
    test(`${kind.kind} is found by its definition id, and its check succeeds`, async () => {
      const query = `external_user_id=user-1&definition_id=${kind.definitionId}`;
      const found = await running.send('GET', `/api/v1/connectors/connectors_for_user?${query}`, {
        token,
      });
      assert.equal(at(found, 'connectors.0.id'), ids.get(kind.kind));
      const path = `/v1/integrations/connectors/${ids.get(kind.kind) ?? ''}/check`;
      const check = await running.send('POST', path, { token });
      assert.equal(at(check, 'status'), 'succeeded', check.text);
    });

  test('only chat-workspace writes', async () => {
    for (const kind of allKinds().filter((each) => each.kind !== 'chat-workspace'))
      for (const entity of Object.keys(kind.entities))
        for (const action of ['create', 'update', 'delete']) {
          const answer = await execute(kind.kind, { entity, action, params: {} });
          assertProblem(answer, 'unsupported_action');
        }
  });

  test('a download is streamed, whole or in part, and comes inside JSON on demand', async () => {
    const comments = await execute('support-ticketing', {
      entity: 'ticket_comments',
      action: 'list',
      params: { ticket_id: 1 },
    });
    const attachment_id = at(comments, 'result.0.attachments.0.id');
    const size = at(comments, 'result.0.attachments.0.size');
    const call = { entity: 'attachments', action: 'download', params: { attachment_id } };
    const whole = await execute('support-ticketing', call);
    assert.equal(whole.status, 200, whole.text.slice(0, 200));
    assert.equal(whole.headers.get('content-length'), String(size));
    assert.equal(whole.headers.get('content-disposition'), 'attachment');
    const part = await execute('support-ticketing', {
      ...call,
      params: { attachment_id, range_header: 'bytes=0-9' },
    });
    assert.deepEqual([part.status, part.headers.get('content-length')], [206, '10']);
    const inline = await execute('support-ticketing', call, { accept: 'application/json' });
    assert.equal(at(inline, 'size'), size);
    assert.equal(Buffer.from(textAt(inline, 'content_base64'), 'base64').length, size);
    const large = at(comments, 'result.0.attachments.2.id');
    const refused = await execute(
      'support-ticketing',
      { ...call, params: { attachment_id: large } },
      { accept: 'application/json' },
    );
    assertProblem(refused, 'invalid_request');
    upstream.faults.add({
      kind: 'truncate',
      how: 'connection',
      method: 'GET /files/{file}',
      times: 1,
    });
    const logged = running.log.nextCall();
    await assert.rejects(execute('support-ticketing', call));
    assert.equal(await logged, 'upstream_unavailable', 'the log tells how it went in the end');
  });
});

test('a call that needs the subdomain says so, with the request that mends it', async () => {
  await using upstream = await startSandbox({ scale: 10 });
  const baseUrl = `${upstream.urls.zendeskSupport}?{subdomain}`.replace('?', '/');
  await using running = await startTestService({
    upstreams: { 'support-ticketing': { baseUrl, limits: 'reactive' } },
  });
  const token = await running.applicationToken();
  const id = await running.connector(token, {
    connector_type: 'zendesk_support',
    credentials: { access_token: 'of-a-test' },
    replication_config: undefined,
  });
  const call = { entity: 'tickets', action: 'list', params: {} };
  for (const config of [undefined, { subdomain: 'your-subdomain' }]) {
    if (config !== undefined) {
      const body = { config };
      await running.send('PATCH', `/v1/integrations/connectors/${id}`, { token, body });
    }
    const answer = await running.execute(token, id, call);
    assertProblem(answer, 'config_required');
    assert.match(textAt(answer, 'detail'), new RegExp(`PATCH /v1/integrations/connectors/${id}`));
  }
  const path = `/v1/integrations/connectors/${id}`;
  for (const subdomain of ['x.evil', 'UPPER', '-a', 'a/b', '']) {
    const answer = await running.send('PATCH', path, { token, body: { config: { subdomain } } });
    assertProblem(answer, 'invalid_config');
  }
});
