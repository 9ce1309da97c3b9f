import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Sandbox } from '@patchbay/sandbox';
import type { Store } from '@patchbay/store';
import { cookieNameOf, hashOf } from '../src/consent/cookies.ts';
import { newSecret } from '../src/random-secret.ts';
import {
  BACK,
  consentOptions,
  consentTo,
  initiate,
  kindOf,
  peopleOf,
  smallSandbox,
  TestBrowser,
  type BrowserAnswer,
  type KindName,
} from './support/consent.ts';
import {
  logIn,
  makeTestGround,
  startServiceOn,
  type TestGround,
  type TestService,
} from './support/start-test-service.ts';

const TICKETING = 'support-ticketing';
const TOKEN_ENDPOINT = 'POST /oauth/tokens';

/** A person who has consented, just before the vendor's redirect. */
interface Returning {
  readonly browser: TestBrowser;
  /** Where the vendor sends them. */
  readonly callback: URL;
  readonly state: string;
}

/** What becomes of the callback before it is opened. */
type Change = (parts: {
  readonly url: URL;
  readonly browser: TestBrowser;
  readonly own: Returning;
  /** Of another external user, in another browser. */
  readonly other: Returning;
}) => void;

/** Each of them ends on a page of ours, with nothing connected and no code used. */
const REFUSED: Readonly<Record<string, readonly [status: number, change: Change]>> = {
  'no parameters at all': [400, ({ url }) => (url.search = '')],
  'no state': [400, ({ url }) => url.searchParams.delete('state')],
  'an empty state': [400, ({ url }) => url.searchParams.set('state', '')],
  'a doubled state': [400, ({ url, own }) => url.searchParams.append('state', own.state)],
  'two states': [400, ({ url, other }) => url.searchParams.append('state', other.state)],
  'a state that is none': [400, ({ url }) => url.searchParams.set('state', "' or 1=1 --")],
  'a state that is too long': [
    400,
    ({ url, own }) => url.searchParams.set('state', `${own.state}A`),
  ],
  'a state that never was': [404, ({ url }) => url.searchParams.set('state', newSecret())],
  'the state of another person': [
    403,
    ({ url, other }) => url.searchParams.set('state', other.state),
  ],
  'no code': [400, ({ url }) => url.searchParams.delete('code')],
  'an empty code': [400, ({ url }) => url.searchParams.set('code', '')],
  'a doubled code': [400, ({ url }) => url.searchParams.append('code', 'another')],
  'a code that is too long': [400, ({ url }) => url.searchParams.set('code', 'x'.repeat(2_049))],
  'a code with a line break': [400, ({ url }) => url.searchParams.set('code', 'a\r\nb')],
  'a code and an error': [400, ({ url }) => url.searchParams.set('error', 'access_denied')],
  'two errors': [
    400,
    ({ url }) => {
      url.searchParams.delete('code');
      url.searchParams.append('error', 'access_denied');
      url.searchParams.append('error', 'access_denied');
    },
  ],
  'an error that is empty': [
    400,
    ({ url }) => {
      url.searchParams.delete('code');
      url.searchParams.set('error', '');
    },
  ],
  'another browser': [403, ({ browser }) => browser.cookies.clear()],
  'the browser of another external user': [
    403,
    ({ browser, other }) => {
      browser.cookies.clear();
      for (const [name, value] of other.browser.cookies) browser.cookies.set(name, value);
    },
  ],
  'the cookie of another external user under its own name': [
    403,
    ({ browser, own, other }) => {
      const theirs = other.browser.cookies.get(cookieNameOf(other.state)) ?? '';
      browser.cookies.set(cookieNameOf(own.state), theirs);
    },
  ],
  'a cookie that somebody made': [
    403,
    ({ browser, own }) => browser.cookies.set(cookieNameOf(own.state), newSecret()),
  ],
  'an empty cookie': [403, ({ browser, own }) => browser.cookies.set(cookieNameOf(own.state), '')],
  'a second cookie beside its own': [
    403,
    ({ browser, own }) => {
      const name = cookieNameOf(own.state);
      browser.cookies.set(name, `${browser.cookies.get(name)}; ${name}=${newSecret()}`);
    },
  ],
};

