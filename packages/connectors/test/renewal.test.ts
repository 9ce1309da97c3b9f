import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createConnector, type ConnectorOptions, type Kinds } from '@patchbay/connectors';
import { errorOf } from './support/connectors.ts';
import { HandClock, turning } from './support/hand-clock.ts';
import { reply, startUpstream, type OwnUpstream, type SeenRequest } from './support/upstreams.ts';

type Options = ConnectorOptions<Kinds['support-ticketing']>;

const CLIENT = { client_id: 'our-client', client_secret: 'our-client-secret' };
const START = Date.UTC(2026, 10, 22, 12);
const HALF_AN_HOUR_S = 1_800;
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString();
const FIRST = {
  ...CLIENT,
  access_token: 'access-token-0',
  refresh_token: 'refresh-token-0',
  expires_at: at(HALF_AN_HOUR_S),
};

/** What a token endpoint does with the nth request (from 0). */
type TokenAnswer =
  | {
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | 'cut'
  | 'silence';

interface Zendesk extends OwnUpstream {
  readonly grants: () => readonly Readonly<Record<string, string>>[];
  /** Authorization headers of reads. */
  readonly reads: () => readonly (string | undefined)[];
}

const isGrant = ({ line }: SeenRequest) => line === 'POST /oauth/tokens';

function issued(nth: number): TokenAnswer {
  return {
    status: 200,
    body: {
      access_token: `access-token-${nth + 1}`,
      refresh_token: `refresh-token-${nth + 1}`,
      token_type: 'bearer',
      expires_in: HALF_AN_HOUR_S,
    },
  };
}

/** Takes those tokens and no others; the tokens it issues go by number. */
async function startZendesk(
  options: {
    readonly takes?: (token: string) => boolean;
    readonly grant?: (nth: number) => TokenAnswer;
  } = {},
): Promise<Zendesk> {
  const { takes = () => true, grant = issued } = options;
  let grants = 0;
  const upstream = await startUpstream((response, _, request) => {
    if (isGrant(request)) {
      const answer = grant(grants++);
      if (answer === 'cut') response.destroy();
      else if (answer !== 'silence') reply(response, answer.status, answer.body, answer.headers);
      return;
    }
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    if (takes(token)) reply(response, 200, { tags: [], count: 0 });
    else reply(response, 401, { error: 'invalid_token' });
  });
  return {
    ...upstream,
    // Proven: a token request is an object of texts.
    grants: () =>
      upstream.seen.filter(isGrant).map(({ body }) => JSON.parse(body) as Record<string, string>),
    reads: () =>
      upstream.seen.filter((each) => !isGrant(each)).map(({ headers }) => headers.authorization),
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  };
}

function connectTo(
  upstream: OwnUpstream,
  options: Partial<Options> = {},
  { keeps = true }: { readonly keeps?: boolean } = {},
) {
  const clock = new HandClock(START);
  const kept: unknown[] = [];
  const connector = createConnector('support-ticketing', {
    credentials: FIRST,
    baseUrl: `${upstream.url}/api/v2`,
    upstreamLimits: 'reactive',
    random: () => 0,
    clock,
    ...(keeps ? { onCredentialsChanged: (renewed) => void kept.push(renewed) } : {}),
    ...options,
  });
  const read = () => turning(clock, connector.tags.list({}));
  return { clock, kept, connector, read };
}

const renewedOnce = {
  ...CLIENT,
  access_token: 'access-token-1',
  refresh_token: 'refresh-token-1',
};

describe('credentials of the library are renewed', () => {
  test('in the last fifth of their life, at most five minutes ahead, while the old ones are used', async () => {
    await using zendesk = await startZendesk();
    const { clock, kept, read } = connectTo(zendesk);
    clock.advance((HALF_AN_HOUR_S - 301) * 1000);
    await read();
    assert.deepEqual(zendesk.grants(), []);
    clock.advance(1_000);
    await read();
    assert.equal(zendesk.reads().at(-1), 'Bearer access-token-0', 'its token is still good');
    while (kept.length === 0) await new Promise(setImmediate);
    await read();
    assert.equal(zendesk.reads().at(-1), 'Bearer access-token-1');
    assert.deepEqual(zendesk.grants(), [
      { grant_type: 'refresh_token', ...CLIENT, refresh_token: 'refresh-token-0' },
    ]);
    assert.deepEqual(kept, [{ ...renewedOnce, expires_at: at(2 * HALF_AN_HOUR_S - 300) }]);
  });

  test('once for all calls whose token has ended', async () => {
    await using zendesk = await startZendesk({ takes: (token) => token === 'access-token-1' });
    const { clock, connector } = connectTo(zendesk);
    clock.advance(HALF_AN_HOUR_S * 1000);
    await Promise.all(Array.from({ length: 50 }, () => connector.tags.list({})));
    assert.equal(zendesk.grants().length, 1);
    assert.deepEqual([...new Set(zendesk.reads())], ['Bearer access-token-1']);
  });

  test('when the upstream refuses them before their end; a write is then sent once more', async () => {
    const seen: string[] = [];
    await using upstream = await startUpstream((response, _, { line, headers }) => {
      seen.push(`${line} ${headers.authorization ?? ''}`);
      if (line === 'POST /api/oauth.v2.access') reply(response, 200, { ok: true, ...slackTokens });
      else if (headers.authorization === 'Bearer slack-access-1')
        reply(response, 200, {
          ok: true,
          channel: 'C1',
          ts: '1.2',
          message: { ts: '1.2', text: 'Tea?' },
        });
      else reply(response, 200, { ok: false, error: 'token_expired' });
    });
    const slackTokens = {
      access_token: 'slack-access-1',
      refresh_token: 'slack-refresh-1',
      expires_in: 43_200,
    };
    const kept: unknown[] = [];
    const connector = createConnector('chat-workspace', {
      credentials: { ...CLIENT, access_token: 'slack-access-0', refresh_token: 'slack-refresh-0' },
      baseUrl: `${upstream.url}/api`,
      onCredentialsChanged: (credentials) => void kept.push(credentials),
    });
    const message = await connector.messages.create({ channel: 'C1', text: 'Tea?' });
    assert.equal(message.ts, '1.2');
    assert.deepEqual(seen, [
      'POST /api/chat.postMessage Bearer slack-access-0',
      'POST /api/oauth.v2.access ',
      'POST /api/chat.postMessage Bearer slack-access-1',
    ]);
    assert.equal(kept.length, 1);
  });

  test('and not again where the new token is refused, too', async () => {
    await using zendesk = await startZendesk({ takes: () => false });
    const { read } = connectTo(zendesk);
    assert.equal((await errorOf(read())).code, 'credentials_rejected');
    assert.equal((await errorOf(read())).code, 'credentials_rejected');
    assert.equal(zendesk.grants().length, 1);
    assert.equal(zendesk.reads().length, 3);
  });

  test('after passing trouble, with pauses, for as long as the call has time', async () => {
    const trouble: readonly TokenAnswer[] = [
      { status: 500, body: 'oh' },
      'cut',
      { status: 429, body: {} },
      { status: 400, body: { error: 'unsupported_grant_type' } },
    ];
    await using zendesk = await startZendesk({
      grant: (nth) => trouble[nth] ?? issued(nth),
      takes: (token) => token === 'access-token-5',
    });
    const { clock, kept, read } = connectTo(zendesk);
    clock.advance(HALF_AN_HOUR_S * 1000);
    await read();
    assert.equal(zendesk.grants().length, 5);
    assert.equal(kept.length, 1);
    assert.ok(clock.now() - START - HALF_AN_HOUR_S * 1000 >= 500 + 1_000 + 2_000 + 4_000);
  });

  test('and not before the token endpoint wants to be asked again', async () => {
    const busy = { status: 429, body: {}, headers: { 'retry-after': '20' } };
    await using zendesk = await startZendesk({ grant: (nth) => (nth === 0 ? busy : issued(nth)) });
    const { clock, connector, read } = connectTo(zendesk);
    clock.advance(HALF_AN_HOUR_S * 1000);
    const early = errorOf(connector.tags.list({}, { timeoutMs: 19_000 }));
    const error = await turning(clock, early);
    assert.match(error.message, /gave no token/);
    assert.equal(zendesk.grants().length, 1);
    await read();
    assert.equal(zendesk.grants().length, 2);
    assert.ok(clock.now() - START - HALF_AN_HOUR_S * 1000 >= 20_000);
  });

  test('and passing trouble disturbs nobody whose token is still good', async () => {
    await using zendesk = await startZendesk({ grant: () => ({ status: 503, body: 'later' }) });
    const { clock, read } = connectTo(zendesk);
    clock.advance((HALF_AN_HOUR_S - 200) * 1000);
    for (let calls = 0; calls < 20; calls++) await read();
    assert.deepEqual([...new Set(zendesk.reads())], ['Bearer access-token-0']);
    assert.ok(zendesk.grants().length < 5, `${zendesk.grants().length} requests for 20 calls`);
  });
});

/** A token endpoint that issues tokens with other members. */
function answering(change: Readonly<Record<string, unknown>>): () => TokenAnswer {
  return () => {
    const answer = issued(0);
    assert.ok(typeof answer === 'object');
    return { ...answer, body: { ...(answer.body as object), ...change } };
  };
}

describe('what a token endpoint answers', () => {
  for (const [seconds, ends] of [
    [2 ** 63, 10 * 365 * 86_400],
    [1e-9, 1],
  ] as const)
    test(`an end in ${seconds} s is one that a date has, and not over at once`, async () => {
      await using zendesk = await startZendesk({ grant: answering({ expires_in: seconds }) });
      const { clock, kept, read } = connectTo(zendesk);
      clock.advance(HALF_AN_HOUR_S * 1000);
      await read();
      assert.deepEqual(kept, [{ ...renewedOnce, expires_at: at(HALF_AN_HOUR_S + ends) }]);
    });

  for (const [what, change] of [
    ['a line break', { access_token: 'x\r\nX-Evil: 1' }],
    ['more than ASCII', { refresh_token: 'tök€n' }],
    ['no end', { access_token: 'x'.repeat(60_000) }],
  ] as const)
    test(`a token that has ${what} does not replace one that is good`, async () => {
      await using zendesk = await startZendesk({ grant: answering(change) });
      const { clock, kept, read } = connectTo(zendesk);
      clock.advance((HALF_AN_HOUR_S - 200) * 1000);
      for (let calls = 0; calls < 5; calls++) await read();
      assert.deepEqual([...new Set(zendesk.reads())], ['Bearer access-token-0']);
      clock.advance(200_000);
      const error = await errorOf(read());
      assert.equal(error.code, 'upstream_unavailable');
      assert.match(error.message, /gave a token that no header can hold/);
      assert.deepEqual(kept, []);
    });

  test('tokens that come with an error are none', async () => {
    await using zendesk = await startZendesk({ grant: answering({ error: 'invalid_grant' }) });
    const { clock, kept, read } = connectTo(zendesk);
    clock.advance(HALF_AN_HOUR_S * 1000);
    assert.equal((await errorOf(read())).code, 'credentials_rejected');
    assert.deepEqual(kept, []);
  });
});

describe('where they cannot be renewed, the call says why', () => {
  test('a dead grant ends it for good', async () => {
    const body = { error: 'invalid_grant', error_description: 'refresh-token-0 is gone.' };
    await using zendesk = await startZendesk({ grant: () => ({ status: 400, body }) });
    const { clock, read } = connectTo(zendesk);
    clock.advance(HALF_AN_HOUR_S * 1000);
    for (let calls = 0; calls < 3; calls++) {
      const error = await errorOf(read());
      assert.equal(error.code, 'credentials_rejected');
      assert.equal(
        error.message,
        'Zendesk Support gave no token: invalid_grant: [secret] is gone.',
      );
      assert.equal(error.details.entity, 'tags');
    }
    assert.equal(zendesk.grants().length, 1);
  });

  for (const error of ['invalid_client', 'invalid_scope', 'unauthorized_client'])
    test(`so does a client that is none, or may not have the token (${error})`, async () => {
      const body = { error };
      await using zendesk = await startZendesk({ grant: () => ({ status: 400, body }) });
      const { clock, read } = connectTo(zendesk);
      clock.advance(HALF_AN_HOUR_S * 1000);
      assert.equal((await errorOf(read())).code, 'credentials_rejected');
      assert.equal(zendesk.grants().length, 1);
    });

  test('a token endpoint that never answers well is told when the call’s time is up', async () => {
    await using zendesk = await startZendesk({ grant: () => ({ status: 500, body: 'oh' }) });
    const { clock, read } = connectTo(zendesk);
    clock.advance(HALF_AN_HOUR_S * 1000);
    const error = await errorOf(read());
    assert.equal(error.code, 'upstream_unavailable');
    assert.equal(error.message, 'Zendesk Support gave no token: HTTP 500');
    assert.deepEqual(zendesk.reads(), []);
  });

  test('a caller who gives up hears of that alone', async () => {
    await using zendesk = await startZendesk({ grant: () => 'silence' });
    const { clock, connector } = connectTo(zendesk);
    clock.advance(HALF_AN_HOUR_S * 1000);
    const given = new AbortController();
    const call = connector.tags.list({}, { signal: given.signal });
    given.abort(new Error('enough'));
    await assert.rejects(call, /enough/);
  });

  test('without onCredentialsChanged no refresh token is used up', async () => {
    await using zendesk = await startZendesk({ takes: () => false });
    const { clock, read } = connectTo(zendesk, {}, { keeps: false });
    clock.advance(HALF_AN_HOUR_S * 1000);
    const error = await errorOf(read());
    assert.equal(error.code, 'credentials_rejected');
    assert.match(error.message, /onCredentialsChanged/);
    assert.deepEqual(zendesk.grants(), []);
  });

  test('what could not be kept is kept before it is used, and not asked for again', async () => {
    await using zendesk = await startZendesk({ takes: (token) => token === 'access-token-1' });
    const told: unknown[] = [];
    const { clock, read } = connectTo(zendesk, {
      onCredentialsChanged: (credentials) => {
        told.push(credentials);
        if (told.length < 3) throw new Error('the disk is full');
      },
    });
    clock.advance(HALF_AN_HOUR_S * 1000);
    await read();
    assert.equal(told.length, 3);
    assert.equal(zendesk.grants().length, 1);
    assert.deepEqual(zendesk.reads(), ['Bearer access-token-1']);
  });
});

test('a client with a secret of its own gets its tokens by itself, and nothing has to be kept', async () => {
  await using zendesk = await startZendesk({
    grant: (nth) => ({
      status: 200,
      body: { access_token: `access-token-${nth + 1}`, expires_in: HALF_AN_HOUR_S },
    }),
  });
  const { clock, kept, read } = connectTo(zendesk, { credentials: CLIENT });
  await read();
  clock.advance(HALF_AN_HOUR_S * 1000);
  await read();
  const grant = { grant_type: 'client_credentials', ...CLIENT, scope: 'read' };
  assert.deepEqual(zendesk.grants(), [grant, grant]);
  assert.deepEqual(zendesk.reads(), ['Bearer access-token-1', 'Bearer access-token-2']);
  assert.deepEqual(kept, []);
});

test('an instant that is none is a fault of the credentials', () => {
  for (const expires_at of ['tomorrow', '2026-13-01T00:00:00Z', '1790000000'])
    assert.throws(
      () => createConnector('support-ticketing', { credentials: { ...FIRST, expires_at } }),
      /credentials.expires_at must be a UTC date and time/,
    );
});
