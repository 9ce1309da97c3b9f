import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createConnector } from '@patchbay/connectors';
import {
  checkCredentials,
  findKind,
  isRevocable,
  revoke,
  systemClock,
} from '@patchbay/connectors/engine';
import { reply, startUpstream } from './support/upstreams.ts';

const TOKEN = 'the-access-token-in-question';
const CLIENT = { client_id: 'our-client', client_secret: 'our-client-secret' };
const GIVEN = {
  'chat-workspace': { ...CLIENT, access_token: TOKEN },
  'support-ticketing': { access_token: TOKEN },
  'support-chat': { access_token: TOKEN },
  'customer-messaging': { access_token: TOKEN },
} as const;
type KindName = keyof typeof GIVEN;

type Answers = Readonly<Record<string, readonly [status: number, body?: unknown]>>;

/** Asks an upstream that answers so; what it was asked comes back with the outcome. */
async function ask(kindName: KindName, answers: Answers) {
  const lines: string[] = [];
  await using upstream = await startUpstream((response, _, request) => {
    lines.push(request.line);
    assert.equal(request.headers.authorization, `Bearer ${TOKEN}`);
    const [status, body] = answers[request.line] ?? [404, { error: 'unexpected' }];
    reply(response, status, body);
  });
  const kind = findKind(kindName);
  const credentials = checkCredentials(kind, GIVEN[kindName]);
  const site = { kind, config: {}, baseUrl: upstream.url, clock: systemClock };
  const outcome = await revoke(site, credentials, new AbortController().signal);
  assert.ok(!JSON.stringify(outcome).includes(TOKEN));
  return { outcome, lines };
}

const LOOKUPS = {
  'support-ticketing': ['GET /oauth/tokens/current', { token: { id: 41 } }],
  'support-chat': [
    'GET /oauth/tokens',
    [
      { id: 7, access_token: 'other' },
      { id: 41, access_token: TOKEN },
    ],
  ],
} as const;

/** What comes of an answer to Slack's one request. */
function slack(status: number, body: unknown) {
  return ask('chat-workspace', { 'POST /auth.revoke': [status, body] });
}

describe('a token is revoked as its vendor wants it', () => {
  for (const [kindName, line, body] of [
    ['chat-workspace', 'POST /auth.revoke', { ok: true, revoked: true }],
    ['customer-messaging', 'POST /auth/uninstall', {}],
  ] as const)
    test(`${kindName}, with one request`, async () => {
      const { outcome, lines } = await ask(kindName, { [line]: [200, body] });
      assert.deepEqual([outcome, lines], [{ outcome: 'revoked' }, [line]]);
    });

  for (const [kindName, [line, body]] of [
    ['support-ticketing', LOOKUPS['support-ticketing']],
    ['support-chat', LOOKUPS['support-chat']],
  ] as const)
    test(`${kindName}, by its id, which is looked up first`, async () => {
      const last = 'DELETE /oauth/tokens/41';
      const { outcome, lines } = await ask(kindName, { [line]: [200, body], [last]: [204] });
      assert.deepEqual([outcome, lines], [{ outcome: 'revoked' }, [line, last]]);
    });

  test('what answers mean', async () => {
    const [lookup, found] = LOOKUPS['support-ticketing'];
    const zendesk = (status: number, body?: unknown) =>
      ask('support-ticketing', {
        [lookup]: [200, found],
        'DELETE /oauth/tokens/41': [status, body],
      });
    for (const [asked, wanted] of [
      [slack(200, { ok: true, revoked: false }), 'refused'],
      [slack(200, { ok: false, error: 'token_revoked' }), 'dead'],
      [slack(200, { ok: false, error: 'no_permission' }), 'refused'],
      [slack(200, { ok: false, error: 'internal_error' }), 'failed'],
      [slack(200, '<html>'), 'failed'],
      [slack(302, ''), 'failed'],
      [zendesk(401, { error: 'invalid_token' }), 'dead'],
      [zendesk(403, { error: 'Forbidden' }), 'refused'],
      [zendesk(429, { error: 'APIRateLimitExceeded' }), 'failed'],
      [zendesk(500), 'failed'],
      [ask('support-ticketing', { [lookup]: [404, { error: 'RecordNotFound' }] }), 'refused'],
      [ask('support-ticketing', { [lookup]: [200, { token: { id: '../users/1' } }] }), 'refused'],
      [ask('support-ticketing', { [lookup]: [200, {}] }), 'refused'],
      [ask('support-chat', { [LOOKUPS['support-chat'][0]]: [200, []] }), 'refused'],
    ] as const) {
      const { outcome, lines } = await asked;
      assert.equal(outcome.outcome, wanted, `${lines.join()} ${JSON.stringify(outcome)}`);
      assert.ok(!lines.some((line) => line.includes('users')));
    }
  });

  test('nothing is asked where no token was issued yet, or nobody knows where', async () => {
    const kind = findKind('support-ticketing');
    const site = { kind, config: {}, clock: systemClock };
    const { signal } = new AbortController();
    const { outcome: unissued } = await revoke(site, checkCredentials(kind, CLIENT), signal);
    const given = checkCredentials(kind, GIVEN['support-ticketing']);
    const { outcome: nowhere } = await revoke(site, given, signal);
    assert.deepEqual([unissued, nowhere], ['dead', 'refused']);
  });

  test('which credentials are revoked', () => {
    for (const [kindName, method, typed, consented] of [
      ['chat-workspace', 'oauth', true, true],
      ['chat-workspace', 'token', false, false],
      ['support-ticketing', 'oauth', true, true],
      ['support-ticketing', 'client_credentials', true, true],
      ['support-ticketing', 'token', false, false],
      ['support-chat', 'oauth', true, true],
      ['customer-messaging', 'oauth', false, true],
    ] as const) {
      const is = (isConsented: boolean) => isRevocable(findKind(kindName), method, { isConsented });
      assert.deepEqual([is(false), is(true)], [typed, consented], `${kindName} ${method}`);
    }
  });
});

describe('check() of the library warns of credentials that end', () => {
  const pair = { ...CLIENT, access_token: TOKEN, refresh_token: 'a-refresh-token' };
  for (const [what, options, wanted] of [
    ['an API token', { credentials: { email: 'a@example.com', api_token: TOKEN } }, '2027-04-30'],
    ['a token that nothing renews', { credentials: { access_token: TOKEN } }, '2027-04-01'],
    [
      'one with an end',
      { credentials: { access_token: TOKEN, expires_at: '2031-01-02T03:04:05Z' } },
      '2031-01-02T03:04:05',
    ],
    ['a pair that nobody keeps', { credentials: pair }, '2027-04-01'],
    [
      'a pair that somebody keeps',
      { credentials: pair, onCredentialsChanged: () => undefined },
      undefined,
    ],
  ] as const)
    test(what, async () => {
      await using upstream = await startUpstream((response) => reply(response, 200, {}));
      const connector = createConnector('support-ticketing', { ...options, baseUrl: upstream.url });
      const { warnings } = await connector.check();
      assert.deepEqual(
        warnings.map(({ code, ends_at }) => [code, ends_at?.slice(0, wanted?.length)]),
        wanted === undefined ? [] : [['credentials_ending', wanted]],
      );
    });
});
