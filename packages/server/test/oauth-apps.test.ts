import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import {
  appOf,
  consentOptions,
  consentTo,
  initiate,
  kindOf,
  peopleOf,
  TestBrowser,
} from './support/consent.ts';
import { at, textAt } from './support/http-client.ts';
import { assertProblem, faultFields } from './support/problem.ts';
import { rowOf } from './support/renew.ts';
import {
  connectorBody,
  logIn,
  makeTestGround,
  startServiceOn,
  useTestService,
} from './support/start-test-service.ts';
import { makeTestClock } from './support/test-clock.ts';

const PATH = '/api/v1/oauth/credentials';
const COLLECTION = '/v1/integrations/connectors';
const TICKETING = 'support-ticketing';
const READ = { entity: 'tags', action: 'list' };

describe("an application's own OAuth apps", async () => {
  const operatorApp = { clientId: 'operators', clientSecret: 'operators-secret' };
  const { running, token } = await useTestService({
    oauthApps: { 'chat-workspace': operatorApp, 'support-chat': operatorApp },
  });
  const configuration = { client_id: 'own-app', client_secret: 'planted-own-secret' };
  const put = (body: object, auth = token) =>
    running.send('PUT', PATH, {
      token: auth,
      body: { connector_type: 'slack', configuration, ...body },
    });
  const list = async (auth = token) => at(await running.send('GET', PATH, { token: auth }), 'data');
  const authorize = async (body: object, auth = token) => {
    const url = await initiate(running, auth, { connector_type: 'slack', ...body });
    return new URL(await new TestBrowser().goOn(url));
  };

  test('they win over the operator’s, for that application alone, until they are deleted', async () => {
    const another = await logIn(running.send, await running.service.createApplication('another'));
    const made = await put({
      configuration: { ...configuration, scopes: 'users:read,chat:write' },
    });
    assert.equal(made.status, 200, made.text);
    assert.equal(at(made, 'connector_definition_id'), kindOf('chat-workspace').definitionId);
    assert.deepEqual(await list(), [made.body]);
    assert.deepEqual(await list(another), []);
    const own = (await authorize({})).searchParams;
    assert.equal(own.get('client_id'), 'own-app');
    assert.equal(own.get('scope'), 'users:read,chat:write');
    const theirs = (await authorize({}, another)).searchParams;
    assert.equal(theirs.get('client_id'), 'operators');
    assert.match(theirs.get('scope') ?? '', /^channels:history,channels:join,/);
    const path = `${PATH}/connector_type/slack`;
    await running.send('DELETE', path, { token: another });
    assert.equal(at({ body: await list() }, '0.connector_type'), 'chat-workspace');
    for (let count = 0; count < 2; count++)
      assert.equal((await running.send('DELETE', path, { token })).status, 204);
    assert.deepEqual(await list(), []);
    assert.equal((await authorize({})).searchParams.get('client_id'), 'operators');
    assertProblem(
      await running.send('DELETE', `${PATH}/connector_type/fax`, { token }),
      'unknown_connector_type',
    );
  });

  test('an app that is replaced while a person decides is not asked with', async () => {
    const url = await initiate(running, token, { connector_type: 'slack' });
    await put({});
    const browser = new TestBrowser();
    const page = await browser.open(url);
    const href =
      /<a class="go" href="([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    assert.equal((await browser.open(href)).status, 410);
    await running.send('DELETE', `${PATH}/connector_type/slack`, { token });
  });

  test('the operator’s client id with other scopes gets nothing by the operator’s secret', async () => {
    await using sandbox = await startSandbox({ scale: 10 });
    const { clientId, clientSecret } = appOf(sandbox, 'chat-workspace');
    const app = { clientId, clientSecret, scopes: ['users:read'] };
    const options = { ...consentOptions(sandbox), oauthApps: { 'chat-workspace': app } };
    await using service = await startServiceOn(running, options);
    const [person] = peopleOf(sandbox, 'chat-workspace');
    const path = `${PATH}/connector_type/slack`;
    const remove = () => service.send('DELETE', path, { token });
    const giveWider = () =>
      service.send('PUT', PATH, {
        token,
        body: {
          connector_type: 'slack',
          configuration: { client_id: clientId, client_secret: 'none', scopes: ['chat:write'] },
        },
      });
    const browser = new TestBrowser();
    await giveWider();
    const asked = await browser.goOn(await initiate(service, token, { connector_type: 'slack' }));
    assert.equal(new URL(asked).searchParams.get('scope'), 'chat:write');
    await remove();
    const back = await browser.open(await browser.decide(asked, person?.id ?? ''));
    const told = new URL(back.location ?? '').searchParams;
    assert.deepEqual([told.get('error'), told.get('connector_id')], ['creation_failed', null]);
    const begun = await initiate(service, token, { connector_type: 'slack' });
    await giveWider();
    const page = await browser.open(begun);
    const href =
      /<a class="go" href="([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    assert.equal((await browser.open(href)).status, 410);
    await remove();
    const { searchParams } = new URL(await browser.goOn(begun));
    assert.equal(searchParams.get('scope'), 'users:read');
  });

  test('nobody has a refresh token renewed with the secret of an app that they do not know', async () => {
    await using sandbox = await startSandbox({ scale: 10 });
    const options = consentOptions(sandbox);
    await using service = await startServiceOn(running, options);
    const as = await service.scopedToken('user-1');
    const own = await service.applicationToken();
    for (const [kind, vendor] of [
      [TICKETING, 'zendeskSupport'],
      ['chat-workspace', 'slack'],
    ] as const) {
      const { clientId, clientSecret } = appOf(sandbox, kind);
      const [granted] = sandbox.oauth.grant({ vendor, clientId });
      const stolen = { access_token: 'ended', refresh_token: granted?.refreshToken ?? 'ended' };
      const given = { ...stolen, client_id: clientId, client_secret: 'a guess' };
      const changes = {
        connector_type: kind,
        ...(kind === TICKETING ? { config: { subdomain: 'acme' }, replication_config: null } : {}),
      };
      const create = (credentials: object) =>
        service.send('POST', COLLECTION, {
          token: as,
          body: connectorBody({ ...changes, credentials }),
        });
      const refused = await create(given);
      assertProblem(refused, 'invalid_credentials');
      assert.deepEqual(faultFields(refused), ['credentials.client_secret']);
      const id = textAt(await create({ ...given, client_id: 'unknown' }), 'id');
      const item = `${COLLECTION}/${id}`;
      const patch = (credentials: object) =>
        service.send('PATCH', item, { token: own, body: { credentials } });
      assertProblem(await patch({ client_id: clientId }), 'invalid_credentials');
      assertProblem(await patch(given), 'invalid_credentials');
      assert.equal((await patch({ ...given, client_secret: clientSecret })).status, 200);
      assert.equal((await patch({ expires_at: '2030-01-01T00:00:00Z' })).status, 200);
    }
  });

  test('nor does an application that gives the operator’s client id as its own, for as long as that is checked', async () => {
    await using sandbox = await startSandbox({ scale: 10 });
    await using service = await startServiceOn(running, consentOptions(sandbox));
    const { clientId, clientSecret } = appOf(sandbox, TICKETING);
    const grant = () => sandbox.oauth.grant({ vendor: 'zendeskSupport', clientId })[0];
    const [mine, stolen] = [grant(), grant()];
    const client = { client_id: clientId, client_secret: 'guessed' };
    const own = await service.applicationToken();
    const given = await service.send('PUT', PATH, {
      token: own,
      body: { connector_type: TICKETING, configuration: client },
    });
    assert.equal(given.status, 200, given.text);
    const pair = { access_token: mine?.accessToken, refresh_token: stolen?.refreshToken };
    const create = (secret: string) =>
      service.send('POST', COLLECTION, {
        token: own,
        body: connectorBody({
          connector_type: TICKETING,
          config: { subdomain: 'acme' },
          replication_config: null,
          credentials: { ...pair, ...client, client_secret: secret },
        }),
      });
    const made = await create('guessed');
    await service.send('DELETE', `${PATH}/connector_type/${TICKETING}`, { token: own });
    if (made.status === 201) {
      const id = textAt(made, 'id');
      const body = { credentials: { expires_at: '2020-01-01T00:00:00Z' } };
      await service.send('PATCH', `${COLLECTION}/${id}`, { token: own, body });
      await service.execute(own, id, READ);
    }
    assert.equal(renewalsOf(sandbox, stolen?.grantId), 0);
    assertProblem(made, 'invalid_credentials');
    assert.equal((await create(clientSecret)).status, 201);
  });

  test('nor is one merged with the secret that a consent has left with a connector', async () => {
    await using sandbox = await startSandbox({ scale: 10 });
    await using service = await startServiceOn(running, consentOptions(sandbox));
    const { clientId, clientSecret } = appOf(sandbox, 'chat-workspace');
    const [person] = peopleOf(sandbox, 'chat-workspace');
    const url = await initiate(service, await service.applicationToken(), {
      connector_type: 'slack',
      external_user_id: 'user-1',
    });
    const id = (await consentTo(url, person?.id ?? '')).searchParams.get('connector_id') ?? '';
    const grant = () => sandbox.oauth.grant({ vendor: 'slack', clientId })[0];
    const [mine, stolen] = [grant(), grant()];
    const as = await service.scopedToken('user-1');
    const pair = { access_token: mine?.accessToken ?? '', refresh_token: stolen?.refreshToken };
    const ended = { ...pair, expires_at: '2020-01-01T00:00:00Z' };
    const change = (credentials: object) =>
      service.send('PATCH', `${COLLECTION}/${id}`, {
        token: as,
        body: { credentials, replace_account: true },
      });
    const changed = await change(ended);
    await service.execute(as, id, { entity: 'users', action: 'list' });
    assert.equal(renewalsOf(sandbox, stolen?.grantId), 0);
    assertProblem(changed, 'invalid_credentials');
    const client = { client_id: clientId, client_secret: clientSecret };
    assert.equal((await change({ ...ended, ...client })).status, 200);
  });

  test('an app of one account is for that account', async () => {
    const app = {
      connector_type: 'zendesk-chat',
      configuration: { ...configuration, subdomain: 'acme' },
    };
    assert.equal((await put(app)).status, 200);
    const asking = { connector_type: 'zendesk-chat' };
    assert.equal((await authorize(asking)).host, 'acme.zendesk.com');
    const other = await running.send('POST', `${COLLECTION}/oauth/initiate`, {
      token,
      body: {
        ...asking,
        external_user_id: 'u',
        redirect_url: 'http://127.0.0.1:1/',
        config: { subdomain: 'evil' },
      },
    });
    assertProblem(other, 'invalid_config');
    await running.send('DELETE', `${PATH}/connector_type/support-chat`, { token });
    const missing = await running.send('POST', `${COLLECTION}/oauth/initiate`, {
      token,
      body: { ...asking, external_user_id: 'u', redirect_url: 'http://127.0.0.1:1/' },
    });
    assertProblem(missing, 'invalid_config');
    assert.equal(at(missing, 'errors.0.field'), 'config.subdomain');
  });

  test('what is wrong with one is told without quoting it', async () => {
    const cases: readonly (readonly [object, string])[] = [
      [{ connector_type: undefined }, 'connector_type'],
      [{ connector_type: 'fax' }, 'connector_type'],
      [{ configuration: undefined }, 'configuration'],
      [{ configuration: 'planted-own-secret' }, 'configuration'],
      [{ configuration: { ...configuration, client_secret: '' } }, 'configuration.client_secret'],
      [
        { configuration: { ...configuration, client_id: ['planted-own-secret'] } },
        'configuration.client_id',
      ],
      [
        { configuration: { ...configuration, secret: 'planted-own-secret' } },
        'configuration.secret',
      ],
      [{ configuration: { ...configuration, scopes: [] } }, 'configuration.scopes'],
      [
        { configuration: { ...configuration, scopes: ['a b', 'planted-own-secret'] } },
        'configuration.scopes',
      ],
      [{ configuration: { ...configuration, subdomain: 'acme' } }, 'configuration.subdomain'],
      [
        {
          connector_definition_id: 'd8313939-3782-41b0-be29-b3ca20d8dd3a',
          definition_id: '40d24d0f-b8f9-4fe0-9e6c-b06c0f3f45e4',
        },
        'connector_definition_id',
      ],
      [
        { configuration: { ...configuration, client_idd: 'planted-own-secret' } },
        'configuration.client_idd',
      ],
    ];
    for (const [body, field] of cases) {
      const answer = await put(body);
      assert.equal(answer.status, 422, answer.text);
      assert.equal(at(answer, 'errors.0.field'), field, answer.text);
      assert.ok(!answer.text.includes('planted-own-secret'), answer.text);
    }
    assert.ok(!running.log.text().includes('planted-own-secret'));
    const near = await put({ configuration: { client_idd: 'a', client_id: 5 } });
    assert.deepEqual(at(near, 'errors.0.details'), {
      allowed: 'client_id, client_secret, scopes, subdomain',
      did_you_mean: 'client_id',
    });
    const codes = ['errors.1', 'errors.2'].map((each) => [
      at(near, `${each}.field`),
      at(near, `${each}.error_code`),
    ]);
    assert.deepEqual(codes, [
      ['configuration.client_secret', 'missing'],
      ['configuration.client_id', 'wrong_type'],
    ]);
  });
});

