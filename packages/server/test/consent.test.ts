import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Sandbox } from '@patchbay/sandbox';
import { MAX_COOKIES } from '../src/cookie-header.ts';
import { startPage } from '../src/http/consent-pages.ts';
import type { ServiceOptions } from '../src/index.ts';
import {
  BACK,
  consentOptions,
  consentTo,
  initiate,
  INITIATE,
  KIND_NAMES,
  kindOf,
  peopleOf,
  smallSandbox,
  TestBrowser,
  type KindName,
} from './support/consent.ts';
import { at } from './support/http-client.ts';
import { assertProblem, faultFields } from './support/problem.ts';
import { rowOf } from './support/renew.ts';
import {
  makeTestGround,
  startServiceOn,
  startTestService,
  type TestService,
} from './support/start-test-service.ts';

const READS: Readonly<Record<KindName, object>> = {
  'chat-workspace': { entity: 'users', action: 'list', params: { limit: 1 } },
  'support-chat': { entity: 'departments', action: 'list' },
  'customer-messaging': { entity: 'tags', action: 'list' },
  'support-ticketing': { entity: 'tags', action: 'list' },
};

function idIn(url: URL): string {
  assert.equal(url.searchParams.get('error'), null, url.href);
  return url.searchParams.get('connector_id') ?? '';
}

/** What a service says that cannot ask anybody for consent. */
async function refusalWith(options: Partial<ServiceOptions>): Promise<string> {
  await using ground = await makeTestGround();
  await using service = await startServiceOn(ground, options);
  const [application] = await ground.store.applications.list();
  await ground.store.applications.update(application?.id ?? '', { allowedReturnUrls: [BACK] });
  const answer = await service.send('POST', INITIATE, {
    token: await service.applicationToken(),
    body: { external_user_id: 'u', connector_type: 'zendesk-chat', redirect_url: BACK },
  });
  assertProblem(answer, 'oauth_not_configured');
  return String(at(answer, 'detail'));
}

const wrong = (field: string) => [422, 'invalid_request', field];

