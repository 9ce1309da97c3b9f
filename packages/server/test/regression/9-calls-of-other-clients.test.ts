import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { KINDS, type KindName } from '@patchbay/connectors';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import type { UpstreamSettings } from '../../src/index.ts';
import { at, textAt, type TestAnswer } from '../support/http-client.ts';
import { assertProblem } from '../support/problem.ts';
import {
  connectorBody,
  startTestService,
  type TestService,
} from '../support/start-test-service.ts';

describe('calls as other clients of the protocol make them', () => {
  let upstream: Sandbox;
  let running: TestService;
  let token: string;
  const ids = new Map<KindName, string>();

  before(async () => {
    upstream = await startSandbox({ scale: 20 });
    const { urls } = upstream;
    const limits = 'reactive' as const;
    const upstreams: UpstreamSettings = {
      'support-chat': { baseUrl: urls.zendeskChat, limits },
      'customer-messaging': { baseUrl: urls.intercom, limits },
      'support-ticketing': { baseUrl: urls.zendeskSupport, limits },
    };
    running = await startTestService({ upstreams });
    token = await running.applicationToken();
    for (const kind of ['support-chat', 'customer-messaging', 'support-ticketing'] as const) {
      const body = connectorBody({
        connector_type: kind,
        credentials: { access_token: 'opens-the-sandbox' },
        replication_config: undefined,
      });
      const answer = await running.send('POST', '/v1/integrations/connectors', { token, body });
      assert.equal(answer.status, 201, answer.text);
      ids.set(kind, textAt(answer, 'id'));
    }
  });
  after(async () => {
    await running[Symbol.asyncDispose]();
    await upstream.close();
  });

  async function execute(
    kind: KindName,
    entity: string,
    action: string,
    params: object,
  ): Promise<TestAnswer> {
    const id = ids.get(kind) ?? assert.fail(KINDS[kind].kind);
    const path = `/api/v1/connectors/sources/${id}/execute`;
    return running.send('POST', path, { token, body: { entity, action, params } });
  }

  test('an id is a string', async () => {
    const list = await execute('support-ticketing', 'tickets', 'list', { limit: '1' });
    assert.equal(list.status, 200, list.text);
    const id = at(list, 'result.0.id');
    const read = await execute('support-ticketing', 'tickets', 'get', { ticket_id: String(id) });
    assert.equal(read.status, 200, read.text);
    assert.equal(at(read, 'result.id'), id);
    const wrong = await execute('support-ticketing', 'tickets', 'get', { ticket_id: '01' });
    assertProblem(wrong, 'invalid_params');
  });

  const lists = [
    ['support-chat', 'agents', 1],
    ['support-chat', 'departments', undefined],
    ['customer-messaging', 'contacts', 1],
    ['customer-messaging', 'teams', undefined],
    ['support-ticketing', 'tickets', 1],
    ['support-ticketing', 'sla_policies', 1],
  ] as const;
  for (const [kind, entity, count] of lists)
    test(`${entity} of ${kind} are asked for one, to see whether that works`, async () => {
      const answer = await execute(kind, entity, 'list', { limit: 1 });
      assert.equal(answer.status, 200, answer.text);
      const result = at(answer, 'result');
      assert.ok(Array.isArray(result));
      if (count === undefined) assert.ok(result.length > 1);
      else assert.equal(result.length, count);
      const many = await execute(kind, entity, 'list', { limit: 1_000_000 });
      assert.equal(many.status, 200, many.text);
    });

  test('under both of its names a page size is refused', async () => {
    const params = { limit: 1, per_page: 1 };
    const answer = await execute('customer-messaging', 'contacts', 'list', params);
    assertProblem(answer, 'invalid_params');
    assert.equal(at(answer, 'errors.0.field'), 'params.limit');
  });

  test('a shortcut is read by its name', async () => {
    const shortcut_id = 'sign up';
    const answer = await execute('support-chat', 'shortcuts', 'get', { shortcut_id });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(at(answer, 'result.id'), shortcut_id);
  });
});