/** How often a grant was renewed. */
function renewalsOf(sandbox: Sandbox, grantId: string | undefined): number | undefined {
  return sandbox.oauth.grants().find(({ id }) => id === grantId)?.renewals.succeeded;
}

test('tokens are renewed with the app that they were issued to, and no other', async () => {
  const clock = makeTestClock();
  await using sandbox = await startSandbox({
    scale: 10,
    tokenTtlSeconds: 600,
    clock: () => clock.now(),
  });
  await using ground = await makeTestGround();
  const options = { clock, ...consentOptions(sandbox) };
  await using running = await startServiceOn(ground, options);
  const token = await running.applicationToken();
  const url = await initiate(running, token, { connector_type: TICKETING });
  const back = await consentTo(url, peopleOf(sandbox, TICKETING)[0]?.id ?? '');
  const id = back.searchParams.get('connector_id') ?? '';
  const read = async (service = running, timeoutMs = 20_000) =>
    service.execute(await running.applicationToken(), id, READ, {
      'patchbay-timeout-ms': String(timeoutMs),
    });
  const first = await rowOf(ground.store, id);
  assert.ok(first.renewAt !== null, 'it is renewed ahead of its end');

  clock.advance(601_000);
  assert.equal((await read()).status, 200);
  const second = await rowOf(ground.store, id);
  assert.notEqual(second.sealedCredentials, first.sealedCredentials);

  // Another app of the application's own is for those who consent from now on.
  const configuration = { client_id: 'another', client_secret: 'another-secret' };
  const body = { connector_type: TICKETING, configuration };
  const put = await running.send('PUT', PATH, { token: await running.applicationToken(), body });
  assert.equal(put.status, 200, put.text);
  clock.advance(601_000);
  assert.equal((await read()).status, 200);

  // An app that is gone, or has another secret that is not set yet, ends nothing for good.
  const wrong = { ...appOf(sandbox, TICKETING), clientSecret: 'not-set-yet' };
  for (const oauthApps of [{}, { [TICKETING]: wrong }]) {
    clock.advance(601_000);
    await using other = await startServiceOn(ground, { ...options, oauthApps });
    const failed = await read(other, 1_000);
    assertProblem(failed, 'upstream_unavailable');
    assert.match(String(at(failed, 'detail')), /not configured any more|invalid_client/);
    assert.equal((await rowOf(ground.store, id)).state, 'active');
    await using mended = await startServiceOn(ground, options);
    assert.equal((await read(mended)).status, 200);
  }
});
