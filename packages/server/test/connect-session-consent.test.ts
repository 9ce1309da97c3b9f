import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { START_PATH } from '../src/consent/consents.ts';
import { cookieNameOf, pressOf } from '../src/consent/cookies.ts';
import { newSecret } from '../src/random-secret.ts';
import {
  makeBrowser,
  makeSession,
  type TestBrowser as PageBrowser,
} from './support/connect-page.ts';
import {
  consentOptions,
  KIND_NAMES,
  peopleOf,
  TestBrowser,
  type KindName,
} from './support/consent.ts';
import { at, textAt } from './support/http-client.ts';
import { assertProblem, faultFields } from './support/problem.ts';
import { makeTestGround, startServiceOn } from './support/start-test-service.ts';

const SESSIONS = '/v1/connect-sessions';

/** The browser as it is at the vendor: it has what the page got on the way. */
function atVendor(page: PageBrowser): TestBrowser {
  const browser = new TestBrowser();
  for (const [name, value] of page.cookies) browser.cookies.set(name, value);
  return browser;
}

/** Where the page sends the person to consent. */
async function begin(id: string, page: PageBrowser, kind: KindName): Promise<string> {
  const config = kind.startsWith('support-') ? { subdomain: 'acme' } : {};
  const begun = await page.consent(id, { connector_type: kind, config });
  assert.equal(begun.status, 200, begun.text);
  return textAt(begun, 'authorize_url');
}

