import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import * as fc from 'fast-check';
import { at, type TestAnswer, type TestRequest } from './support/http-client.ts';
import { openMcp } from './support/mcp-session.ts';
import { assertProblem } from './support/problem.ts';
import { someChannel, startServiceOn, useTestService } from './support/start-test-service.ts';
import { until } from './support/until.ts';

const ACCEPT = { accept: 'application/json, text/event-stream' };

function callOf(name: string, args: object) {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
}

const LIST = callOf('execute', { entity: 'users', action: 'list', params: { limit: 1 } });

/** The first message of a client, with other params. */
function initialize(params: object) {
  const usual = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'a', version: '1' },
  };
  return { jsonrpc: '2.0', id: 'first', method: 'initialize', params: { ...usual, ...params } };
}

function withIcons(icons: readonly unknown[]) {
  return initialize({ clientInfo: { name: 'a', version: '1', icons } });
}

/** What a tool answered, out of the one event of the answer. */
function resultOf({ text }: TestAnswer) {
  const [, data = '{}'] = /^data: (.+)$/m.exec(text) ?? [];
  const body: unknown = JSON.parse(data);
  return { body: at({ body }, 'result.structuredContent'), text };
}

describe('/mcp', async () => {
  const { running } = await useTestService();
  const token = await running.scopedToken('user-1');
  const id = await running.connector(token);

  const post = (body: unknown, { headers, ...request }: TestRequest = {}) =>
    running.send('POST', '/mcp', { token, body, headers: { ...ACCEPT, ...headers }, ...request });

  test('it wants a scoped token: an application token is none for a model', async () => {
    assertProblem(await post(LIST, { token: await running.applicationToken() }), 'forbidden');
    assertProblem(await post(LIST, { token: undefined }), 'unauthenticated');
    assertProblem(await post(LIST, { token: `${token}x` }), 'unauthenticated');
    await assert.rejects(openMcp(running, `${token}x`), { status: 401 });
  });

  test('pages of other sites are refused, programs and pages of this machine are not', async () => {
    for (const origin of ['https://evil.example', 'http://localhost.evil.example', 'null', 'x'])
      assertProblem(await post(LIST, { headers: { origin } }), 'forbidden');
    for (const origin of ['http://localhost:6274', 'http://127.0.0.1', 'http://[::1]:3000'])
      assert.equal((await post(LIST, { headers: { origin } })).status, 200);
    assert.equal((await post(LIST)).status, 200);
  });

  test('there are no sessions: a call needs no handshake, and GET and DELETE nothing to act on', async () => {
    const answer = await post(LIST, { headers: { 'mcp-protocol-version': '2025-06-18' } });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('mcp-session-id'), null);
    assert.equal(at(resultOf(answer), 'data.length'), 1);
    for (const method of ['GET', 'DELETE']) {
      const refused = await running.send(method, '/mcp', { token, headers: ACCEPT });
      assertProblem(refused, 'method_not_allowed');
      assert.equal(refused.headers.get('allow'), 'POST');
    }
  });

  test('the line for curl in the OpenAPI document works as it stands there', async () => {
    const document = await running.send('GET', '/openapi.json');
    const description = String(at(document, 'paths./mcp.post.description'));
    const [, line = ''] = /```sh\n(.+)\n```/.exec(description) ?? [];
    const { url } = running.service;
    const environment = { ...process.env, PATCHBAY_BASE_URL: url, TOKEN: token };
    const { stdout } = await promisify(execFile)('sh', ['-c', line], { env: environment });
    assert.match(stdout, /"name":"execute"/);
  });

  test('bodies have the limits of every route', async () => {
    assertProblem(await post('{"jsonrpc":'), 'malformed_json');
    assertProblem(await post([LIST]), 'malformed_json');
    assertProblem(await post(undefined), 'malformed_json');
    assertProblem(await post({ ...LIST, more: 'x'.repeat(1_048_576) }), 'body_too_large');
    const text = { headers: { 'content-type': 'text/plain' } };
    assertProblem(await post(LIST, text), 'unsupported_media_type');
  });

  test('what is no MCP is told in the terms of MCP', async () => {
    for (const [body, headers, status] of [
      [{ jsonrpc: '1.0' }, {}, 400],
      [{ jsonrpc: '2.0', id: 1 }, {}, 400],
      [LIST, { 'mcp-protocol-version': '1999-01-01' }, 400],
      [LIST, { accept: 'text/html' }, 406],
    ] as const) {
      const answer = await post(body, { headers });
      assert.equal(answer.status, status, answer.text);
      assert.equal(typeof at(answer, 'error.code'), 'number');
      assert.ok(answer.headers.has('x-request-id'));
    }
    const notified = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    assert.equal(notified.status, 202);
    assert.equal(notified.text, '');
    assert.equal(notified.headers.get('content-type'), null);
  });

  test('a message of very many values is refused in a few words', async () => {
    for (const [body, answeredId] of [
      [withIcons(Array.from({ length: 9_900 }, () => ({}))), 'first'],
      [withIcons(Array<number>(19_900).fill(1)), 'first'],
      [{ ...callOf('execute', {}), more: Array<number>(500).fill(1) }, 1],
      [{ ...callOf('execute', {}), method: 'x', id: Array<number>(15_000).fill(1) }, null],
      [{ ...callOf('execute', Array<number>(500).fill(1)), method: 'prompts/get' }, 1],
    ] as const) {
      const answer = await post(body);
      assert.equal(answer.status, 400);
      assert.ok(answer.text.length < 500, `${answer.text.length}`);
      assert.equal(at(answer, 'error.code'), -32_600);
      assert.match(
        String(at(answer, 'error.message')),
        /^Invalid Request: .* more than 500 values/,
      );
      assert.equal(at(answer, 'id'), answeredId);
    }
  });

  test('the arguments of a tool may be many, and so may what a client says of itself', async () => {
    const fields = Array<string>(600).fill('id');
    const answer = await post(callOf('execute', { entity: 'users', select_fields: fields }));
    assert.equal(answer.status, 200);
    const icons = Array.from({ length: 100 }, (_, index) => ({
      src: `https://x.example/${index}`,
    }));
    const welcomed = await post(withIcons(icons));
    assert.equal(welcomed.status, 200);
    assert.match(welcomed.text, /"serverInfo":.*"id":"first"/);
  });

  test('wrong params of initialize are told in a few words', async () => {
    for (const params of [
      { clientInfo: { name: 'a', version: '1', icons: Array<number>(400).fill(1) } },
      { protocolVersion: 1 },
      { capabilities: [] },
    ]) {
      const answer = await post(initialize(params));
      assert.equal(answer.status, 200);
      assert.ok(answer.text.length < 500, `${answer.text.length}`);
      assert.equal(at(answer, 'error.code'), -32_602, answer.text);
      assert.match(String(at(answer, 'error.message')), /^Invalid params: /);
      assert.equal(at(answer, 'id'), 'first');
    }
  });

  test('whatever arguments come, the service answers', async () => {
    const json = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' });
    const args = fc.oneof(
      json,
      fc.record(
        {
          connector: fc.oneof(fc.constant(id), json),
          entity: fc.oneof(fc.constant('users'), json),
          action: fc.oneof(fc.constantFrom('list', 'search', '__proto__'), json),
          params: json,
          query: json,
          select_fields: json,
          max_bytes: json,
        },
        { requiredKeys: [] },
      ),
    );
    const names = fc.constantFrom(
      'list_connectors',
      'describe',
      'execute',
      'search',
      'sync_status',
    );
    running.log.clear();
    await fc.assert(
      fc.asyncProperty(names, args, async (name, given) => {
        const answer = await post(callOf(name, given as object));
        assert.ok(answer.status < 500, `${answer.status} ${answer.text}`);
      }),
      { numRuns: 200, seed: 20_261_121 },
    );
    for (const line of running.log.lines()) assert.notEqual(line['code'], 'internal');
  });

  test('a call is one line of the log: tool, connector, operation and outcome, no contents', async () => {
    running.log.clear();
    const planted = 'planted-4711';
    await post(LIST);
    const wrong = { entity: 'users', action: 'list', params: { limit: planted } };
    await post(callOf('execute', wrong));
    await post(callOf(planted, {}));
    await post({ jsonrpc: '2.0', id: 1 });
    const [good, bad, unknown, invalid, ...more] = running.log.lines();
    assert.equal(more.length, 0);
    const common = { tool: 'execute', connector_id: id, entity: 'users', action: 'list' };
    assertMembers(good, { ...common, code: 'ok', route: '/mcp', external_user_id: 'user-1' });
    assertMembers(bad, { ...common, code: 'invalid_params', status: 200 });
    assert.equal(unknown?.['tool'], undefined);
    assertMembers(invalid, { code: 'invalid_request', status: 400 });
    assert.ok(!running.log.text().includes(planted));
  });

  test('calls count for the rate limit as any other', async () => {
    await using limited = await startServiceOn(running, { limits: { callsPerMinute: 2 } });
    const own = await limited.scopedToken('user-1');
    const send = () => limited.send('POST', '/mcp', { token: own, body: LIST, headers: ACCEPT });
    const answer = await send();
    assert.equal(answer.headers.get('ratelimit-remaining'), '0');
    assertProblem(await send(), 'rate_limited');
  });

  test('a client that goes ends its read upstream, but not its write', async () => {
    const leave = async (args: object, method: string) => {
      const hang = running.sandbox.faults.add({ kind: 'hang', method, afterApplying: true });
      const controller = new AbortController();
      const call = post(callOf('execute', args), { signal: controller.signal });
      await hang.whenHit();
      controller.abort();
      await assert.rejects(call);
      return hang;
    };
    const channel = await someChannel(running, token, id);
    const hasLine = (entity: string, code: string) => () =>
      running.log.lines().some((line) => line['entity'] === entity && line['code'] === code);
    running.log.clear();
    const read = await leave({ entity: 'users', action: 'list' }, 'users.list');
    await until(hasLine('users', 'client_disconnected'));
    read.release();
    const params = { channel, text: 'I have to go' };
    const write = { entity: 'messages', action: 'create', params };
    const posted = await leave(write, 'chat.postMessage');
    posted.release();
    await until(hasLine('messages', 'ok'));
  });

  test('an error nobody foresaw is told by its request, and its stack is logged', async () => {
    const { connectors } = running.store;
    const store = { ...running.store, connectors: { ...connectors, find: unforeseen } };
    await using broken = await startServiceOn({ ...running, store });
    const args = { connector: id, entity: 'users', action: 'list' };
    const body = callOf('execute', args);
    const answer = await broken.send('POST', '/mcp', { token, body, headers: ACCEPT });
    assert.deepEqual(resultOf(answer).body, {
      error: {
        code: 'internal',
        message: 'Something went wrong on our side.',
        retry: 'never',
        details: { request_id: answer.headers.get('x-request-id') },
      },
    });
    const line = broken.log.lines().find(({ msg }) => msg === 'A tool failed.');
    assert.equal(line?.['request_id'], answer.headers.get('x-request-id'));
    assert.match(JSON.stringify(line['err']), /a secret of the row.*mcp-http\.test\.ts/);
  });
});

function assertMembers(
  line: Readonly<Record<string, unknown>> | undefined,
  expected: Readonly<Record<string, unknown>>,
): void {
  for (const [name, value] of Object.entries(expected)) assert.equal(line?.[name], value, name);
}

function unforeseen(): Promise<never> {
  return Promise.reject(new Error('a secret of the row'));
}
