import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { StoreError, type Store } from '@patchbay/store';
import type { ServiceOptions } from '../src/index.ts';
import { at, textAt, type TestAnswer } from './support/http-client.ts';
import { assertProblem } from './support/problem.ts';
import { accountOf, rowOf } from './support/renew.ts';
import {
  countOf,
  makeTestGround,
  someChannel,
  startServiceOn,
  type TestGround,
  type TestService,
} from './support/start-test-service.ts';
import { makeTestClock, type TestClock } from './support/test-clock.ts';
import { until } from './support/until.ts';

const CLIENTS = {
  zendeskSupport: { client_id: 'sandbox-support', client_secret: 'sandbox-support-secret' },
  slack: { client_id: 'sandbox-slack', client_secret: 'sandbox-slack-secret' },
} as const;
const KINDS = { zendeskSupport: 'support-ticketing', slack: 'chat-workspace' } as const;
const READS = {
  zendeskSupport: { entity: 'tags', action: 'list', params: {} },
  slack: { entity: 'users', action: 'list', params: { limit: 1 } },
} as const;
type Vendor = keyof typeof CLIENTS;

/** How long access tokens live. */
const LIFE_MS = 180_000;

interface Scene extends AsyncDisposable {
  /** That of the services and of the sandbox. */
  readonly clock: TestClock;
  readonly sandbox: Sandbox;
  readonly ground: TestGround;
  /** Another service on the same database. */
  readonly service: (options?: Partial<ServiceOptions>) => Promise<TestService>;
}

