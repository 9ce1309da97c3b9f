import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createConnector, KINDS } from '@patchbay/connectors';
import { ConnectorEngine, type EngineOptions } from '@patchbay/connectors/engine';
import { startSandbox, type Fault } from '@patchbay/sandbox';
import * as fc from 'fast-check';
import { Agent, MockAgent } from 'undici';
import { connectorFor, errorOf, untyped } from './support/connectors.ts';
import { FailingDispatcher, systemError } from './support/failing-dispatcher.ts';
import { HandClock, turning } from './support/hand-clock.ts';
import { printed } from './support/printed.ts';
import { deadUrl, reply, startEcho, startUpstream, type Answer } from './support/upstreams.ts';

const faults: readonly Fault[] = [
  { kind: 'revokeToken' },
  { kind: 'serverError' },
  { kind: 'serverError', body: 'html' },
  { kind: 'htmlBody' },
  { kind: 'truncate', how: 'connection' },
  { kind: 'truncate', how: 'json' },
  { kind: 'cutConnection' },
  { kind: 'arrayBody', where: 'body' },
  { kind: 'rateLimit', retryAfterSeconds: 3_000 },
  { kind: 'slackError', error: 'missing_scope' },
];

const HEADER_CHARACTERS = 'a b c X Y Z 0 1 8 9 - . _ ~ + / = " { } \\'.split(' ');

/** Longer than anything that occurs by chance, of characters that headers take. */
const secret = fc
  .string({ minLength: 12, maxLength: 40, unit: fc.constantFrom(...HEADER_CHARACTERS) })
  .map((text) => `s3cr3t${text}`);