describe('consent in a connect session', async () => {
  const ground = await makeTestGround();
  const { sandbox } = ground;
  const options = consentOptions(sandbox);
  const running = await startServiceOn(ground, {
    ...options,
    quotas: { connectSessionsPerUser: 1_000 },
  });
  after(async () => {
    await running[Symbol.asyncDispose]();
    await ground[Symbol.asyncDispose]();
  });
  const token = await running.applicationToken();
  const personOf = (kind: KindName, index = 0) => peopleOf(sandbox, kind)[index]?.id ?? '';
  const read = (id: string) => running.send('GET', `${SESSIONS}/${id}`, { token });
  const confirm = (id: string) =>
    running.send('POST', `${SESSIONS}/${id}/confirm`, {
      token,
      body: { external_user_id: 'alice' },
    });
  const opened = async (body: Readonly<Record<string, unknown>> = {}) => {
    const { id, url } = await makeSession(running, token, body);
    const page = makeBrowser(running);
    const view = await page.open(url);
    return { id, page, view };
  };
  /** Goes to the vendor and back; returns where the person ends up. */
  const consent = async (
    { id, page }: { readonly id: string; readonly page: PageBrowser },
    kind: KindName,
    {
      person = personOf(kind),
      decision = 'allow',
    }: { readonly person?: string; readonly decision?: 'allow' | 'deny' } = {},
  ) => {
    const authorizeUrl = await begin(id, page, kind);
    const browser = atVendor(page);
    const back = await browser.open(await browser.decide(authorizeUrl, person, decision));
    assert.equal(back.status, 303, back.text);
    return back.location;
  };

  for (const kind of KIND_NAMES)
    test(`connects ${kind} once it is confirmed`, async () => {
      const session = await opened({ connector_types: [kind] });
      const { id, page, view } = session;
      const methods = at(view, 'kinds.0.methods');
      assert.ok(Array.isArray(methods));
      const consenting = methods.filter(
        (_, index) => at(view, `kinds.0.methods.${index}.has_consent`) === true,
      );
      assert.equal(consenting.length, 1);
      assert.equal(await consent(session, kind), `${running.service.url}/connect?session=${id}`);
      const waiting = await page.view(id);
      assert.partialDeepStrictEqual(waiting.body, {
        status: 'unconfirmed',
        connector_type: kind,
        error: null,
      });
      const stored = await ground.store.connectSessions.find(id);
      assert.equal(stored?.given?.isConsented, true, 'such tokens are ours to revoke');
      const connectorId = textAt(waiting, 'connector_id');
      const path = `/v1/integrations/connectors/${connectorId}`;
      assertProblem(await running.send('GET', path, { token }), 'connector_not_found');
      assert.equal((await confirm(id)).status, 200);
      const made = await running.send('GET', path, { token });
      assert.partialDeepStrictEqual(made.body, {
        connector_type: kind,
        status: 'active',
        auth_method: 'oauth',
        account: at(await read(id), 'account'),
      });
    });

  test('leaves the session open for who declines, and says so until the next attempt', async () => {
    const session = await opened();
    const { id, page } = session;
    await consent(session, 'chat-workspace', { decision: 'deny' });
    assert.partialDeepStrictEqual((await page.view(id)).body, {
      status: 'open',
      error: { code: 'access_denied' },
    });
    assert.equal(at(await read(id), 'error.code'), 'access_denied');
    await begin(id, page, 'customer-messaging');
    assert.equal(at(await page.view(id), 'error'), null);
    await consent(session, 'customer-messaging');
    assert.equal(at(await read(id), 'connector_type'), 'customer-messaging');
  });

  test('connects nothing for who comes back without the cookie, or in another browser', async () => {
    const { id, page } = await opened();
    const authorizeUrl = await begin(id, page, 'chat-workspace');
    const thief = new TestBrowser();
    const callback = await thief.decide(authorizeUrl, personOf('chat-workspace'));
    const back = await thief.open(callback);
    assert.equal(back.status, 403, back.text);
    assert.equal(at(await read(id), 'status'), 'open');
  });

  test('goes on in no other browser, whatever cookie somebody has put there', async () => {
    const { id, page } = await opened();
    const authorizeUrl = await begin(id, page, 'chat-workspace');
    const state = new URL(authorizeUrl).searchParams.get('state') ?? '';
    const other = new TestBrowser();
    const planted = newSecret();
    other.cookies.set(cookieNameOf(state), planted);
    const start = `${running.service.url}${START_PATH}?state=${state}`;
    assert.equal((await other.open(start)).status, 404);
    assert.equal((await other.open(`${start}&press=${pressOf(state, planted)}`)).status, 404);
    const own = atVendor(page);
    const callback = await own.decide(authorizeUrl, personOf('chat-workspace'));
    assert.equal((await other.open(callback)).status, 403);
    assert.equal((await own.open(callback)).status, 303);
    assert.equal(at(await read(id), 'status'), 'unconfirmed');
  });

  test('connects at once where nobody has to confirm, and only once', async () => {
    const session = await opened({ confirm: false });
    const { id, page } = session;
    const authorizeUrl = await begin(id, page, 'chat-workspace');
    await consent(session, 'customer-messaging');
    assert.equal(at(await page.view(id), 'status'), 'succeeded');
    const connectorId = at(await read(id), 'connector_id');
    const browser = atVendor(page);
    await browser.open(await browser.decide(authorizeUrl, personOf('chat-workspace')));
    assert.partialDeepStrictEqual((await read(id)).body, {
      status: 'succeeded',
      connector_type: 'customer-messaging',
      connector_id: connectorId,
      error: null,
    });
    assertProblem(await page.consent(id), 'connect_session_used');
  });

  test('connects nothing for who took longer than the session lives', async () => {
    const { id, page } = await opened();
    const authorizeUrl = await begin(id, page, 'chat-workspace');
    await ground.query('update patchbay.connect_sessions set expires_at = now() where id = $1', [
      id,
    ]);
    const browser = atVendor(page);
    const back = await browser.open(await browser.decide(authorizeUrl, personOf('chat-workspace')));
    assert.equal(back.status, 303);
    assert.equal(at(await page.view(id), 'status'), 'expired');
    assertProblem(await confirm(id), 'connect_session_expired');
    assertProblem(await page.consent(id), 'connect_session_expired');
  });

  test('gives a connector other credentials of the same account and person, and of no other', async () => {
    const kind = 'customer-messaging';
    const first = await opened({ confirm: false });
    await consent(first, kind);
    const connectorId = String(at(await read(first.id), 'connector_id'));
    const before = await ground.store.connectors.find(connectorId);
    const again = await opened({ connector_id: connectorId });
    const other = peopleOf(sandbox, kind).findIndex(
      ({ account }) => account.id !== peopleOf(sandbox, kind)[0]?.account.id,
    );
    await consent(again, kind, { person: personOf(kind, other) });
    assert.partialDeepStrictEqual((await again.page.view(again.id)).body, {
      status: 'open',
      error: { code: 'account_mismatch' },
    });
    await consent(again, kind);
    assert.equal((await confirm(again.id)).status, 200);
    const now = await ground.store.connectors.find(connectorId);
    assert.notEqual(now?.credentialsDigest, before?.credentialsDigest);
    assert.equal(now?.credentialsEpoch, before?.credentialsEpoch);
  });

  test('gives a connector that has never worked nothing, whoever passed its link on', async () => {
    const kind = 'customer-messaging';
    const connectorId = await running.connector(token, {
      external_user_id: 'alice',
      connector_type: kind,
      credentials: { access_token: 'nothing' },
      replication_config: null,
    });
    const before = await ground.store.connectors.find(connectorId);
    const session = await opened({ connector_id: connectorId });
    await consent(session, kind);
    assert.partialDeepStrictEqual((await session.page.view(session.id)).body, {
      status: 'open',
      error: { code: 'account_mismatch' },
    });
    assert.match(textAt(await read(session.id), 'error.message'), /has never worked/);
    assertProblem(await confirm(session.id), 'connect_session_open');
    const now = await ground.store.connectors.find(connectorId);
    assert.equal(now?.credentialsDigest, before?.credentialsDigest);
    assert.equal(now?.account, null);
  });

  test('is asked for where the connector is, if it is given other credentials', async () => {
    // At the vendors' own addresses: they depend on the config, and nothing is sent there.
    const { oauthApps } = options;
    const vendors = await startServiceOn(ground, { oauthApps });
    try {
      const as = await vendors.applicationToken();
      const cases = [
        ['support-ticketing', { subdomain: 'acme' }, 'acme.zendesk.com'],
        ['customer-messaging', { region: 'eu' }, 'app.eu.intercom.com'],
      ] as const;
      for (const [kind, config, host] of cases) {
        const credentials = { access_token: 'some-token' };
        const connectorId = await vendors.connector(as, {
          external_user_id: 'alice',
          connector_type: kind,
          credentials,
          config,
          replication_config: undefined,
        });
        const { id, url } = await makeSession(vendors, as, { connector_id: connectorId });
        const page = makeBrowser(vendors);
        await page.open(url);
        const begun = await page.consent(id, { connector_type: kind });
        assert.equal(begun.status, 200, begun.text);
        assert.equal(new URL(textAt(begun, 'authorize_url')).host, host);
      }
    } finally {
      await vendors[Symbol.asyncDispose]();
    }
  });

  test('is asked for within the session, and no more often than so', async () => {
    const { id, page } = await opened({ connector_types: ['slack'] });
    assert.deepEqual(faultFields(await page.consent(id, { connector_type: 'intercom' })), [
      'connector_type',
    ]);
    assert.deepEqual(faultFields(await page.consent(id, {})), ['connector_type']);
    const config = { connector_type: 'slack', config: { subdomain: 'x' } };
    assert.deepEqual(faultFields(await page.consent(id, config)), ['config.subdomain']);
    await ground.query('update patchbay.connect_sessions set attempts = 30 where id = $1', [id]);
    assertProblem(await page.consent(id), 'quota_exceeded');
  });

  test('is offered and asked for only where there is an app', async () => {
    const { oauthApps: _, ...without } = options;
    const bare = await startServiceOn(ground, without);
    try {
      const as = await bare.applicationToken();
      const { id, url } = await makeSession(bare, as);
      const page = makeBrowser(bare);
      const view = await page.open(url);
      assert.ok(!view.text.includes('"has_consent":true'), view.text);
      assertProblem(await page.consent(id), 'oauth_not_configured');
    } finally {
      await bare[Symbol.asyncDispose]();
    }
  });
});
