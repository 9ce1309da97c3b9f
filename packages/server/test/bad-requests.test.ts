import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { at, textAt, type TestRequest } from './support/http-client.ts';
import { assertProblem, faultFields } from './support/problem.ts';
import { parseRaw, sendRaw } from './support/raw-request.ts';
import { connectorBody, OPERATOR_KEY, useTestService } from './support/start-test-service.ts';

const COLLECTION = '/v1/integrations/connectors';

describe('bad requests', async () => {
  const { running, token } = await useTestService({
    httpLimits: { requestTimeoutMs: 150, headersTimeoutMs: 150, timeoutCheckIntervalMs: 25 },
  });
  const connectorId = await running.connector(token);

  const post = (body: unknown, request: TestRequest = {}) =>
    running.send('POST', COLLECTION, { token, body, ...request });
  const makeSession = (changes: Readonly<Record<string, unknown>>) => {
    const body = { external_user_id: 'a', ...changes };
    return running.send('POST', '/v1/connect-sessions', { token, body });
  };
  const list = (params: Readonly<Record<string, unknown>>, more = {}) =>
    running.execute(token, connectorId, { entity: 'users', action: 'list', params, ...more });

  describe('bodies that are no JSON object are 400 malformed_json', () => {
    const bodies: Readonly<Record<string, string | Uint8Array>> = {
      'no JSON': 'hello',
      'cut JSON': '{"entity":"users"',
      'a trailing comma': '{"entity":"users",}',
      'an array': '[]',
      'a string': '"{}"',
      null: 'null',
      'a number': '1',
      'nothing but white space': '   ',
      'a raw NUL': '{"a":"\0"}',
      'a byte order mark': '\ufeff{}',
      'invalid UTF-8': Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d),
      'an encoded surrogate': Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22),
      'UTF-16': Buffer.from('{}', 'utf16le'),
      'two values': '{}{}',
      NaN: '{"a":NaN}',
      'nesting of 65 levels': deep(64),
      'a million brackets': '['.repeat(1_000_000),
    };
    for (const [name, body] of Object.entries(bodies))
      test(name, async () => {
        assertProblem(await post(body), 'malformed_json');
      });

    test('64 levels are fine, and brackets in strings do not count', async () => {
      assertProblem(await post(deep(63)), 'invalid_request');
      assertProblem(await post(JSON.stringify({ name: '['.repeat(500) })), 'invalid_request');
    });

    test('an empty body where one is needed', async () => {
      assertProblem(await post(''), 'malformed_json');
      assertProblem(await running.send('POST', COLLECTION, { token }), 'malformed_json');
    });

    test('a body that is encoded', async () => {
      const answer = await fetch(running.service.url + COLLECTION, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'content-encoding': 'gzip',
        },
        body: new Uint8Array(gzipSync('{}')),
      });
      assert.equal(answer.status, 400);
      assert.match(await answer.text(), /without a Content-Encoding/);
    });

    test('the message quotes nothing of the body', async () => {
      const answer = await post('{"credentials":{"api_token":"xoxb-planted"');
      assertProblem(answer, 'malformed_json');
      assert.ok(!answer.text.includes('planted'));
    });
  });

  test('an empty body is fine where none is needed', async () => {
    const path = `${COLLECTION}/${connectorId}/check`;
    const headers = { 'content-type': 'application/json' };
    assert.equal((await running.send('POST', path, { token, headers })).status, 200);
    assert.equal((await running.send('POST', path, { token })).status, 200);
  });

  test('a body that is not JSON by its type is 415', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml', ''])
      assertProblem(
        await post('{}', { headers: { 'content-type': type } }),
        'unsupported_media_type',
      );
    const latin = { 'content-type': 'application/json; charset=latin1' };
    assertProblem(await post('{}', { headers: latin }), 'unsupported_media_type');
    const utf8 = { 'content-type': 'application/json; charset=UTF-8' };
    assertProblem(await post('{}', { headers: utf8 }), 'invalid_request');
  });

  test('a body over 1 MiB is 413, one of exactly 1 MiB is read', async () => {
    assertProblem(await post(ofSize(1_048_577)), 'body_too_large');
    assertProblem(await post(ofSize(1_048_576)), 'invalid_request');
  });

  test('a token is judged before the body is read', async () => {
    const answer = await running.send('POST', COLLECTION, { body: 'x'.repeat(2_000_000) });
    assertProblem(answer, 'unauthenticated');
  });

  test('headers over 16 KiB are 431', async () => {
    const raw = `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(17_000)}\r\n\r\n`;
    assertProblem(parseRaw(await sendRaw(running.service.url, raw)), 'headers_too_large');
  });

  test('bytes that are no HTTP are 400', async () => {
    for (const raw of ['hello\r\n\r\n', 'GET /healthz HTTP/9.9\r\n\r\n', '\0\0\0\r\n\r\n']) {
      const answer = parseRaw(await sendRaw(running.service.url, raw));
      assert.equal(answer.status, 400, raw);
      assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/);
    }
  });

  test('without a Host header, which HTTP/1.1 needs, too', async () => {
    const [without, old] = await Promise.all(
      ['1.1', '1.0'].map(async (version) => {
        const raw = `GET /healthz HTTP/${version}\r\nConnection: close\r\n\r\n`;
        return parseRaw(await sendRaw(running.service.url, raw));
      }),
    );
    assert.ok(without);
    assertProblem(without, 'malformed_json');
    assert.match(without.text, /no Host header/);
    assert.equal(old?.status, 200);
  });

  test('in chunks with HTTP/1.0, after which the connection ends', async () => {
    const chunked = `POST ${COLLECTION} HTTP/1.0\r\nConnection: keep-alive\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
    const answer = parseRaw(await sendRaw(running.service.url, chunked));
    assert.equal(answer.headers.get('connection'), 'close');
  });

  for (const [what, bearer] of [
    ['that was answered', token],
    ['that was refused before it had come whole', 'a.b.c'],
  ])
    test(`of what comes behind such a request ${what}, nothing is done`, async () => {
      const head = 'Content-Type: application/json\r\n';
      const chunked = `POST ${COLLECTION} HTTP/1.0\r\nConnection: keep-alive\r\nAuthorization: Bearer ${bearer}\r\n${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
      const body = JSON.stringify({
        entity: 'messages',
        action: 'create',
        params: { channel: 'C0001', text: 'behind' },
      });
      const behind = `POST /api/v1/connectors/sources/${connectorId}/execute HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`;
      const before = running.sandbox.requests().length;
      const answers = await sendRaw(running.service.url, chunked + behind);
      assert.equal(answers.split('HTTP/1.1 ').length - 1, 1);
      // Longer than the sandbox takes.
      await running.execute(token, connectorId, { entity: 'users', action: 'list', params: {} });
      const paths = running.sandbox
        .requests()
        .slice(before)
        .map(({ path }) => path);
      assert.equal(paths.filter((path) => path.includes('chat.postMessage')).length, 0);
      assert.ok(paths.length > 0);
    });

  test('with two Host headers, of which a proxy may have read the other, too', async () => {
    const raw = 'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n';
    const answer = parseRaw(await sendRaw(running.service.url, raw));
    assertProblem(answer, 'malformed_json');
    assert.match(answer.text, /more than one Host header/);
  });

  test('a request that takes too long to arrive is 408', async () => {
    const slowHeaders = 'GET /healthz HTTP/1.1\r\nHost: x\r\n';
    assertProblem(parseRaw(await sendRaw(running.service.url, slowHeaders)), 'request_timeout');
    const slowBody = `POST ${COLLECTION} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":`;
    assertProblem(parseRaw(await sendRaw(running.service.url, slowBody)), 'request_timeout');
  });

  test('an expectation nobody knows is ignored', async () => {
    const raw = 'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: magic\r\nConnection: close\r\n\r\n';
    assert.equal(parseRaw(await sendRaw(running.service.url, raw)).status, 200);
  });

  test('of thousands of like faults some are told, and how many more there are', async () => {
    const login = '/api/v1/account/applications/token';
    const names = Object.keys(many(19_000));
    const answers = [
      await running.send('POST', login, { body: many(900) }),
      await post(many(19_000)),
      await post(connectorBody({ credentials: many(19_000) })),
      await list(many(19_000)),
      await list({}, { select_fields: names }),
    ];
    for (const answer of answers) {
      assert.equal(answer.status, 422);
      assert.ok(answer.text.length < 200_000, `${answer.text.length}`);
    }
  });

  test('a client that goes before its body is here is no failure of ours', async () => {
    const logged = running.log.nextCall();
    const { hostname, port } = new URL(running.service.url);
    const head = `POST ${COLLECTION} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"a`;
    const socket = connect(Number(port), hostname, () =>
      socket.write(head, () => socket.destroy()),
    );
    assert.equal(await logged, 'client_disconnected');
  });

  test('a client that has reset its connection is no failure of ours', async () => {
    const { hostname, port } = new URL(running.service.url);
    const raw = `GET /connect/oauth/start?state=${'s'.repeat(43)} HTTP/1.1\r\nHost: x\r\n\r\n`;
    running.log.clear();
    for (let count = 0; count < 200; count++) {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      socket.write(raw);
      socket.resetAndDestroy();
    }
    // How many of them the system has told of, nobody knows.
    await setTimeout(300);
    await running.send('GET', '/healthz');
    const statuses = running.log.lines().map(({ status }) => status);
    assert.ok(!statuses.includes(500), String(statuses));
  });

  test('QUERY, which no route takes, is answered like other methods', async () => {
    for (const [path, code] of [
      ['/nothing', 'route_not_found'],
      [COLLECTION, 'method_not_allowed'],
    ] as const) {
      const raw = `QUERY ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`;
      assertProblem(parseRaw(await sendRaw(running.service.url, raw)), code);
    }
  });

  test('unknown routes are 404, known ones with another method 405 with Allow', async () => {
    for (const path of [
      '/index.html',
      '/v1',
      '/v1/integrations',
      '/api/v1/nothing',
      '/%zz',
      '/v1//x',
    ])
      assertProblem(await running.send('GET', path, { token }), 'route_not_found');
    const cases: readonly (readonly [string, string, string])[] = [
      ['PUT', COLLECTION, 'GET, HEAD, POST'],
      ['DELETE', `${COLLECTION}/`, 'GET, HEAD, POST'],
      ['POST', `${COLLECTION}/${connectorId}`, 'DELETE, GET, HEAD, PATCH, PUT'],
      ['GET', `/api/v1/connectors/sources/${connectorId}/execute`, 'POST'],
      ['OPTIONS', '/healthz', 'GET, HEAD'],
      ['PROPFIND', '/healthz', 'GET, HEAD'],
    ];
    for (const [method, path, allow] of cases) {
      const answer = await running.send(method, path, { token });
      assertProblem(answer, 'method_not_allowed');
      assert.equal(answer.headers.get('allow'), allow);
    }
  });

  test('HEAD is GET without a body, and a trailing slash does not matter', async () => {
    const head = await running.send('HEAD', '/healthz');
    assert.equal(head.status, 200);
    assert.equal(head.text, '');
    assert.equal((await running.send('GET', `${COLLECTION}/`, { token })).status, 200);
  });

  test('every fault of a body is told at once, with the nearest names', async () => {
    const answer = await post({
      external_user_id: 7,
      connector_type: 'slack',
      nmae: 'x',
      credentials: { api_tokn: 'xoxb-planted' },
      replication_config: {
        start_date: '2026-02-30T00:00:00Z',
        lookback_window: 366,
        join_chanels: true,
      },
      config: { subdomain: 'x' },
      verify: 'yes',
    });
    assertProblem(answer, 'invalid_request');
    assert.deepEqual(faultFields(answer), [
      'config.subdomain',
      'credentials',
      'credentials.api_tokn',
      'external_user_id',
      'name',
      'nmae',
      'replication_config.join_chanels',
      'replication_config.join_channels',
      'replication_config.lookback_window',
      'replication_config.start_date',
      'verify',
    ]);
    assert.ok(!answer.text.includes('planted'));
    assert.match(answer.text, /"did_you_mean":"join_channels"/);
    assert.match(answer.text, /"did_you_mean":"api_token"/);
  });

  describe('members of a body that needs none', () => {
    const routes = running.service.routes.filter(
      ({ method, doc }) => method !== 'GET' && doc.body === undefined && doc.isQueryInBody !== true,
    );
    for (const { method, path, reach } of routes)
      test(`${method} ${path}`, async () => {
        const isOperators = reach === 'operation' || reach === 'applications';
        const bearer = isOperators ? OPERATOR_KEY : await running.applicationToken();
        const url = path.replaceAll(/:\w+/g, connectorId);
        const wrong = { entity: 'users', intent: 'sent by later clients' };
        const answer = await running.send(method, url, { token: bearer, body: wrong });
        assertProblem(answer, 'invalid_request');
        assert.deepEqual(faultFields(answer), ['entity']);
        const fine = await running.send(method, url, { token: bearer, body: {} });
        assert.doesNotMatch(fine.text, /invalid_request/);
      });

    test('there are such routes', () => {
      assert.ok(routes.length > 5);
    });
  });

  test('one wrong part has its own code', async () => {
    const cases = [
      [{ connector_type: 'slak' }, 'unknown_connector_type'],
      [{ connector_type: null, definition_id: 'nothing' }, 'unknown_connector_type'],
      [{ credentials: {} }, 'invalid_credentials'],
      [{ credentials: 'xoxb-planted' }, 'invalid_credentials'],
      [{ credentials: { api_token: 'xoxb-planted', bot_key: 'y' } }, 'invalid_credentials'],
      [{ credentials: { api_token: '' } }, 'invalid_credentials'],
      [{ replication_config: null }, 'invalid_replication_config'],
      [{ replication_config: { start_date: 'today' } }, 'invalid_replication_config'],
      [{ config: { subdomain: 'x' } }, 'invalid_config'],
      [{ name: '' }, 'invalid_request'],
      [{ name: 'x'.repeat(256) }, 'invalid_request'],
      [{ name: 'a\0b' }, 'invalid_request'],
      [{ external_user_id: '\ud800' }, 'invalid_request'],
      [{ external_user_id: 'x'.repeat(4097) }, 'invalid_request'],
      [{ customer_name: 'another' }, 'invalid_request'],
      [{ definition_id: '40d24d0f-0000-4fe0-9e6c-b06c0f3f45e4' }, 'unknown_connector_type'],
      // Of another kind than connector_type says.
      [{ definition_id: '40d24d0f-b8f9-4fe0-9e6c-b06c0f3f45e4' }, 'invalid_request'],
      [{ __proto__x: 1 }, 'invalid_request'],
    ] as const;
    for (const [changes, code] of cases) {
      const answer = await post(connectorBody(changes));
      assertProblem(answer, code);
      assert.ok(!answer.text.includes('planted'), answer.text);
    }
    assertProblem(await post('{"__proto__":{"name":"x"}}'), 'invalid_request');
  });

  test('a member of a wrong type is not missing as well, and is told by the name that it was sent by', async () => {
    const cases = [
      [{ connector_type: 5 }, ['connector_type']],
      [{ connector_type: null, definition_id: 5 }, ['definition_id']],
      [{ external_user_id: null, customer_name: 5 }, ['customer_name']],
      [{ external_user_id: null, workspace_name: '' }, ['workspace_name']],
    ] as const;
    for (const [changes, fields] of cases) {
      const answer = await post(connectorBody(changes));
      assertProblem(answer, 'invalid_request');
      assert.deepEqual(faultFields(answer), fields, answer.text);
    }
    const initiate = async (changes: Readonly<Record<string, unknown>>) => {
      const body = { connector_type: 'slack', ...changes };
      return running.send('POST', `${COLLECTION}/oauth/initiate`, { token, body });
    };
    assert.deepEqual(faultFields(await initiate({ external_user_id: 5 })), [
      'external_user_id',
      'redirect_url',
    ]);
    assert.deepEqual(faultFields(await initiate({ customer_name: 5 })), [
      'customer_name',
      'redirect_url',
    ]);
    const app = {
      connector_definition_id: 5,
      configuration: { client_id: 'a', client_secret: 'b' },
    };
    const given = await running.send('PUT', '/api/v1/oauth/credentials', { token, body: app });
    assert.deepEqual(faultFields(given), ['connector_definition_id']);
  });

  test('what is wrong is told by the name that it was sent by, alone and beside others', async () => {
    const cases = [
      [{ environment: 5 }, 'environment', 'invalid_config'],
      [{ environment: { nope: 1 } }, 'environment.nope', 'invalid_config'],
    ] as const;
    for (const [changes, field, code] of cases) {
      const wrong = { config: undefined, ...changes };
      const alone = await post(connectorBody(wrong));
      assertProblem(alone, code);
      assert.deepEqual(faultFields(alone), [field], alone.text);
      const beside = await post(connectorBody({ ...wrong, name: 7 }));
      assertProblem(beside, 'invalid_request');
      assert.deepEqual(faultFields(beside).toSorted(), [field, 'name'].toSorted(), beside.text);
    }
    const named = await post(connectorBody({ config: undefined, environment: { nope: 1 } }));
    assert.match(textAt(named, 'detail'), /environment\.nope/);
    assert.doesNotMatch(textAt(named, 'detail'), /config\.nope/);
    const app = {
      connector_definition_id: 'nope',
      configuration: { client_id: 'a', client_secret: 'b' },
    };
    const given = await running.send('PUT', '/api/v1/oauth/credentials', { token, body: app });
    assertProblem(given, 'unknown_connector_type');
    assert.deepEqual(faultFields(given), ['connector_definition_id']);
  });

  test('what is wrong whatever the kind is told beside an unknown one', async () => {
    const wrong = { credentials: 3, replication_config: 'x', config: 7 };
    for (const connectorType of ['nope', undefined]) {
      const answer = await post(connectorBody({ connector_type: connectorType, ...wrong }));
      assertProblem(answer, 'invalid_request');
      assert.deepEqual(faultFields(answer).toSorted(), [
        'config',
        'connector_type',
        'credentials',
        'replication_config',
      ]);
    }
  });

  test('errors about one name say which member it stands in', async () => {
    const kind = await post(connectorBody({ connector_type: 'slak' }));
    assert.deepEqual(faultFields(kind), ['connector_type']);
    assert.match(textAt(kind, 'errors.0.message'), /^connector_type is wrong: There is no /);
    assert.match(textAt(kind, 'errors.0.details.allowed'), /chat-workspace/);
    assert.equal(textAt(kind, 'errors.0.details.did_you_mean'), 'slack');
    const cursor = await running.send('GET', `${COLLECTION}?cursor=zz`, { token });
    assert.deepEqual(faultFields(cursor), ['cursor']);
  });

  test('in a list of kinds each that is wrong is told by its place, and nothing that depends on the list', async () => {
    const unknown = await makeSession({ connector_types: ['slack', 'nope'] });
    assertProblem(unknown, 'unknown_connector_type');
    assert.deepEqual(faultFields(unknown), ['connector_types.1']);
    const wrong = await makeSession({ connector_types: ['slack', 'nope', 5], config: { x: 1 } });
    assertProblem(wrong, 'invalid_request');
    assert.deepEqual(faultFields(wrong), ['connector_types']);
    assert.match(textAt(wrong, 'errors.0.message'), /got an array with 5 at 2/);
    const settings = await makeSession({ replication_config: { unheard_of: 1 } });
    assertProblem(settings, 'invalid_request');
    const messages = faultFields(settings).map((_, index) =>
      textAt(settings, `errors.${index}.message`),
    );
    assert.deepEqual(messages, [...new Set(messages)], 'what several kinds say is told once');
  });

  test('a kind that is refused is told with the names there are, aliases too', async () => {
    const zendesk = await post(connectorBody({ connector_type: 'zendesk' }));
    assertProblem(zendesk, 'unknown_connector_type');
    assert.match(zendesk.text, /Did you mean \\"zendesk-chat\\" or \\"zendesk-support\\"\?/);
    const answers = [
      zendesk,
      await post(connectorBody({ connector_type: undefined })),
      await post(connectorBody({ connector_type: undefined, definition_id: 'nothing' })),
      await running.send('GET', '/api/v1/connector-kinds/zendesk', { token }),
      await running.send('GET', `${COLLECTION}?connector_type=zendesk`, { token }),
    ];
    for (const answer of answers)
      for (const name of ['chat-workspace', 'slack', 'intercom', 'zendesk-chat', 'zendesk-support'])
        assert.ok(answer.text.includes(name), `${name} in ${answer.text}`);
  });

  test('queries are checked like bodies', async () => {
    const get = (query: string) => running.send('GET', `${COLLECTION}?${query}`, { token });
    for (const query of ['limit=0', 'limit=1001', 'limit=ten', 'limit=1&limit=2', 'nothing=1'])
      assertProblem(await get(query), 'invalid_request');
    assertProblem(await get('external_user_id=a&customer_name=b'), 'invalid_request');
    assertProblem(await get('connector_type=nothing'), 'unknown_connector_type');
    for (const cursor of ['x', '%00', 'MTIz', 'e30'])
      assertProblem(await get(`cursor=${cursor}`), 'invalid_cursor');
    const user = await running.send('GET', '/api/v1/connectors/connectors_for_user', { token });
    assertProblem(user, 'invalid_request');
    for (const userId of ['', '%00', 'x'.repeat(4_097)])
      for (const name of ['external_user_id', 'workspace_name']) {
        const answer = await get(`${name}=${userId}`);
        assertProblem(answer, 'invalid_request');
        assert.deepEqual(faultFields(answer), [name]);
      }
  });

  test('a definition id that is refused is what the fault is about', async () => {
    const answer = await post(connectorBody({ connector_type: undefined, definition_id: 'x' }));
    assertProblem(answer, 'unknown_connector_type');
    assert.deepEqual(faultFields(answer), ['definition_id']);
    assert.match(String(at(answer, 'errors.0.message')), /^definition_id is that of no connector/);
  });

  test('what is wrong around an operation is told with what is wrong in it', async () => {
    const id = connectorId;
    const run = (body: Readonly<Record<string, unknown>>, headers = {}) =>
      running.execute(token, id, { entity: 'users', action: 'list', parms: {}, ...body }, headers);
    const timeout = { 'patchbay-timeout-ms': 'soon' };
    const cases = [
      [await run({}), ['parms']],
      [await run({ params: { limit: 'x', no: 1 } }), ['params.limit', 'params.no', 'parms']],
      [await run({ entity: 'nothing' }, timeout), ['Patchbay-Timeout-Ms', 'entity', 'parms']],
      [await run({ action: 'nothing' }), ['action', 'parms']],
      [
        await run({ action: 'search', params: { limit: 0 } }),
        ['params.limit', 'params.query', 'parms'],
      ],
      [await run({ entity: '*', action: 'check' }), ['parms']],
      [await run({ action: undefined }, timeout), ['Patchbay-Timeout-Ms', 'action', 'parms']],
    ] as const;
    for (const [answer, fields] of cases) {
      assertProblem(answer, 'invalid_request');
      assert.deepEqual(faultFields(answer).toSorted(), fields);
    }
  });

  test('both members of a revocation are judged at once', async () => {
    const body = { jti: 'x', token: 5, tokn: 'planted' };
    const answer = await running.send('POST', '/v1/tokens/revoke', { token, body });
    assertProblem(answer, 'invalid_request');
    assert.deepEqual(faultFields(answer).toSorted(), ['jti', 'token', 'token', 'tokn']);
    assert.ok(!answer.text.includes('planted'));
  });

  test('execute refuses wrong calls before anything is sent', async () => {
    running.sandbox.resetRequests();
    const run = (body: Readonly<Record<string, unknown>>) =>
      running.execute(token, connectorId, body);
    assertProblem(await run({}), 'invalid_request');
    assertProblem(await run({ entity: 'users' }), 'invalid_request');
    assertProblem(await run({ entity: 1, action: [] }), 'invalid_request');
    assertProblem(await run({ entity: 'users', action: 'list', parms: {} }), 'invalid_request');
    const entity = await run({ entity: 'user', action: 'list' });
    assertProblem(entity, 'unknown_entity');
    assert.equal(at(entity, 'errors.0.details.did_you_mean'), 'users');
    assertProblem(await run({ entity: '__proto__', action: 'list' }), 'unknown_entity');
    const action = await run({ entity: 'users', action: 'lst' });
    assertProblem(action, 'unsupported_action');
    assert.equal(at(action, 'errors.0.details.did_you_mean'), 'list');
    assertProblem(await run({ entity: 'users', action: 'constructor' }), 'unsupported_action');
    assertProblem(await run({ entity: 'reactions', action: 'search' }), 'unsupported_action');
    const params = await list({ limit: 'ten', crusor: 'x' });
    assertProblem(params, 'invalid_params');
    assert.deepEqual(faultFields(params), ['params.crusor', 'params.limit']);
    assertProblem(await run({ entity: 'users', action: 'list', params: [] }), 'invalid_params');
    assertProblem(await run({ entity: 'users', action: 'get' }), 'invalid_params');
    assert.equal(running.sandbox.requests().length, 0);
  });

  test('field selections name fields of the record', async () => {
    const cases: readonly unknown[] = [['nme'], ['id.x'], ['profile.'], [''], [1], 'id', [null]];
    for (const fields of cases) {
      assertProblem(await list({}, { select_fields: fields }), 'invalid_request');
      assertProblem(await list({}, { exclude_fields: fields }), 'invalid_request');
    }
    const both = await list({ limit: 0 }, { select_fields: ['nme'] });
    assertProblem(both, 'invalid_params');
    assert.deepEqual(faultFields(both), ['params.limit', 'select_fields.0']);
  });

  test('headers of execute are checked', async () => {
    const body = { entity: 'users', action: 'list', params: { limit: 1 } };
    for (const timeout of ['0', '300001', 'soon', '-1', '1.5', ''])
      assertProblem(
        await running.execute(token, connectorId, body, { 'patchbay-timeout-ms': timeout }),
        'invalid_request',
      );
    const write = { entity: 'messages', action: 'create', params: { channel: 'C', text: 'x' } };
    for (const key of ['', 'x'.repeat(256)])
      assertProblem(
        await running.execute(token, connectorId, write, { 'idempotency-key': key }),
        'invalid_request',
      );
  });

  test('search says that nothing is replicated, after its params are right', async () => {
    const search = (params: unknown, more = {}) =>
      running.execute(token, connectorId, { entity: 'users', action: 'search', params, ...more });
    const answer = await search({ query: {} });
    assertProblem(answer, 'search_not_ready');
    assert.equal(answer.headers.get('retry-after'), '60');
    const synonym = { entity: 'channels', action: 'context_store_search', params: { query: {} } };
    assertProblem(await running.execute(token, connectorId, synonym), 'search_not_ready');
    assertProblem(await search({}), 'invalid_query');
    assertProblem(await search(undefined), 'invalid_query');
    assertProblem(await search({ query: {}, limit: 0 }), 'invalid_params');
    assertProblem(await search({ query: {} }, { select_fields: ['id'] }), 'invalid_request');
  });

  test('members that later clients send are ignored', async () => {
    const answer = await list({ limit: 1 }, { intent: 'x', skip_truncation: true, entities: [] });
    assert.equal(answer.status, 200, answer.text);
    const body = connectorBody({ source_template_id: 'x', option_title: 1, config: null });
    assert.equal((await post(body)).status, 201);
  });
});

function deep(levels: number): string {
  return `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
}

function ofSize(bytes: number): string {
  return `{"name":"${'x'.repeat(bytes - 11)}"}`;
}

function many(count: number): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`name_${index}`, 1]));
}