async function makeScene(): Promise<Scene> {
  const stack = new AsyncDisposableStack();
  const clock = makeTestClock();
  const tokenTtlSeconds = LIFE_MS / 1000;
  const sandbox = stack.use(
    await startSandbox({ scale: 10, tokenTtlSeconds, clock: () => clock.now() }),
  );
  const ground = stack.use(await makeTestGround());
  return {
    clock,
    sandbox,
    ground,
    service: async (more = {}) =>
      stack.use(
        await startServiceOn(ground, {
          clock,
          upstreams: {
            'support-ticketing': { baseUrl: sandbox.urls.zendeskSupport, limits: 'reactive' },
            'chat-workspace': { baseUrl: sandbox.urls.slack, limits: 'reactive' },
          },
          ...more,
        }),
      ),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Credentials that a person's consent gave, in the words of a connector. */
function granted(
  { sandbox, clock }: Scene,
  vendor: Vendor,
  { knowsEnd = true }: { readonly knowsEnd?: boolean } = {},
) {
  const [tokens] = sandbox.oauth.grant({ vendor, clientId: CLIENTS[vendor].client_id });
  assert.ok(tokens?.refreshToken);
  const endsAt = clock.now() + (tokens.expiresInSeconds ?? 0) * 1000;
  return {
    grantId: tokens.grantId,
    credentials: {
      ...CLIENTS[vendor],
      access_token: tokens.accessToken,
      refresh_token: tokens.refreshToken,
      ...(knowsEnd ? { expires_at: new Date(endsAt).toISOString() } : {}),
    },
  };
}

async function connected(
  running: TestService,
  vendor: Vendor,
  credentials: Readonly<Record<string, string>>,
) {
  const token = await running.applicationToken();
  const id = await running.connector(token, {
    connector_type: KINDS[vendor],
    credentials,
    ...(vendor === 'slack' ? {} : { replication_config: null, config: { subdomain: 'acme' } }),
  });
  return { id, call: () => running.execute(token, id, READS[vendor]) };
}

function report(sandbox: Sandbox, grantId: string) {
  const found = sandbox.oauth.grants().find(({ id }) => id === grantId);
  assert.ok(found !== undefined);
  return found;
}

function assertSucceeded(answers: readonly TestAnswer[]): void {
  for (const answer of answers) assert.equal(answer.status, 200, answer.text);
}

describe('credentials of connectors are renewed', () => {
  for (const vendor of ['zendeskSupport', 'slack'] as const)
    test(`${vendor}: ahead of their end, once each time, while calls go on over two services`, async () => {
      await using scene = await makeScene();
      const { sandbox } = scene;
      const [one, other] = [await scene.service(), await scene.service()];
      const { grantId, credentials } = granted(scene, vendor);
      const { id, call } = await connected(one, vendor, credentials);
      assertSucceeded([await call()]);
      // Otherwise the services ask for it beside the calls, with a token that may die meanwhile.
      await accountOf(scene.ground.store, id);
      const token = await one.applicationToken();
      const callOther = () => other.execute(token, id, READS[vendor]);
      for (let renewals = 1; renewals <= 3; renewals++) {
        scene.clock.advance(LIFE_MS - 10_000);
        const { succeeded } = report(sandbox, grantId).renewals;
        for (let waves = 0; report(sandbox, grantId).renewals.succeeded === succeeded; waves++) {
          assert.ok(waves < 1_000, 'nobody renews');
          assertSucceeded(await Promise.all([call(), callOther(), call(), callOther()]));
        }
        assertSucceeded(await Promise.all([call(), callOther(), call(), callOther()]));
        assert.equal(report(sandbox, grantId).renewals.succeeded, renewals);
      }
      const { renewals, deadAccessTokens, deadRefreshTokens } = report(sandbox, grantId);
      assert.equal(renewals.asked, 3);
      assert.equal(renewals.mostInFlight, 1);
      assert.equal(deadRefreshTokens.uses, 0);
      assert.ok(deadAccessTokens.mostUsesOfOne <= 4, 'the calls of one wave at most');
      const row = await scene.ground.store.connectors.find(id);
      assert.equal(row?.credentialsEpoch, 1);
    });

  test('once they are refused, where nobody knew their end', async () => {
    await using scene = await makeScene();
    const running = await scene.service();
    const { grantId, credentials } = granted(scene, 'zendeskSupport', { knowsEnd: false });
    const { call } = await connected(running, 'zendeskSupport', credentials);
    scene.clock.advance(LIFE_MS);
    assertSucceeded(await Promise.all(Array.from({ length: 20 }, call)));
    assert.equal(report(scene.sandbox, grantId).renewals.asked, 1);
  });

  test('after trouble at the token endpoint, for which calls wait whose token has ended', async () => {
    await using scene = await makeScene();
    const running = await scene.service();
    const { grantId, credentials } = granted(scene, 'zendeskSupport');
    const { call } = await connected(running, 'zendeskSupport', credentials);
    scene.sandbox.faults.add({ kind: 'serverError', method: 'POST /oauth/tokens', times: 2 });
    scene.sandbox.faults.add({ kind: 'rateLimit', method: 'POST /oauth/tokens', times: 1 });
    scene.clock.advance(LIFE_MS);
    assertSucceeded(await Promise.all(Array.from({ length: 5 }, call)));
    assert.equal(report(scene.sandbox, grantId).renewals.succeeded, 1);
  });

  test('an hour later at the latest, whatever the token endpoint asks for', async () => {
    await using scene = await makeScene();
    const running = await scene.service();
    const { credentials } = granted(scene, 'zendeskSupport');
    const { id } = await connected(running, 'zendeskSupport', credentials);
    const method = 'POST /oauth/tokens';
    scene.sandbox.faults.add({ kind: 'rateLimit', retryAfterSeconds: 86_400, method, times: 1 });
    scene.clock.advance(LIFE_MS);
    const token = await running.applicationToken();
    const soon = { 'patchbay-timeout-ms': '500' };
    const answer = await running.execute(token, id, READS.zendeskSupport, soon);
    assertProblem(answer, 'upstream_unavailable');
    const pauses = running.log.lines().map((line) => line['pause_ms']);
    assert.deepEqual(
      pauses.filter((each) => each !== undefined),
      [3_600_000],
    );
  });

  test('by a client that gets its tokens itself, and is tried before it is stored', async () => {
    await using scene = await makeScene();
    const running = await scene.service();
    const token = await running.applicationToken();
    const create = (client_secret: string) =>
      running.send('POST', '/v1/integrations/connectors', {
        token,
        body: {
          external_user_id: 'user-1',
          connector_type: 'support-ticketing',
          name: 'Help desk',
          credentials: { client_id: CLIENTS.zendeskSupport.client_id, client_secret },
          config: { subdomain: 'acme' },
          verify: true,
        },
      });
    const refused = await create('not-the-secret-of-it');
    assert.notEqual(refused.status, 201);
    assert.ok(!refused.text.includes('not-the-secret-of-it'));
    const created = await create(CLIENTS.zendeskSupport.client_secret);
    assert.equal(created.status, 201, created.text);
    const id = textAt(created, 'id');
    for (let calls = 0; calls < 3; calls++, scene.clock.advance(LIFE_MS))
      assertSucceeded([await running.execute(token, id, READS.zendeskSupport)]);
    // A part of the credentials merges with what was given, not with what was issued since.
    const patched = await running.send('PATCH', `/v1/integrations/connectors/${id}`, {
      token,
      body: { credentials: { client_secret: CLIENTS.zendeskSupport.client_secret } },
    });
    assert.equal(patched.status, 200, patched.text);
    assert.equal((await scene.ground.store.connectors.find(id))?.credentialsEpoch, 1);
  });

  test('and stored before anybody uses them, however long the database takes', async () => {
    await using scene = await makeScene();
    const { store } = scene.ground;
    let failures = 2;
    const renewals: typeof store.renewals = {
      ...store.renewals,
      finish: (...given) => {
        if (failures-- > 0) return Promise.reject(new Error('the database is away'));
        return store.renewals.finish(...given);
      },
    };
    await assertStoredAtLast(scene, { ...store, renewals });
  });

  test('and stored soon after the database is back, before others ask with what is dead', async () => {
    await using scene = await makeScene();
    const { store } = scene.ground;
    const pauses: number[] = [];
    let failures = 0;
    const renewals: typeof store.renewals = {
      ...store.renewals,
      finish: (...given) => {
        if (++failures < 12) return Promise.reject(new Error('the database is away'));
        return store.renewals.finish(...given);
      },
    };
    const after: TestClock['after'] = (ms, callback) => {
      const isAway = failures > 0 && failures < 12;
      if (isAway) pauses.push(ms);
      return scene.clock.after(isAway ? 0 : ms, callback);
    };
    const clock = { ...scene.clock, after };
    await assertStoredAtLast({ ...scene, clock }, { ...store, renewals });
    assert.equal(pauses.length, 11);
    assert.ok(Math.max(...pauses) <= 1_000, pauses.join());
  });

  test('and sealed, however long the database takes to tell with which key', async () => {
    await using scene = await makeScene();
    const { store } = scene.ground;
    let failures = 0;
    const settings: typeof store.settings = {
      ...store.settings,
      get: (name) => {
        if (failures-- > 0) return Promise.reject(new Error('the database is away'));
        return store.settings.get(name);
      },
    };
    const profile = { ...store.profile, isExclusive: false };
    await assertStoredAtLast(scene, { ...store, settings, profile }, () => (failures = 2));
    assert.ok(failures <= 0, 'nobody asked');
  });
});

/** Of a service on that store; `begin` runs before the renewal. */
async function assertStoredAtLast(
  scene: Scene,
  store: Store,
  begin: () => void = () => {},
): Promise<void> {
  await using running = await startServiceOn(
    { ...scene.ground, store },
    {
      clock: scene.clock,
      upstreams: {
        'support-ticketing': { baseUrl: scene.sandbox.urls.zendeskSupport, limits: 'reactive' },
      },
    },
  );
  const { grantId, credentials } = granted(scene, 'zendeskSupport');
  const { call } = await connected(running, 'zendeskSupport', credentials);
  begin();
  scene.clock.advance(LIFE_MS);
  assertSucceeded([await call()]);
  assert.equal(report(scene.sandbox, grantId).renewals.asked, 1);
}

describe('credentials that cannot be renewed', () => {
  test('for want of the database keep a write from being sent, which says so and frees its key', async () => {
    await using scene = await makeScene();
    const { store } = scene.ground;
    let isDown = false;
    const renewals: typeof store.renewals = {
      ...store.renewals,
      begin: (...given) =>
        isDown
          ? Promise.reject(new StoreError('database_silent', 'no answer'))
          : store.renewals.begin(...given),
    };
    await using running = await startServiceOn(
      { ...scene.ground, store: { ...store, renewals } },
      {
        clock: scene.clock,
        upstreams: { 'chat-workspace': { baseUrl: scene.sandbox.urls.slack, limits: 'reactive' } },
      },
    );
    const token = await running.applicationToken();
    const { credentials } = granted(scene, 'slack');
    const id = await running.connector(token, { credentials });
    const channel = await someChannel(running, token, id);
    const write = () =>
      running.execute(
        token,
        id,
        { entity: 'messages', action: 'create', params: { channel, text: 'hello' } },
        { 'idempotency-key': 'once' },
      );
    scene.clock.advance(LIFE_MS);
    isDown = true;
    assertProblem(await write(), 'not_ready');
    assert.equal(countOf(scene.sandbox, 'chat.postMessage'), 0);
    isDown = false;
    assertSucceeded([await write(), await write()]);
    assert.equal(countOf(scene.sandbox, 'chat.postMessage'), 1);
  });

  test('are `reauth_required` with the reason, and are asked for no more', async () => {
    await using scene = await makeScene();
    const running = await scene.service();
    const { grantId, credentials } = granted(scene, 'zendeskSupport');
    const { call } = await connected(running, 'zendeskSupport', credentials);
    scene.sandbox.oauth.revoke(grantId);
    scene.clock.advance(LIFE_MS);
    const [first, next] = [await call(), await call()];
    assert.equal(at(first, 'code'), 'credentials_rejected', first.text);
    assert.equal(at(next, 'code'), 'reauth_required', next.text);
    assert.match(textAt(next, 'detail'), /Zendesk Support gave no token: invalid_grant/);
    for (const answer of [first, next])
      for (const secret of Object.values(credentials)) assert.ok(!answer.text.includes(secret));
    assert.equal(report(scene.sandbox, grantId).renewals.asked, 1);
  });

  test('since an answer was lost, say so; one more try is all there is', async () => {
    await using scene = await makeScene();
    const running = await scene.service();
    const { grantId, credentials } = granted(scene, 'zendeskSupport');
    const { call } = await connected(running, 'zendeskSupport', credentials);
    const lost = { method: 'POST /oauth/tokens', times: 1, afterApplying: true } as const;
    scene.sandbox.faults.add({ kind: 'cutConnection', ...lost });
    scene.clock.advance(LIFE_MS);
    const answer = await call();
    assert.equal(at(answer, 'code'), 'credentials_rejected', answer.text);
    assert.match(answer.text, /The answer to an earlier renewal was lost/);
    await call();
    assert.equal(report(scene.sandbox, grantId).renewals.asked, 2);
  });

  test('since their client is none, say only that, whatever was lost before', async () => {
    await using scene = await makeScene();
    const running = await scene.service();
    const { credentials } = granted(scene, 'zendeskSupport');
    const mistyped = { ...credentials, client_secret: 'mistyped' };
    const { call } = await connected(running, 'zendeskSupport', mistyped);
    const lost = { method: 'POST /oauth/tokens', times: 1 } as const;
    scene.sandbox.faults.add({ kind: 'cutConnection', ...lost });
    scene.clock.advance(LIFE_MS);
    const answer = await call();
    assert.equal(at(answer, 'code'), 'credentials_rejected', answer.text);
    assert.match(answer.text, /gave no token: invalid_client/);
    assert.doesNotMatch(answer.text, /earlier renewal was lost/);
  });

  test('are left to others where renewal is off', async () => {
    await using scene = await makeScene();
    const running = await scene.service({ renews: false });
    const { grantId, credentials } = granted(scene, 'zendeskSupport');
    const { id, call } = await connected(running, 'zendeskSupport', credentials);
    scene.clock.advance(LIFE_MS);
    assert.equal(at(await call(), 'code'), 'credentials_rejected');
    assert.equal(report(scene.sandbox, grantId).renewals.asked, 0);
    const others = granted(scene, 'zendeskSupport');
    const patched = await running.send('PATCH', `/v1/integrations/connectors/${id}`, {
      token: await running.applicationToken(),
      body: { credentials: others.credentials },
    });
    assert.equal(patched.status, 200, patched.text);
    assertSucceeded([await call()]);
  });
});

test('a part of the credentials that is given while they are renewed is put to what was issued', async () => {
  await using scene = await makeScene();
  const { sandbox, clock } = scene;
  const running = await scene.service();
  const { grantId, credentials } = granted(scene, 'zendeskSupport');
  const { id, call } = await connected(running, 'zendeskSupport', credentials);
  assertSucceeded([await call()]);
  await accountOf(scene.ground.store, id);
  clock.advance(LIFE_MS);
  sandbox.faults.add({ kind: 'delay', delayMs: 500, method: 'POST /oauth/tokens', times: 1 });
  const waiting = call();
  await until(() => report(sandbox, grantId).renewals.asked === 1);
  const endsAt = new Date(clock.now() + LIFE_MS - 1_000).toISOString();
  const answer = await running.send('PATCH', `/v1/integrations/connectors/${id}`, {
    token: await running.applicationToken(),
    body: { credentials: { expires_at: endsAt } },
  });
  assert.equal(answer.status, 200, answer.text);
  assert.equal((await rowOf(scene.ground.store, id)).tokenEndsAt?.toISOString(), endsAt);
  assertSucceeded([await waiting, await call()]);
  clock.advance(LIFE_MS);
  assertSucceeded([await call()]);
  const { renewals, deadRefreshTokens } = report(sandbox, grantId);
  assert.deepEqual([renewals.succeeded, deadRefreshTokens.uses], [2, 0]);
});

test('the secret of their client can be mended by itself once it is their renewal that fails', async () => {
  await using scene = await makeScene();
  const { sandbox, clock } = scene;
  const running = await scene.service();
  const { grantId, credentials } = granted(scene, 'zendeskSupport');
  const mistyped = { ...credentials, client_secret: 'mistyped' };
  const { id, call } = await connected(running, 'zendeskSupport', mistyped);
  assertSucceeded([await call()]);
  const account = await accountOf(scene.ground.store, id);
  clock.advance(LIFE_MS);
  assert.equal((await call()).status, 424);
  const answer = await running.send('PATCH', `/v1/integrations/connectors/${id}`, {
    token: await running.applicationToken(),
    body: { credentials: { client_secret: credentials.client_secret } },
  });
  assert.equal(answer.status, 200, answer.text);
  assertSucceeded([await call()]);
  const row = await rowOf(scene.ground.store, id);
  assert.deepEqual([row.state, row.account], ['active', account]);
  assert.equal(report(sandbox, grantId).renewals.succeeded, 1);
});

test('a refresh token is given with its access token: by itself it may be somebody else’s', async () => {
  await using scene = await makeScene();
  const running = await scene.service();
  const { credentials } = granted(scene, 'zendeskSupport');
  const others = granted(scene, 'zendeskSupport').credentials;
  const { id } = await connected(running, 'zendeskSupport', credentials);
  const before = await rowOf(scene.ground.store, id);
  const answer = await running.send('PATCH', `/v1/integrations/connectors/${id}`, {
    token: await running.applicationToken(),
    body: { credentials: { refresh_token: others.refresh_token } },
  });
  assertProblem(answer, 'invalid_credentials');
  assert.equal((await rowOf(scene.ground.store, id)).sealedCredentials, before.sealedCredentials);
});

test('an access token that is given by itself says nothing of the pair before', async () => {
  await using scene = await makeScene();
  const running = await scene.service();
  const { credentials } = granted(scene, 'zendeskSupport');
  const { id } = await connected(running, 'zendeskSupport', credentials);
  const before = await scene.ground.store.connectors.find(id);
  assert.ok(before?.renewAt instanceof Date && before.tokenEndsAt instanceof Date);
  await running.send('PATCH', `/v1/integrations/connectors/${id}`, {
    token: await running.applicationToken(),
    body: { credentials: { access_token: 'made-by-hand' } },
  });
  const now = await scene.ground.store.connectors.find(id);
  assert.equal(now?.renewAt, null);
  assert.equal(now.tokenEndsAt, null);
  assert.equal(now.credentialsEpoch, 2);
});