function assertPage(answer: BrowserAnswer, status: number, told: string): void {
  assert.equal(answer.status, status, `${told}: ${answer.text}`);
  assert.equal(answer.location, undefined, told);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/html/, told);
  assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.equal(answer.headers.get('referrer-policy'), 'no-referrer');
  assert.match(answer.text, /Go back to|begin again|Wait a minute/, told);
}

/** What the application is told: error and description. */
function errorOf(answer: BrowserAnswer): readonly (string | null)[] {
  assert.equal(answer.status, 303, answer.text);
  const url = new URL(answer.location ?? '');
  assert.equal(url.origin + url.pathname, BACK);
  return [url.searchParams.get('error'), url.searchParams.get('error_description')];
}

/** The same callback at another process. */
function at(callback: URL, { service }: TestService): string {
  return service.url + callback.pathname + callback.search;
}

describe('what a vendor sends back', () => {
  let sandbox: Sandbox;
  let ground: TestGround;
  let running: TestService;
  let token: string;
  before(async () => {
    sandbox = await smallSandbox();
    ground = await makeTestGround();
    running = await startServiceOn(ground, consentOptions(sandbox));
    token = await running.applicationToken();
  });
  after(async () => {
    await running[Symbol.asyncDispose]();
    await ground[Symbol.asyncDispose]();
    await sandbox.close();
  });

  const person = (kind: KindName, index = 0) => peopleOf(sandbox, kind)[index]?.id ?? '';
  const returning = async (
    body: Readonly<Record<string, unknown>> = {},
    kind: KindName = TICKETING,
  ): Promise<Returning> => {
    const browser = new TestBrowser();
    const url = await initiate(running, token, { connector_type: kind, ...body });
    const callback = new URL(await browser.decide(await browser.goOn(url), person(kind)));
    return { browser, callback, state: callback.searchParams.get('state') ?? '' };
  };
  const exchanges = () =>
    sandbox
      .requests()
      .filter(
        ({ method, params }) =>
          method === TOKEN_ENDPOINT && params['grant_type'] === 'authorization_code',
      ).length;
  const connectorCount = async (externalUserId: string) => {
    const [first] = await running.store.applications.list();
    const filter = { applicationId: first?.id ?? '', externalUserId };
    return (await running.store.connectors.list(filter, { limit: 100 })).length;
  };

  for (const [name, [status, change]] of Object.entries(REFUSED))
    test(`${name}: a page of ours, nothing connected, and the right one still works`, async () => {
      const [externalUserId, otherUserId] = [`own ${name}`, `other ${name}`];
      const own = await returning({ external_user_id: externalUserId });
      const other = await returning({ external_user_id: otherUserId });
      const asked = exchanges();
      const browser = new TestBrowser();
      for (const [cookie, value] of own.browser.cookies) browser.cookies.set(cookie, value);
      const url = new URL(own.callback);
      change({ url, browser, own, other });
      const answer = await browser.open(url.href);
      assertPage(answer, status, name);
      const code = own.callback.searchParams.get('code') ?? '';
      for (const secret of [own.state, other.state, code]) assert.ok(!answer.text.includes(secret));
      assert.equal(exchanges(), asked);
      assert.equal(await connectorCount(externalUserId), 0);
      const right = await own.browser.open(own.callback.href);
      assert.deepEqual(errorOf(right), [null, null]);
      assert.equal(await connectorCount(externalUserId), 1);
      assert.equal(await connectorCount(otherUserId), 0);
    });

  test('the second of two is told that it was used; also of many at once one connects', async () => {
    const user = { external_user_id: 'twice' };
    const { browser, callback } = await returning(user);
    const asked = exchanges();
    const cookies = new Map(browser.cookies);
    const both = await Promise.all(
      Array.from({ length: 5 }, () => {
        const twin = new TestBrowser();
        for (const [name, value] of cookies) twin.cookies.set(name, value);
        return twin.open(callback.href);
      }),
    );
    assert.deepEqual(
      both.map(({ status }) => status).toSorted((a, b) => a - b),
      [303, 404, 404, 404, 404],
    );
    assert.equal(exchanges(), asked + 1);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    assertPage(await browser.open(callback.href), 404, 'replayed');
    assert.equal(await connectorCount('twice'), 1);
  });

  test('a code of another consent is refused by the vendor, where there is PKCE', async () => {
    const own = await returning({ external_user_id: 'injected' });
    const other = await returning({ external_user_id: 'injecting' });
    const url = new URL(own.callback);
    url.searchParams.set('code', other.callback.searchParams.get('code') ?? '');
    const [error, description] = errorOf(await own.browser.open(url.href));
    assert.equal(error, 'creation_failed');
    assert.match(description ?? '', /invalid_grant/);
    assert.equal(await connectorCount('injected'), 0);
  });

  test('PKCE is asked for by the kinds that may, and never by Slack', async () => {
    for (const kind of ['chat-workspace', 'customer-messaging', TICKETING] as const) {
      const url = await initiate(running, token, { connector_type: kind });
      const authorize = new URL(await new TestBrowser().goOn(url)).searchParams;
      assert.equal(authorize.get('code_challenge_method'), kind === TICKETING ? 'S256' : null);
      assert.equal(authorize.has('code_challenge'), kind === TICKETING);
      assert.equal(authorize.get('redirect_uri'), `${running.service.url}/connect/oauth/callback`);
    }
  });

  test('a look ahead with HEAD uses nothing up', async () => {
    const { browser, callback } = await returning();
    const looked = await browser.open(callback.href, { method: 'HEAD' });
    assert.equal(looked.status, 405);
    assert.equal((await browser.open(callback.href)).status, 303);
  });

  test('an error of the vendor comes back as one of ours, without its words', async () => {
    for (const [error, told] of [
      ['invalid_scope', 'invalid_scope'],
      ['<script>alert(1)</script>', 'an error'],
    ] as const) {
      const { browser, callback } = await returning();
      callback.searchParams.delete('code');
      callback.searchParams.set('error', error);
      callback.searchParams.set('error_description', 'say this to them');
      const name = kindOf(TICKETING).displayName;
      const expected = ['creation_failed', `${name} asked nobody: ${told}.`];
      assert.deepEqual(errorOf(await browser.open(callback.href)), expected);
    }
  });

  test('a token endpoint that shows a page, or breaks off, is asked once', async () => {
    for (const fault of [
      { kind: 'htmlBody' },
      { kind: 'serverError', status: 500, body: 'html' },
      { kind: 'cutConnection', afterApplying: true },
      { kind: 'upstreamError', error: 'invalid_client' },
    ] as const) {
      const { browser, callback } = await returning({ external_user_id: 'unlucky' });
      const asked = exchanges();
      const handle = sandbox.faults.add({ ...fault, method: TOKEN_ENDPOINT });
      const [error] = errorOf(await browser.open(callback.href));
      handle.release();
      assert.equal(error, 'creation_failed', fault.kind);
      assert.equal(exchanges(), asked + 1, fault.kind);
    }
    assert.equal(await connectorCount('unlucky'), 0);
  });

  test('credentials that do not work make no connector', async () => {
    const { browser, callback } = await returning({ external_user_id: 'powerless' });
    const handle = sandbox.faults.add({ kind: 'revokeToken' });
    const [error] = errorOf(await browser.open(callback.href));
    handle.release();
    assert.equal(error, 'creation_failed');
    assert.equal(await connectorCount('powerless'), 0);
  });

  test('who comes back too late is sent back with that, and who begins too late is told', async () => {
    const state = newSecret();
    const secret = newSecret();
    const browser = new TestBrowser();
    browser.cookies.set(cookieNameOf(state), secret);
    await openExpired(running.store, { state, secret });
    const url = `${running.service.url}/connect/oauth/callback?code=late&state=${state}`;
    const asked = exchanges();
    assert.equal(errorOf(await browser.open(url))[0], 'session_expired');
    assert.equal(exchanges(), asked);
    const start = `${running.service.url}/connect/oauth/start?state=${state}`;
    assertPage(await browser.open(start), 410, 'late');
  });

  test('an app that is gone or replaced, a connector, an application: told as far as it is known', async () => {
    await using bare = await startServiceOn(ground, { ...consentOptions(sandbox), oauthApps: {} });
    const gone = await returning();
    assert.match(errorOf(await gone.browser.open(at(gone.callback, bare)))[1] ?? '', /replaced/);
    const begun = await initiate(running, token, { connector_type: TICKETING });
    const id = (await consentTo(begun, person(TICKETING))).searchParams.get('connector_id');
    const again = await returning({ connector_id: id, connector_type: undefined });
    await running.send('DELETE', `/v1/integrations/connectors/${id}`, { token });
    assert.equal(errorOf(await again.browser.open(again.callback.href))[0], 'creation_failed');
  });

  test('of a revoked application, nothing comes of it', async () => {
    const own = await running.service.createApplication('soon gone');
    const auth = await logIn(running.send, own);
    const url = await initiate(running, auth, { connector_type: TICKETING });
    const browser = new TestBrowser();
    const callback = await browser.decide(await browser.goOn(url), person(TICKETING));
    await running.service.revokeApplication(own.applicationId);
    const asked = exchanges();
    assertPage(await browser.open(callback), 404, 'callback');
    assertPage(await browser.open(url), 404, 'start');
    assert.equal(exchanges(), asked);
  });

  test('the button of the page is pressed by nobody else', async () => {
    const url = await initiate(running, token, { connector_type: TICKETING });
    const browser = new TestBrowser();
    const page = await browser.open(url);
    const href =
      /<a class="go" href="([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    assertPage(await new TestBrowser().open(href), 403, 'no cookie');
    const forged = new URL(href);
    forged.searchParams.set('press', newSecret());
    assertPage(await browser.open(forged.href), 403, 'forged');
    const other = new TestBrowser();
    await other.open(url);
    assertPage(await other.open(href), 403, 'the press of another browser');
    assert.equal((await browser.open(href)).status, 303);
    // Whatever looks at the link afterwards takes nothing away.
    await new TestBrowser().open(url);
    const authorizeUrl = (await browser.open(href)).location ?? '';
    const back = await browser.open(await browser.decide(authorizeUrl, person(TICKETING)));
    assert.deepEqual(errorOf(back), [null, null]);
  });

  test('many states that are none are told to wait, and hold up nobody else at that address', async () => {
    await using fresh = await startServiceOn(ground, consentOptions(sandbox));
    const browser = new TestBrowser();
    const guess = () =>
      browser.open(`${fresh.service.url}/connect/oauth/callback?code=x&state=${newSecret()}`);
    const url = await initiate(fresh, await fresh.applicationToken(), {
      connector_type: 'chat-workspace',
    });
    for (let count = 0; count < 60; count++) assert.equal((await guess()).status, 404);
    assertPage(await guess(), 429, 'guessing');
    const [someone] = peopleOf(sandbox, 'chat-workspace');
    const back = await consentTo(url, someone?.id ?? '');
    assert.ok(back.searchParams.has('connector_id'), back.href);
    fresh.clock.advance(60_000);
    assert.equal((await guess()).status, 404);
  });
});

