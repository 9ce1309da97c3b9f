import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { findKind } from '@patchbay/connectors/engine';
import type { Revocation, Store } from '@patchbay/store';
import type { ServiceOptions } from '../src/index.ts';
import { makeLogger } from '../src/log.ts';
import { LiveConnectors } from '../src/operations/live-connectors.ts';
import { ServedKinds } from '../src/operations/served-kinds.ts';
import { Revoker } from '../src/revocation/revoker.ts';
import { sealCredentials } from '../src/vault/connector-credentials.ts';
import { makeBrowser, makeSession } from './support/connect-page.ts';
import { at, textAt, type TestAnswer } from './support/http-client.ts';
import { makeLogSink } from './support/log-sink.ts';
import { accountOf, rowOf } from './support/renew.ts';
import {
  countOf,
  makeTestGround,
  MASTER_KEY,
  startServiceOn,
  type TestGround,
  type TestService,
} from './support/start-test-service.ts';
import { makeTestClock, type TestClock } from './support/test-clock.ts';
import { until } from './support/until.ts';
import { vaultOf } from './support/vault-of.ts';

const VENDORS = {
  zendeskSupport: {
    kind: 'support-ticketing',
    client: { client_id: 'sandbox-support', client_secret: 'sandbox-support-secret' },
    read: { entity: 'tags', action: 'list', params: {} },
    config: { subdomain: 'acme' },
  },
  zendeskChat: {
    kind: 'support-chat',
    client: { client_id: 'sandbox-chat', client_secret: 'sandbox-chat-secret' },
    read: { entity: 'departments', action: 'list', params: {} },
    config: { subdomain: 'acme' },
  },
  slack: {
    kind: 'chat-workspace',
    client: { client_id: 'sandbox-slack', client_secret: 'sandbox-slack-secret' },
    read: { entity: 'users', action: 'list', params: { limit: 1 } },
    config: {},
  },
  intercom: {
    kind: 'customer-messaging',
    client: {},
    read: { entity: 'tags', action: 'list', params: {} },
    config: {},
  },
} as const;
type Vendor = keyof typeof VENDORS;

const LIFE_S = 180;

interface Scene extends AsyncDisposable {
  readonly clock: TestClock;
  readonly sandbox: Sandbox;
  readonly ground: TestGround;
  readonly running: TestService;
  /** Makes one attempt at all that is due, and returns what was logged of them. */
  readonly revokeDue: (changed?: Partial<Store['revocations']>) => Promise<string>;
}

const reactive = (baseUrl: string) => ({ baseUrl, limits: 'reactive' }) as const;

