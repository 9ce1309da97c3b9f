import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createConnector } from '@patchbay/connectors';
import { startSandbox, type Fault } from '@patchbay/sandbox';
import * as fc from 'fast-check';
import { connectorFor, untyped } from './support/connectors.ts';
import { printed } from './support/printed.ts';
import { deadUrl, reply, startUpstream, type Answer } from './support/upstreams.ts';

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