describe('a consent that is ended while the vendor is asked', () => {
  const KIND = 'customer-messaging';
  /** A service in which something happens between the state and the vendor. */
  const startSlow = async () => {
    const ground = await makeTestGround();
    const { store, sandbox } = ground;
    let meanwhile: (() => Promise<unknown>) | undefined;
    const take: typeof store.consents.take = async (...asked) => {
      const taken = await store.consents.take(...asked);
      await meanwhile?.();
      return taken;
    };
    const slow = { ...ground, store: { ...store, consents: { ...store.consents, take } } };
    const running = await startServiceOn(slow, consentOptions(sandbox));
    const token = await running.applicationToken();
    const [application] = await store.applications.list();
    const personId = peopleOf(sandbox, KIND)[0]?.id ?? '';
    const stack = new AsyncDisposableStack();
    stack.use(ground);
    stack.use(running);
    return {
      running,
      store,
      token,
      applicationId: application?.id ?? '',
      consent: async (body: Readonly<Record<string, unknown>>, during?: () => Promise<unknown>) => {
        meanwhile = during;
        const asked = { external_user_id: 'alice', ...body };
        const back = await consentTo(await initiate(running, token, asked), personId);
        return back.searchParams;
      },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  };
  test('with its user makes no connector, and what was issued is discarded', async () => {
    await using slow = await startSlow();
    const { running, store, token } = slow;
    await running.connector(token, { external_user_id: 'alice' });
    const told = await slow.consent({ connector_type: KIND }, async () => {
      const gone = await running.send('DELETE', '/v1/external-users/alice', { token });
      assert.equal(gone.status, 202, gone.text);
    });
    assert.equal(told.get('error'), 'creation_failed');
    assert.match(told.get('error_description') ?? '', /ended meanwhile/);
    assert.deepEqual(await store.connectors.list({}, { limit: 10 }), []);
    assert.deepEqual(await discarded(store), [KIND]);
  });

  test('with its application makes no connector, and what was issued is discarded', async () => {
    await using slow = await startSlow();
    const { store, applicationId } = slow;
    const end = () => store.applications.revoke(applicationId);
    const told = await slow.consent({ connector_type: KIND }, end);
    assert.equal(told.get('error'), 'creation_failed');
    assert.deepEqual(await store.connectors.list({}, { limit: 10 }), []);
    assert.deepEqual(await discarded(store), [KIND]);
  });

  test('with its application gives no connector other credentials', async () => {
    await using slow = await startSlow();
    const { store, applicationId } = slow;
    const id = (await slow.consent({ connector_type: KIND })).get('connector_id') ?? '';
    const earlier = await store.connectors.find(id);
    const end = () => store.applications.revoke(applicationId);
    const told = await slow.consent({ connector_id: id }, end);
    assert.equal(told.get('error'), 'creation_failed');
    const now = await store.connectors.find(id);
    assert.ok(now !== undefined && now.credentialsDigest === earlier?.credentialsDigest);
    assert.deepEqual(await discarded(store), [KIND]);
  });
});

/** Of what kinds credentials wait to be revoked. */
async function discarded({ revocations }: Store): Promise<readonly string[]> {
  const all = await revocations.take('test', { limit: 100, leaseMs: 60_000 });
  return all.map(({ kind }) => kind);
}

/** A consent that was begun, and whose time has passed. */
async function openExpired(
  store: Store,
  { state, secret }: { readonly state: string; readonly secret: string },
): Promise<void> {
  const [application] = await store.applications.list();
  const purpose = { for: 'connector', name: 'n', replicationConfig: null, redirectUrl: BACK };
  await store.consents.open(
    {
      stateHash: hashOf(state),
      browserHash: hashOf(secret),
      applicationId: application?.id ?? '',
      externalUserId: 'late',
      kind: TICKETING,
      request: { config: {}, clientId: 'sandbox-support', purpose },
      sealedVerifier: null,
    },
    { lifeMs: -1, perExternalUser: 1, perApplication: 10_000 },
  );
}