describe('consent', () => {
  let sandbox: Sandbox;
  let running: TestService;
  let token: string;
  before(async () => {
    sandbox = await smallSandbox();
    running = await startTestService(consentOptions(sandbox));
    token = await running.applicationToken();
  });
  after(async () => {
    await running[Symbol.asyncDispose]();
    await sandbox.close();
  });

  const person = (kind: KindName, index = 0) => peopleOf(sandbox, kind)[index]?.id ?? '';
  const connect = async (kind: KindName, body: object = {}, index = 0) =>
    consentTo(
      await initiate(running, token, { connector_type: kind, ...body }),
      person(kind, index),
    );

  for (const kind of KIND_NAMES)
    test(`a person consents to ${kind}, and its connector works`, async () => {
      const back = await connect(kind);
      assert.equal(back.origin + back.pathname, BACK);
      const id = idIn(back);
      const answer = await running.send('GET', `/v1/integrations/connectors/${id}`, { token });
      assert.equal(at(answer, 'connector_type'), kind);
      assert.equal(at(answer, 'external_user_id'), 'user-1');
      assert.equal(at(answer, 'name'), kindOf(kind).displayName);
      assert.equal(at(answer, 'status'), 'active');
      assert.equal(at(answer, 'auth_method'), 'oauth');
      assert.ok(at(answer, 'account.id') !== undefined, answer.text);
      const read = await running.execute(token, id, { ...READS[kind] });
      assert.equal(read.status, 200, read.text);
    });

  test('what a person is not asked for is what is usual', async () => {
    const row = await rowOf(running.store, idIn(await connect('chat-workspace')));
    const { start_date: start, ...rest } = row.replicationConfig ?? {};
    const ageDays = (running.clock.now() - Date.parse(String(start))) / 86_400_000;
    assert.ok(ageDays >= 90 && ageDays < 90.01, String(start));
    assert.deepEqual(rest, {
      lookback_window: 7,
      join_channels: false,
      include_archived_channels: false,
      threads_ignore_no_replies: true,
    });
    const given = { name: 'Ours', replication_config: { lookback_window: 30 } };
    const other = await rowOf(running.store, idIn(await connect('chat-workspace', given)));
    assert.equal(other.name, 'Ours');
    assert.equal(other.replicationConfig?.['lookback_window'], 30);
    assert.equal(
      (await rowOf(running.store, idIn(await connect('support-ticketing')))).replicationConfig,
      null,
    );
  });

  test('who declines comes back with that', async () => {
    const url = await initiate(running, token, { connector_type: 'support-ticketing' });
    const back = await consentTo(url, person('support-ticketing'), { decision: 'deny' });
    assert.equal(back.searchParams.get('error'), 'access_denied');
    assert.match(back.searchParams.get('error_description') ?? '', /Zendesk Support/);
    assert.equal(back.searchParams.get('connector_id'), null);
  });

  test('the page says who asks for what, and for whom', async () => {
    const user_label = '<b>Bob & "Bobby"</b>';
    const url = await initiate(running, token, { connector_type: 'slack', user_label });
    const { text, headers } = await new TestBrowser().open(url);
    assert.match(text, /Connect Slack/);
    assert.match(text, /Default application/);
    assert.ok(text.includes('&lt;b&gt;Bob &amp; &quot;Bobby&quot;&lt;/b&gt;'), text);
    assert.ok(!text.includes('<b>Bob'));
    assert.doesNotMatch(text, /<script/);
    const long = `😀${'x'.repeat(4_000)}`;
    const unnamed = await initiate(running, token, {
      connector_type: 'slack',
      external_user_id: long,
    });
    const shown = (await new TestBrowser().open(unnamed)).text;
    assert.ok(shown.includes(`${long.slice(0, 200)}…`) && !shown.includes(long));
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.match(
      headers.get('content-security-policy') ?? '',
      /^default-src 'none'; style-src 'sha256-/,
    );
  });

  // One that was stored before such names were refused.
  test('the name of an application turns nothing of what the page says around it', () => {
    const text = startPage({
      applicationName: 'Acme\u202e',
      user: 'alice\u202e',
      vendorName: 'Slack',
      subdomain: undefined,
      isReconnect: false,
      goOnUrl: 'https://patchbay.example.com/',
    });
    assert.ok(text.includes('<bdi>Acme\u202e</bdi> will use'), text);
    assert.ok(!text.replaceAll(/<bdi>.*?<\/bdi>/g, '').includes('\u202e'), text);
  });

  test('nobody is shown as somebody else', async () => {
    const asAlice = { connector_type: 'slack', external_user_id: '\u202eecila' };
    const { text } = await new TestBrowser().open(await initiate(running, token, asAlice));
    assert.ok(text.includes('<bdi>\\u202eecila</bdi>'), text);
  });

  test('many pages leave the browser few cookies, of which the newest still count', async () => {
    const browser = new TestBrowser();
    let url = '';
    for (let pages = 0; pages < MAX_COOKIES + 5; pages += 1) {
      const who = { connector_type: 'slack', external_user_id: `user-${pages}` };
      url = await initiate(running, token, who);
      await browser.open(url);
      await browser.open(url);
    }
    assert.equal(browser.cookies.size, MAX_COOKIES);
    assert.equal(new URL(await browser.goOn(url)).origin, new URL(sandbox.urls.slack).origin);
  });

  test('the same account and person go on; others are refused, and change nothing', async () => {
    const id = idIn(await connect('chat-workspace'));
    const first = await rowOf(running.store, id);
    const again = await connect('chat-workspace', { connector_id: id });
    assert.equal(idIn(again), id);
    const second = await rowOf(running.store, id);
    assert.notEqual(second.sealedCredentials, first.sealedCredentials);
    assert.equal(second.credentialsEpoch, first.credentialsEpoch);
    const people = peopleOf(sandbox, 'chat-workspace');
    const other = people.findIndex(({ account }) => account.id !== people[0]?.account.id);
    assert.ok(other > 0);
    const refused = await connect('chat-workspace', { connector_id: id }, other);
    assert.equal(refused.searchParams.get('error'), 'account_mismatch');
    assert.equal((await rowOf(running.store, id)).sealedCredentials, second.sealedCredentials);
  });

  test('asking is refused at once for what cannot come to anything', async () => {
    const asking = async (body: object, with_ = token) => {
      const answer = await running.send('POST', INITIATE, {
        token: with_,
        body: { external_user_id: 'user-1', connector_type: 'slack', redirect_url: BACK, ...body },
      });
      return [answer.status, at(answer, 'code'), at(answer, 'errors.0.field')];
    };
    const id = idIn(await connect('chat-workspace'));
    const scoped = await running.scopedToken('user-1');
    const limited = await running.scopedToken('user-1', { connectorIds: [id] });
    const cases: readonly (readonly [object, readonly unknown[], string?])[] = [
      [{ redirect_url: undefined }, wrong('redirect_url')],
      [{ redirect_url: 'https://evil.example/' }, wrong('redirect_url')],
      [{ redirect_url: 'javascript:alert(1)' }, wrong('redirect_url')],
      [{ external_user_id: undefined }, wrong('external_user_id')],
      [{ customer_name: 'user-2' }, wrong('customer_name')],
      [{ connector_type: undefined }, wrong('connector_type')],
      [{ connector_type: 'fax' }, [422, 'unknown_connector_type', 'connector_type']],
      [{ user_label: '' }, wrong('user_label')],
      [{ user_label: 'a\nb' }, wrong('user_label')],
      [{ user_label: 'a\u202eb' }, wrong('user_label')],
      [{ unknown: 1 }, wrong('unknown')],
      [
        { replication_config: { lookback_window: 999 } },
        [422, 'invalid_replication_config', 'replication_config.lookback_window'],
      ],
      [{ connector_id: id, name: 'n' }, wrong('name')],
      [{ connector_id: id, connector_type: 'intercom' }, wrong('connector_type')],
      [{ connector_id: id, external_user_id: 'user-2' }, wrong('external_user_id')],
      [{ connector_id: 'no-uuid' }, [404, 'connector_not_found', undefined]],
      [{ external_user_id: 'user-2' }, [403, 'forbidden', undefined], scoped],
      [{ user_label: 'somebody@else.example' }, [403, 'forbidden', undefined], scoped],
      [
        { external_user_id: 'user-2', connector_type: undefined, connector_id: id },
        wrong('external_user_id'),
        scoped,
      ],
      [{}, [403, 'forbidden', undefined], limited],
    ];
    for (const [body, expected, with_] of cases)
      assert.deepEqual(await asking(body, with_), expected, JSON.stringify(body));
    assert.equal((await asking({ external_user_id: undefined }, scoped))[0], 200);
    assert.equal((await asking({ connector_id: id, connector_type: undefined }, limited))[0], 200);
    const theirs = await running.scopedToken('user-2');
    const foreign = { connector_id: id, external_user_id: undefined, connector_type: undefined };
    assert.deepEqual(await asking(foreign, theirs), [404, 'connector_not_found', undefined]);
  });

  test('what is wrong is told at once', async () => {
    const body = {
      external_user_id: undefined,
      redirect_url: 'https://elsewhere.example/',
      user_label: '',
      config: { subdomain: '' },
      nothing: 1,
    };
    const asked = { connector_type: 'slack', ...body };
    const answer = await running.send('POST', INITIATE, { token, body: asked });
    assertProblem(answer, 'invalid_request');
    const fields = [
      'config.subdomain',
      'external_user_id',
      'nothing',
      'redirect_url',
      'user_label',
    ];
    assert.deepEqual(faultFields(answer).toSorted(), fields);
  });

  test('without an app, or without an address to come back to, it says what to set', async () => {
    const options = consentOptions(sandbox);
    const noApp = await refusalWith({ ...options, oauthApps: {} });
    assert.match(noApp, /PATCHBAY_OAUTH_SUPPORT_CHAT_CLIENT_ID and .*_CLIENT_SECRET/);
    assert.match(noApp, /PUT \/api\/v1\/oauth\/credentials/);
    assert.match(await refusalWith({ ...options, host: '0.0.0.0' }), /PATCHBAY_PUBLIC_URL/);
  });

  test('a connector that lacks what consent needs is given that first, as the error says', async () => {
    // At the vendor's own address, which depends on the config; nothing is sent there.
    await using vendors = await startTestService({ oauthApps: consentOptions(sandbox).oauthApps });
    const as = await vendors.applicationToken();
    const id = await vendors.connector(as, {
      connector_type: 'support-ticketing',
      credentials: { access_token: 'some-token' },
      replication_config: undefined,
      config: undefined,
    });
    const ask = () =>
      vendors.send('POST', INITIATE, { token: as, body: { connector_id: id, redirect_url: BACK } });
    const refused = await ask();
    assertProblem(refused, 'invalid_config');
    const patch = `PATCH /v1/integrations/connectors/${id} {"config":{"subdomain":"<subdomain>"}}`;
    assert.ok(String(at(refused, 'detail')).includes(patch), refused.text);
    const app = { client_id: 'own', client_secret: 'own', subdomain: 'acme' };
    const own = { connector_type: 'support-ticketing', configuration: app };
    await vendors.send('PUT', '/api/v1/oauth/credentials', { token: as, body: own });
    assertProblem(await ask(), 'invalid_config');
    const body = { config: { subdomain: 'acme' } };
    await vendors.send('PATCH', `/v1/integrations/connectors/${id}`, { token: as, body });
    assert.equal((await ask()).status, 200);
  });

  test('earlier clients ask by their path, and with their names', async () => {
    const answer = await running.send('POST', `/api${INITIATE}`, {
      token,
      body: {
        workspace_name: 'user-1',
        definition_id: kindOf('chat-workspace').definitionId,
        redirect_url: BACK,
        source_template_id: 'x',
        environment: {},
      },
    });
    assert.equal(answer.status, 200, answer.text);
  });
});