describe('no credential is ever printed', () => {
  test('not by any failure of a call, nor by the connector', async () => {
    await using sandbox = await startSandbox({ scale: 10 });
    const dead = await deadUrl();
    const calls = [
      ['users', 'list', {}],
      ['users', 'list', { limit: 0 }],
      ['messages', 'create', { channel: 'C1', text: 'x' }],
      ['nothing', 'list', {}],
    ] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.record({ id: secret, client: secret, token: secret, useToken: fc.boolean() }),
        fc.option(fc.constantFrom(...faults), { nil: undefined }),
        fc.constantFrom(...calls),
        async ({ id, client, token, useToken }, fault, [entity, action, params]) => {
          const credentials = useToken
            ? { api_token: token }
            : { client_id: id, client_secret: client, access_token: token };
          const handle = fault === undefined ? undefined : sandbox.faults.add(fault);
          const baseUrl = fault === undefined ? dead : sandbox.urls.slack;
          const connector = connectorFor(baseUrl, { credentials });
          const outcome: unknown = await untyped(connector)(entity, action, params).catch(
            (error: unknown) => error,
          );
          handle?.release();
          const text = printed(outcome) + printed(connector) + printed(connector.describe());
          for (const value of Object.values(credentials)) {
            assert.ok(!text.includes(value));
            assert.ok(!text.includes(JSON.stringify(value).slice(1, -1)));
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('not by the refusal of credentials, whatever is wrong with them', () => {
    const field = fc.constantFrom(
      'api_token',
      'bot_key',
      'access_token',
      'client_id',
      'client_secret',
      'api_tokn',
      'password',
    );
    // Line breaks and spaces at the ends are refused by their characters.
    const value = fc.oneof(
      secret,
      secret.map((text) => ` ${text}\n`),
      secret.map((text) => [text]),
      secret.map((text) => ({ text })),
    );
    fc.assert(
      fc.property(fc.dictionary(field, value, { minKeys: 1 }), (credentials) => {
        let error: unknown;
        try {
          createConnector('chat-workspace', { credentials: credentials as never });
        } catch (thrown) {
          error = thrown;
        }
        assert.ok(!printed(error).includes('s3cr3t'));
      }),
    );
  });

  for (const before of ['', 'HTTP/9.9 200 OK\r\n', 'HTTP/1.1 200 OK\r\nNo header '])
    test(`not even where ${JSON.stringify(before)} and the request come back`, async () => {
      const token = 's3cr3t-that-is-echoed';
      await using upstream = await startEcho(before);
      const connector = connectorFor(upstream.url, { credentials: { api_token: token } });
      const write = connector.messages.create({ channel: 'C1', text: 'x' });
      const error = await errorOf(write);
      assert.equal(error.code, 'write_outcome_unknown');
      assert.ok(!printed(error).includes(token), error.message);
    });

  const echo: readonly (readonly [string, Answer])[] = [
    [
      'as the code',
      (response, _, { headers }) =>
        reply(response, 200, { ok: false, error: headers.authorization }),
    ],
    [
      'as the sentence',
      (response, _, { headers }) =>
        reply(response, 200, {
          ok: false,
          error: 'invalid_auth',
          needed: headers.authorization?.slice(7),
          response_metadata: { messages: [`bad token ${headers.authorization ?? ''}`] },
        }),
    ],
    [
      'in a page',
      (response, _, { headers }) =>
        reply(response, 502, `<pre>${headers.authorization ?? ''}</pre>`),
    ],
    [
      'as a redirect',
      (response, _, { headers }) =>
        reply(response, 302, '', { location: `/?token=${headers.authorization?.slice(7) ?? ''}` }),
    ],
  ];
  for (const [name, answer] of echo)
    test(`not even when the upstream says it back ${name}`, async () => {
      const token = 's3cr3t-that-is-echoed';
      await using upstream = await startUpstream(answer);
      const connector = connectorFor(upstream.url, { credentials: { api_token: token } });
      for (const [entity, action, params] of [
        ['users', 'list', {}],
        ['messages', 'create', { channel: 'C1', text: 'x' }],
      ] as const) {
        const call = untyped(connector)(entity, action, params);
        const error: unknown = await call.catch((reason: unknown) => reason);
        assert.ok(error instanceof Error);
        assert.ok(!printed(error).includes(token), error.message);
      }
    });

  describe('not even when a file', () => {
    const token = 'S3cr3t-That-Opens-Files';
    const inSmall = token.toLowerCase();
    const ticketing = (baseUrl: string, options: Partial<EngineOptions> = {}) =>
      new ConnectorEngine({
        kind: KINDS['support-ticketing'],
        authorize: () => ({ method: 'oauth', values: { access_token: token } }),
        config: { subdomain: 'acme' },
        baseUrl,
        random: () => 0,
        ...options,
      });
    /** The error of a download whose file lies at an address, or is answered for by a function. */
    const troubleOf = async (file: string | Answer, options: Partial<EngineOptions> = {}) => {
      await using upstream = await startUpstream((response, nth, request) => {
        if (request.line === 'GET /file' && typeof file !== 'string')
          return file(response, nth, request);
        const content_url = typeof file === 'string' ? file : `${upstream.url}/file`;
        return reply(response, 200, {
          attachment: { id: 1, content_url, content_type: 'image/png' },
        });
      });
      const engine = ticketing(upstream.url, options);
      const error = await errorOf(engine.execute('attachments', 'download', { attachment_id: 1 }));
      const text = printed(error).toLowerCase();
      assert.ok(!text.includes(inSmall), text);
      return error;
    };

    test('lies at a foreign host of that name', async () => {
      const { message } = await troubleOf(`https://${token}.evil.example/${token}`);
      assert.match(message, /its file lies at https:\/\/\[secret\]\.evil\.example, which/);
    });

    test('is redirected to a host of that name', async () => {
      const { message } = await troubleOf((response) =>
        reply(response, 302, '', { location: `https://x.${token}.example:444/` }),
      );
      assert.match(message, /its file lies at https:\/\/x\.\[secret\]\.example:444, which/);
    });

    test('lies at a host whose name is long, of which little is told', async () => {
      const labels = Array.from({ length: 500 }, () => 'evil').join('.');
      const { message } = await troubleOf(`https://${token}.${labels}.example/`);
      assert.ok(message.length < 400, message);
    });

    test('lies at a host of files of that name, where nothing answers', async () => {
      const host = `${inSmall}.zdusercontent.com`;
      const agent = new Agent();
      const unknown = new FailingDispatcher(
        Object.assign(systemError('ENOTFOUND', 'getaddrinfo'), {
          message: `getaddrinfo ENOTFOUND ${host}`,
          hostname: host,
        }),
      );
      const dispatcher = agent.compose(
        (dispatch) => (request, handler) =>
          String(request.origin).includes(host)
            ? unknown.dispatch(request, handler)
            : dispatch(request, handler),
      );
      const clock = new HandClock();
      const told: string[] = [];
      const of = (options: Partial<EngineOptions>) =>
        turning(clock, troubleOf(`https://${host}/x`, { dispatcher, clock, ...options }));
      const { code, message } = await of({});
      assert.equal(code, 'upstream_unavailable');
      assert.match(message, /cannot be reached at https:\/\/\[secret\]\.zdusercontent\.com: /);
      await of({ onUnreachable: (sentence) => told.push(sentence) });
      assert.match(
        told[0] ?? '',
        /cannot be reached at https:\/\/\[secret\]\.zdusercontent\.com: /,
      );
      assert.ok(!told.join().includes(inSmall));
      await agent.close();
    });

    test('lies at a host of files of that name, which answers with a web page', async () => {
      const agent = new MockAgent();
      agent.enableNetConnect(/^127\.0\.0\.1:/);
      agent
        .get(`https://${inSmall}.zdusercontent.com`)
        .intercept({ path: '/x' })
        .reply(200, '<title>Sign in</title>', { headers: { 'content-type': 'text/html' } });
      const { code, message } = await troubleOf(`https://${token}.zdusercontent.com/x`, {
        dispatcher: agent,
      });
      assert.equal(code, 'upstream_forbidden');
      assert.match(message, /^https:\/\/\[secret\]\.zdusercontent\.com, where /);
      await agent.close();
    });

    test('is refused with it, spelled with escapes of JSON', async () => {
      const escaped = `\\u0053${token.slice(1)}`;
      const { details } = await troubleOf((response) =>
        reply(response, 422, `{"error":"E ${escaped}","description":"D Bearer ${escaped}"}`),
      );
      assert.partialDeepStrictEqual(details, {
        upstreamCode: 'E [secret]',
        upstreamMessage: 'D [secret]',
        upstreamStatus: 422,
      });
    });
  });

  test('only the Authorization header carries it, and only the token of it', async () => {
    await using upstream = await startUpstream((response) =>
      reply(response, 200, { ok: true, members: [] }),
    );
    const credentials = {
      client_id: 'the-id-of-the-app',
      client_secret: 's3cr3t-of-the-app',
      access_token: 's3cr3t-of-the-bot',
    };
    await connectorFor(upstream.url, { credentials }).users.list();
    const [request] = upstream.seen;
    assert.equal(request?.headers.authorization, `Bearer ${credentials.access_token}`);
    const { authorization: _, ...rest } = request.headers;
    const text = JSON.stringify([request.line, request.body, rest]);
    for (const value of Object.values(credentials)) assert.ok(!text.includes(value));
  });
});