/** A service that revokes nothing by itself, unless it is to. */
async function makeScene(
  { upstreams: others, ...options }: Partial<ServiceOptions> = { role: 'api' },
): Promise<Scene> {
  const stack = new AsyncDisposableStack();
  const clock = makeTestClock();
  const sandbox = stack.use(
    await startSandbox({ scale: 10, tokenTtlSeconds: LIFE_S, clock: () => clock.now() }),
  );
  const ground = stack.use(await makeTestGround());
  const upstreams = {
    'support-ticketing': reactive(sandbox.urls.zendeskSupport),
    'support-chat': reactive(sandbox.urls.zendeskChat),
    'chat-workspace': reactive(sandbox.urls.slack),
    'customer-messaging': reactive(sandbox.urls.intercom),
    ...others,
  };
  const running = stack.use(await startServiceOn(ground, { clock, upstreams, ...options }));
  const log = makeLogSink();
  const { store } = ground;
  const vault = vaultOf(MASTER_KEY);
  const parts = {
    store,
    vault,
    clock,
    logger: makeLogger({ destination: log }),
    upstreams,
    // Each pair here has the secret of its own app.
    clientOf: () => Promise.resolve(undefined),
  };
  const live = new LiveConnectors({ ...parts, kinds: new ServedKinds() });
  return {
    clock,
    sandbox,
    ground,
    running,
    revokeDue: async (changed) => {
      log.clear();
      const revocations = { ...store.revocations, ...changed };
      const revoker = new Revoker({ ...parts, store: { revocations }, live });
      const due = await store.revocations.take(randomUUID(), { limit: 100, leaseMs: 60_000 });
      const signal = new AbortController().signal;
      await Promise.all(due.map((each) => revoker.attempt(each, signal)));
      return log.text();
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Credentials that a person's consent gave. */
function granted({ sandbox, clock }: Scene, vendor: Vendor, personId?: string) {
  const { client } = VENDORS[vendor];
  const [tokens] = sandbox.oauth.grant({
    vendor,
    ...('client_id' in client ? { clientId: client.client_id } : {}),
    ...(personId === undefined ? {} : { personId }),
  });
  assert.ok(tokens !== undefined);
  const { grantId, accessToken, refreshToken, expiresInSeconds } = tokens;
  const credentials = {
    ...client,
    access_token: accessToken,
    ...(refreshToken === null ? {} : { refresh_token: refreshToken }),
    ...(expiresInSeconds === null
      ? {}
      : { expires_at: new Date(clock.now() + expiresInSeconds * 1000).toISOString() }),
  };
  return { grantId, credentials };
}

async function connect(
  { running }: Scene,
  vendor: Vendor,
  credentials: Readonly<Record<string, string>>,
): Promise<string> {
  const { kind, config } = VENDORS[vendor];
  return running.connector(await running.applicationToken(), {
    connector_type: kind,
    credentials,
    config,
    ...(vendor === 'slack' ? {} : { replication_config: null }),
  });
}

/** Makes a connector's credentials ones that a person consented to here. */
async function asConsented({ ground, clock }: Scene, id: string): Promise<void> {
  const row = await rowOf(ground.store, id);
  const vault = vaultOf(MASTER_KEY);
  const kind = findKind(row.kind);
  const values = JSON.parse(await vault.open(`connector:${id}`, row.sealedCredentials)) as Record<
    string,
    string
  >;
  const sealing = { vault, clock, kind, connectorId: id };
  const given = { method: row.authMethod, values };
  const credentials = await sealCredentials(sealing, given, { isConsented: true });
  await ground.store.connectors.update(id, { credentials });
}

async function send(
  { running }: Scene,
  method: string,
  path: string,
  body?: Readonly<Record<string, unknown>>,
): Promise<TestAnswer> {
  const token = await running.applicationToken();
  return running.send(method, `/v1/integrations/connectors/${path}`, {
    token,
    ...(body === undefined ? {} : { body }),
  });
}

async function remove(scene: Scene, id: string, query = ''): Promise<void> {
  const answer = await send(scene, 'DELETE', `${id}${query}`);
  assert.equal(answer.status, 202, answer.text);
}

/** A call that works, after which it is known whose the credentials are. */
async function use({ running, ground }: Scene, vendor: Vendor, id: string): Promise<void> {
  const token = await running.applicationToken();
  const answer = await running.execute(token, id, VENDORS[vendor].read);
  assert.equal(answer.status, 200, answer.text);
  await accountOf(ground.store, id);
}

function isAway(): Promise<never> {
  return Promise.reject(new Error('the database is away'));
}

function isAlive({ sandbox }: Scene, grantId: string): boolean {
  const found = sandbox.oauth.grants().find(({ id }) => id === grantId);
  assert.ok(found !== undefined);
  return found.isAlive;
}

async function pending({ ground }: Scene): Promise<readonly Revocation[]> {
  const all = await ground.store.revocations.take('test', { limit: 100, leaseMs: 60_000 });
  await Promise.all(all.map((each) => ground.store.revocations.fail(each, 0)));
  return all;
}

describe('deleting a connector revokes its credentials upstream', () => {
  for (const vendor of ['zendeskSupport', 'zendeskChat', 'slack', 'intercom'] as const)
    test(`${vendor}: the token works no more, and nothing is left of it here`, async () => {
      await using scene = await makeScene();
      const { grantId, credentials } = granted(scene, vendor);
      const id = await connect(scene, vendor, credentials);
      if (vendor === 'intercom') await asConsented(scene, id);
      await remove(scene, id);
      assert.equal(isAlive(scene, grantId), true, 'the answer does not wait for the upstream');
      assert.match(await scene.revokeDue(), /"revoked"/);
      assert.equal(isAlive(scene, grantId), false);
      assert.deepEqual(await pending(scene), []);
    });

  test('a worker does so by itself, whoever renews tokens, and tells no secret', async () => {
    await using scene = await makeScene({ role: 'all', renews: false });
    const { grantId, credentials } = granted(scene, 'zendeskSupport');
    await remove(scene, await connect(scene, 'zendeskSupport', credentials));
    await until(() => scene.running.log.text().includes('"revocation"'));
    assert.equal(isAlive(scene, grantId), false);
    const log = scene.running.log.text();
    for (const secret of Object.values(credentials).slice(1)) assert.ok(!log.includes(secret));
  });

  test('what was typed in, and what is to be left, stays as it is', async () => {
    await using scene = await makeScene();
    const { grantId, credentials } = granted(scene, 'zendeskSupport');
    const byQuery = await connect(scene, 'zendeskSupport', credentials);
    await remove(scene, byQuery, '?revoke=false');
    const byBody = await connect(scene, 'zendeskSupport', credentials);
    const answer = await send(scene, 'DELETE', byBody, { revoke: false });
    assert.equal(answer.status, 202, answer.text);
    const byHand = granted(scene, 'intercom');
    await remove(scene, await connect(scene, 'intercom', byHand.credentials));
    await remove(scene, await connect(scene, 'slack', { api_token: 'xoxb-test' }));
    const typed = { email: 'agent@example.com', api_token: 'test-api-token' };
    await remove(scene, await connect(scene, 'zendeskSupport', typed));
    assert.deepEqual(await pending(scene), []);
    assert.ok(isAlive(scene, grantId) && isAlive(scene, byHand.grantId));
  });

  test('what is not for the upstream that is set is erased, and not sent there either', async () => {
    await using upstream = await startSandbox({ scale: 10 });
    const setting = {
      ...reactive(upstream.urls.zendeskSupport),
      refuses: () => 'Not for this one.',
    };
    await using scene = await makeScene({
      role: 'api',
      upstreams: { 'support-ticketing': setting },
    });
    const { credentials } = granted(scene, 'zendeskSupport');
    const ended = { ...credentials, expires_at: '2026-01-01T00:00:00Z' };
    for (const given of [credentials, ended])
      await remove(scene, await connect(scene, 'zendeskSupport', given));
    assert.match(await scene.revokeDue(), /Not for this one/);
    assert.deepEqual(upstream.requests(), []);
    assert.deepEqual(await pending(scene), []);
  });

  test('what is wrong with the request deletes nothing', async () => {
    await using scene = await makeScene();
    const { credentials } = granted(scene, 'zendeskSupport');
    const id = await connect(scene, 'zendeskSupport', credentials);
    for (const [query, body] of [
      ['?revoke=no', undefined],
      ['?revoke=', undefined],
      ['?revoke=false&revoke=true', undefined],
      ['?revokes=false', undefined],
      ['', { revoke: 'false' }],
      ['', { revok: false }],
      ['?revoke=true', { revoke: false }],
    ] as const) {
      const answer = await send(scene, 'DELETE', `${id}${query}`, body);
      assert.equal(answer.status, 422, `${query} ${JSON.stringify(body)} ${answer.text}`);
      assert.equal(at(answer, 'code'), 'invalid_request');
    }
    assert.equal((await send(scene, 'GET', id)).status, 200);
    assert.equal((await send(scene, 'DELETE', `${id}?revoke=true`, { revoke: null })).status, 202);
  });

  test('an access token that has ended is renewed first: its refresh token would live on', async () => {
    await using scene = await makeScene();
    const { grantId, credentials } = granted(scene, 'zendeskSupport');
    await remove(scene, await connect(scene, 'zendeskSupport', credentials));
    scene.clock.advance(LIFE_S * 1000);
    assert.equal(isAlive(scene, grantId), true);
    assert.match(await scene.revokeDue(), /"revoked"/);
    assert.equal(isAlive(scene, grantId), false);
  });

  for (const [what, change] of [
    ['by a client that is none', { client_secret: 'mistyped' }],
    ['without the client', { client_id: null, client_secret: null }],
  ] as const)
    test(`an access token that has ended, and is not renewed ${what}, is not told as revoked`, async () => {
      await using scene = await makeScene();
      const { grantId, credentials } = granted(scene, 'zendeskSupport');
      const given = Object.entries({ ...credentials, ...change }).flatMap(([name, value]) =>
        value === null ? [] : [[name, value]],
      );
      const id = await connect(
        scene,
        'zendeskSupport',
        Object.fromEntries(given) as Readonly<Record<string, string>>,
      );
      await remove(scene, id);
      scene.clock.advance(LIFE_S * 1000);
      const log = await scene.revokeDue();
      assert.match(log, /Credentials are erased, but not revoked upstream/);
      assert.doesNotMatch(log, /"dead"/);
      assert.equal(isAlive(scene, grantId), true);
      assert.deepEqual(await pending(scene), []);
    });

  test('what is renewed first, and cannot be stored, is revoked all the same', async () => {
    await using scene = await makeScene();
    const { grantId, credentials } = granted(scene, 'zendeskSupport');
    await remove(scene, await connect(scene, 'zendeskSupport', credentials));
    scene.clock.advance(LIFE_S * 1000);
    assert.match(await scene.revokeDue({ keep: isAway }), /"revoked"/);
    assert.equal(isAlive(scene, grantId), false);
  });

  test('one that was revoked already is done', async () => {
    await using scene = await makeScene();
    const { grantId, credentials } = granted(scene, 'zendeskSupport');
    await remove(scene, await connect(scene, 'zendeskSupport', credentials));
    scene.sandbox.oauth.revoke(grantId);
    assert.match(await scene.revokeDue(), /"dead"/);
    assert.deepEqual(await pending(scene), []);
  });

  for (const [what, fault] of [
    ['fails', { kind: 'serverError' }],
    ['limits', { kind: 'rateLimit', retryAfterSeconds: 90 }],
    ['breaks off', { kind: 'cutConnection' }],
  ] as const)
    test(`an upstream that ${what} is asked again later`, async () => {
      await using scene = await makeScene();
      const { grantId, credentials } = granted(scene, 'zendeskSupport');
      await remove(scene, await connect(scene, 'zendeskSupport', credentials));
      const method = 'DELETE /oauth/tokens/{id}';
      scene.sandbox.faults.add({ ...fault, method, times: 1 });
      const log = await scene.revokeDue();
      assert.match(log, /tried again/);
      for (const secret of Object.values(credentials).slice(1)) assert.ok(!log.includes(secret));
      assert.equal(isAlive(scene, grantId), true);
      assert.equal(await scene.revokeDue(), '', 'not before the pause is over');
      const asked = countOf(scene.sandbox, method);
      await scene.revokeDue();
      assert.equal(countOf(scene.sandbox, method), asked);
    });

  test('a bot token that another connector has, too, is left until that goes', async () => {
    await using scene = await makeScene();
    const { grantId, credentials } = granted(scene, 'slack');
    const [alice, bob] = [
      await connect(scene, 'slack', credentials),
      await connect(scene, 'slack', { ...credentials }),
    ];
    await use(scene, 'slack', alice);
    await remove(scene, bob);
    assert.match(await scene.revokeDue(), /Another connector/);
    assert.equal(isAlive(scene, grantId), true);
    await use(scene, 'slack', alice);
    await remove(scene, alice);
    await scene.revokeDue();
    assert.equal(isAlive(scene, grantId), false);
  });

  for (const vendor of ['zendeskSupport', 'zendeskChat'] as const)
    for (const life of ['lives', 'has ended'])
      test(`${vendor}: a token that ${life} and another connector has, too, is left until that goes`, async () => {
        await using scene = await makeScene();
        const { grantId, credentials } = granted(scene, vendor);
        const [alice, bob] = [
          await connect(scene, vendor, credentials),
          await connect(scene, vendor, { ...credentials }),
        ];
        if (life === 'has ended') scene.clock.advance(LIFE_S * 1000);
        await remove(scene, bob);
        assert.match(await scene.revokeDue(), /Another connector/);
        assert.equal(renewalsAsked(scene, grantId), 0, 'the refresh token is theirs, too');
        await use(scene, vendor, alice);
        await remove(scene, alice);
        assert.match(await scene.revokeDue(), /"revoked"/);
        assert.equal(isAlive(scene, grantId), false);
      });

  test('a token that waits in a connect session is left: a connector will have it', async () => {
    await using scene = await makeScene();
    const { running } = scene;
    const { kind, config } = VENDORS.zendeskSupport;
    const { grantId, credentials } = granted(scene, 'zendeskSupport');
    const earlier = await connect(scene, 'zendeskSupport', credentials);
    const token = await running.applicationToken();
    const { id, url } = await makeSession(running, token, { connector_types: [kind] });
    const browser = makeBrowser(running);
    await browser.open(url);
    const method = 'oauth';
    const given = await browser.submit(id, { connector_type: kind, method, credentials, config });
    assert.equal(given.status, 200, given.text);
    await remove(scene, earlier);
    assert.match(await scene.revokeDue(), /Another connector/);
    assert.equal(isAlive(scene, grantId), true);
    const confirmed = await running.send('POST', `/v1/connect-sessions/${id}/confirm`, {
      token,
      body: { external_user_id: 'alice' },
    });
    assert.equal(confirmed.status, 200, confirmed.text);
    const connectorId = textAt(confirmed, 'connector_id');
    await use(scene, 'zendeskSupport', connectorId);
    await remove(scene, connectorId);
    assert.match(await scene.revokeDue(), /"revoked"/);
    assert.equal(isAlive(scene, grantId), false);
  });

  test('what a renewal under way brings is revoked with the rest', async () => {
    await using scene = await makeScene();
    const { grantId, credentials } = granted(scene, 'zendeskSupport');
    const id = await connect(scene, 'zendeskSupport', credentials);
    scene.clock.advance(LIFE_S * 1000);
    scene.sandbox.faults.add({ kind: 'delay', delayMs: 500, method: 'POST /oauth/tokens' });
    const { running } = scene;
    const token = await running.applicationToken();
    const call = running.execute(token, id, VENDORS.zendeskSupport.read);
    await until(() => renewalsAsked(scene, grantId) === 1);
    await remove(scene, id);
    await call;
    await until(() => scene.sandbox.oauth.grants().some(({ renewals }) => renewals.succeeded > 0));
    for (let left = 2; left > 0 && isAlive(scene, grantId);) {
      if ((await scene.revokeDue()) !== '') left--;
    }
    assert.equal(isAlive(scene, grantId), false);
  });

  test('what a connector has after all is left; so is what may be its own, as nobody knows whose that is', async () => {
    await using scene = await makeScene();
    const { store } = scene.ground;
    const zendesk = granted(scene, 'zendeskSupport');
    const used = await rowOf(store, await connect(scene, 'zendeskSupport', zendesk.credentials));
    await store.revocations.add({ ...used, connectorId: used.id });
    assert.match(await scene.revokeDue(), /given them after all/);
    assert.equal(isAlive(scene, zendesk.grantId), true);
    const slack = granted(scene, 'slack');
    const unknown = await rowOf(store, await connect(scene, 'slack', slack.credentials));
    assert.equal(unknown.account, null);
    const kind = findKind(unknown.kind);
    const sealing = { vault: vaultOf(MASTER_KEY), clock: scene.clock, kind };
    for (const connectorId of [unknown.id, randomUUID()]) {
      const { grantId, credentials } = granted(scene, 'slack');
      const sealed = await sealCredentials(
        { ...sealing, connectorId },
        { method: unknown.authMethod, values: { access_token: credentials.access_token } },
      );
      await store.revocations.add({ ...unknown, connectorId, ...sealed });
      const isForIt = connectorId === unknown.id;
      assert.match(await scene.revokeDue(), isForIt ? /Another connector/ : /"revoked"/);
      assert.equal(isAlive(scene, grantId), isForIt);
    }
  });

  test('credentials that another account replaces are revoked; those of the same account are not', async () => {
    await using scene = await makeScene();
    const { people } = scene.sandbox.oauth.servers.slack;
    const other = people.find(({ account }) => account.id !== people[0]?.account.id);
    assert.ok(other !== undefined);
    const [first, again, another] = [
      granted(scene, 'slack'),
      granted(scene, 'slack'),
      granted(scene, 'slack', other.id),
    ];
    const id = await connect(scene, 'slack', first.credentials);
    await use(scene, 'slack', id);
    const same = await send(scene, 'PATCH', id, { credentials: again.credentials });
    assert.equal(same.status, 200, same.text);
    assert.deepEqual(await pending(scene), []);
    const replaced = await send(scene, 'PATCH', id, {
      credentials: another.credentials,
      replace_account: true,
    });
    assert.equal(replaced.status, 200, replaced.text);
    await scene.revokeDue();
    assert.deepEqual(
      [first, again, another].map(({ grantId }) => isAlive(scene, grantId)),
      [true, false, true],
    );
  });
});

function renewalsAsked({ sandbox }: Scene, grantId: string): number {
  return sandbox.oauth.grants().find(({ id }) => id === grantId)?.renewals.asked ?? 0;
}

/** Of the warnings of a connector, those of an end: a Zendesk's without subdomain has others. */
function endingsIn(warnings: unknown): readonly { readonly ends_at?: unknown }[] {
  assert.ok(Array.isArray(warnings));
  const all = warnings as readonly { readonly code: unknown; readonly ends_at?: unknown }[];
  return all.filter(({ code }) => code === 'credentials_ending');
}

describe('a connector says when its credentials end', () => {
  const cases = [
    ['an API token', { email: 'a@example.com', api_token: 'test-token' }, '2027-04-30'],
    ['a token without an end', { access_token: 'test-token' }, '2027-04-01'],
    [
      'a token with an end',
      { access_token: 'test-token', expires_at: '2027-01-02T03:04:05Z' },
      '2027-01-02T03:04:05',
    ],
    ['client credentials', VENDORS.zendeskSupport.client, undefined],
  ] as const;
  for (const [what, credentials, wanted] of cases)
    test(what, async () => {
      await using scene = await makeScene();
      const id = await connect(scene, 'zendeskSupport', credentials);
      const read = await send(scene, 'GET', id);
      const check = await send(scene, 'POST', `${id}/check`);
      const list = await send(scene, 'GET', '');
      for (const warnings of [
        endingsIn(at(read, 'warnings')),
        endingsIn(at(check, 'warnings')),
        endingsIn(at(list, 'data.0.warnings')),
      ]) {
        assert.equal(warnings.length, wanted === undefined ? 0 : 1);
        for (const { ends_at: endsAt } of warnings)
          assert.ok(String(endsAt).startsWith(wanted ?? ''), read.text);
      }
    });

  test('not where they renew themselves, nor where they last', async () => {
    await using scene = await makeScene();
    const { credentials } = granted(scene, 'zendeskSupport');
    for (const id of [
      await connect(scene, 'zendeskSupport', credentials),
      await connect(scene, 'slack', { api_token: 'xoxb-test' }),
    ])
      assert.deepEqual(endingsIn(at(await send(scene, 'GET', id), 'warnings')), []);
  });
});
