import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { StoreError } from '@patchbay/store';
import { makeBuiltPage } from './support/built-page.ts';
import { asClient, linkSecret, openConsole } from './support/console.ts';
import { at, textAt } from './support/http-client.ts';
import { assertProblem, faultFields } from './support/problem.ts';
import type { TrialSettings } from '../src/index.ts';
import { OPERATOR_KEY, startServiceOn, useTestService } from './support/start-test-service.ts';

const KINDS = '/api/v1/connector-kinds';
const APPLICATIONS = '/v1/applications';
const CONNECTORS = '/v1/integrations/connectors';
const AS_OPERATOR = { operator_key: OPERATOR_KEY };
const TRIAL: TrialSettings = {
  externalUserId: 'somebody',
  name: 'Trial',
  credentials: { api_token: 'demo' },
  replicationConfig: {
    start_date: '2026-01-01T00:00:00Z',
    lookback_window: 0,
    join_channels: false,
  },
};
const TRIAL_BODY = {
  connector_type: 'chat-workspace',
  external_user_id: 'somebody',
  name: 'Trial',
  credentials: { api_token: 'demo' },
  config: {},
  replication_config: TRIAL.replicationConfig,
};
const guess = () => randomBytes(32).toString('base64url');

describe('sessions of the console', async () => {
  const consolePageFolder = await makeBuiltPage('<title>Console</title>');
  const { running } = await useTestService({
    consolePageFolder,
    upstreams: {
      'chat-workspace': { baseUrl: 'http://127.0.0.1:1', label: 'sandbox', trial: TRIAL },
    },
  });
  const { send, client, service } = running;
  const applicationId = String(
    at(await send('GET', APPLICATIONS, { token: OPERATOR_KEY }), 'data.0.id'),
  );
  const signedIn = async (body: Readonly<Record<string, unknown>>) => {
    const browser = openConsole(running);
    const answer = await browser.signIn(body);
    assert.equal(answer.status, 200, answer.text);
    return { browser, answer };
  };

  test('the key, a link and an application sign in, and the browser is told who it is', async () => {
    for (const [body, role] of [
      [AS_OPERATOR, 'operator'],
      [{ operator_key: ` ${OPERATOR_KEY}\n` }, 'operator'],
      [{ link_secret: linkSecret(service.makeConsoleLink()) }, 'operator'],
      [asClient(client), 'application'],
    ] as const) {
      const { browser, answer } = await signedIn(body);
      assert.equal(at(answer, 'role'), role);
      const application =
        role === 'operator' ? null : { id: applicationId, name: 'Default application' };
      assert.deepEqual(at(answer, 'application'), application);
      const hours = (Date.parse(textAt(answer, 'expires_at')) - Date.now()) / 3_600_000;
      assert.ok(hours > 11.9 && hours <= 12.01, `${hours} hours`);
      const [cookie = '', ...others] = answer.headers.getSetCookie();
      assert.deepEqual(others, []);
      assert.match(
        cookie,
        /^patchbay-console=[\w-]{43}; Path=\/console; Max-Age=43200; HttpOnly; SameSite=Strict$/,
      );
      assert.deepEqual((await browser.session()).body, answer.body);
    }
  });

  test('a link is as good as before where the session that it was to begin did not come about', async () => {
    const { consoleSessions } = running.store;
    let isFailing = true;
    const open: typeof consoleSessions.open = (...session) =>
      isFailing
        ? Promise.reject(new StoreError('database_silent', 'no answer'))
        : consoleSessions.open(...session);
    const store = { ...running.store, consoleSessions: { ...consoleSessions, open } };
    await using shaky = await startServiceOn({ ...running, store }, { consolePageFolder });
    const link_secret = linkSecret(shaky.service.makeConsoleLink());
    assertProblem(await openConsole(shaky).signIn({ link_secret }), 'not_ready');
    isFailing = false;
    const answer = await openConsole(shaky).signIn({ link_secret });
    assert.equal(answer.status, 200, answer.text);
    assertProblem(await openConsole(shaky).signIn({ link_secret }), 'unauthenticated');
  });

  test('whoever is signed in is told what can be created to try things with, by the ordinary call', async () => {
    const { answer } = await signedIn(AS_OPERATOR);
    const { trials } = answer.body as { readonly trials: readonly unknown[] };
    assert.deepEqual(trials, [{ upstream: 'sandbox', display_name: 'Slack', body: TRIAL_BODY }]);
    const token = await running.applicationToken();
    const made = await send('POST', CONNECTORS, { token, body: TRIAL_BODY });
    assert.equal(made.status, 201, made.text);
    assert.equal(at(made, 'external_user_id'), TRIAL_BODY.external_user_id);
  });

  test('without a session there is nothing but the offer to sign in', async () => {
    for (const value of [undefined, '', 'x', guess(), `${guess()}; patchbay-console=${guess()}`]) {
      const browser = openConsole(running);
      if (value !== undefined) browser.cookies.set('patchbay-console', value);
      assertProblem(await browser.session(), 'unauthenticated');
      assertProblem(await browser.askToken(), 'unauthenticated');
    }
  });

  test('signing out ends the session in the service, and the cookie', async () => {
    const { browser } = await signedIn(AS_OPERATOR);
    const stolen = new Map(browser.cookies);
    const answer = await browser.signOut();
    assert.equal(answer.status, 204, answer.text);
    assert.match(answer.headers.getSetCookie()[0] ?? '', /^patchbay-console=; .*Max-Age=0/);
    assertProblem(await browser.session(), 'unauthenticated');
    for (const [name, value] of stolen) browser.cookies.set(name, value);
    assertProblem(await browser.session(), 'unauthenticated');
    assert.equal((await browser.signOut()).status, 204);
  });

  test('signing in anew ends the session that the browser had, and never takes a secret over', async () => {
    const { browser } = await signedIn(AS_OPERATOR);
    const before = browser.cookies.get('patchbay-console') ?? '';
    assert.equal((await browser.signIn(asClient(client))).status, 200);
    const after = browser.cookies.get('patchbay-console');
    assert.notEqual(after, before);
    assert.equal(at(await browser.session(), 'role'), 'application');
    browser.cookies.set('patchbay-console', before);
    assertProblem(await browser.session(), 'unauthenticated');
    const planted = guess();
    const victim = openConsole(running);
    victim.cookies.set('patchbay-console', planted);
    await victim.signIn(AS_OPERATOR);
    assert.notEqual(victim.cookies.get('patchbay-console'), planted);
  });

  test("an operator's token does what the key does, and nothing on behalf of an application", async () => {
    const { browser } = await signedIn(AS_OPERATOR);
    const answer = await browser.askToken();
    assert.equal(at(answer, 'role'), 'operator');
    assert.equal(at(answer, 'application_id'), null);
    const seconds = (Date.parse(textAt(answer, 'expires_at')) - Date.now()) / 1_000;
    assert.ok(seconds > 590 && seconds <= 600, `${seconds} s`);
    const token = textAt(answer, 'token');
    for (const path of [APPLICATIONS, `${APPLICATIONS}/${applicationId}`, CONNECTORS, KINDS])
      assert.equal((await send('GET', path, { token })).status, 200, path);
    assert.equal((await send('POST', '/v1/backup', { token })).status, 200);
    for (const path of [
      '/api/v1/account/applications/scoped-token',
      '/v1/connect-sessions',
      CONNECTORS,
    ])
      assertProblem(await send('POST', path, { token, body: {} }), 'forbidden');
  });

  test('the operator acts for an application with a token of that application alone', async () => {
    const other = await service.createApplication('another');
    const { browser } = await signedIn(AS_OPERATOR);
    const answer = await browser.askToken({ application_id: other.applicationId.toUpperCase() });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(at(answer, 'role'), 'application');
    assert.equal(at(answer, 'application_id'), other.applicationId);
    const token = textAt(answer, 'token');
    const own = `${APPLICATIONS}/${other.applicationId}`;
    assert.equal((await send('GET', own, { token })).status, 200);
    const foreign = await send('GET', `${APPLICATIONS}/${applicationId}`, { token });
    assertProblem(foreign, 'application_not_found');
    assertProblem(await send('GET', APPLICATIONS, { token }), 'forbidden');
    await service.revokeApplication(other.applicationId);
    for (const id of [other.applicationId, '01a1fd50-54ba-79a1-a087-6b4fef496709'])
      assertProblem(await browser.askToken({ application_id: id }), 'application_not_found');
    assertProblem(await browser.askToken({ application_id: 'no-uuid' }), 'invalid_request');
  });

  test('a session of an application gives its own tokens alone', async () => {
    const other = await service.createApplication('neighbour');
    const { browser } = await signedIn(asClient(client));
    for (const body of [{}, { application_id: applicationId }]) {
      const answer = await browser.askToken(body);
      assert.equal(at(answer, 'role'), 'application');
      assert.equal(at(answer, 'application_id'), applicationId);
      const token = textAt(answer, 'token');
      assertProblem(await send('GET', APPLICATIONS, { token }), 'forbidden');
      assertProblem(await send('POST', '/v1/backup', { token }), 'forbidden');
    }
    const foreign = await browser.askToken({ application_id: other.applicationId });
    assertProblem(foreign, 'application_not_found');
  });

  test('the tokens end after ten minutes, and can be revoked before', async () => {
    for (const [body, path] of [
      [AS_OPERATOR, APPLICATIONS],
      [asClient(client), KINDS],
    ] as const) {
      const { browser } = await signedIn(body);
      const [token, kept] = [await browser.token(), await browser.token()];
      assert.equal((await send('GET', path, { token })).status, 200);
      await send('POST', '/v1/tokens/revoke', { token, body: { token } });
      assertProblem(await send('GET', path, { token }), 'unauthenticated');
      assert.equal((await send('GET', path, { token: kept })).status, 200);
      running.clock.advance(602_000);
      assertProblem(await send('GET', path, { token: kept }), 'token_expired');
      running.clock.advance(-602_000);
    }
  });

  test('no route of the API takes the cookie', async () => {
    const { browser } = await signedIn(AS_OPERATOR);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const [secret = ''] = browser.cookies.values();
    const own = new Set(['/console/session', '/console/token']);
    for (const { method, path, reach } of service.routes) {
      if (own.has(path) || reach === 'public') continue;
      const headers = { cookie, 'sec-fetch-site': 'same-origin' };
      const body = method === 'POST' || method === 'PUT' || method === 'PATCH' ? {} : undefined;
      assertProblem(await send(method, path, { headers, body }), 'unauthenticated');
    }
    assertProblem(await send('GET', KINDS, { token: secret }), 'unauthenticated');
  });

  test('pages of other sites change nothing', async () => {
    const { browser } = await signedIn(AS_OPERATOR);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const foreign: readonly Readonly<Record<string, string>>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site', origin: service.url },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ];
    for (const headers of foreign)
      for (const [method, path, body] of [
        ['POST', '/console/session', AS_OPERATOR],
        ['POST', '/console/token', {}],
        ['DELETE', '/console/session', {}],
      ] as const) {
        const answer = await send(method, path, { body, headers: { ...headers, cookie } });
        assertProblem(answer, 'forbidden');
        assert.deepEqual(answer.headers.getSetCookie(), []);
      }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])
      for (const [method, path] of [
        ['POST', '/console/session'],
        ['POST', '/console/token'],
        ['DELETE', '/console/session'],
      ] as const) {
        const headers = { cookie, 'content-type': type };
        const answer = await send(method, path, { body: JSON.stringify(AS_OPERATOR), headers });
        assertProblem(answer, 'unsupported_media_type');
      }
    for (const [method, path] of [
      ['POST', '/console/token'],
      ['DELETE', '/console/session'],
    ] as const)
      assertProblem(await send(method, path, { headers: { cookie } }), 'unsupported_media_type');
    assert.equal((await browser.session()).status, 200);
  });

  test('what says too little, too much or nothing is told so, and not quoted', async () => {
    const { clientId: client_id, clientSecret: client_secret } = client;
    for (const [body, field] of [
      [{}, 'body'],
      [{ client_id }, 'body'],
      [{ client_secret }, 'body'],
      [{ ...AS_OPERATOR, link_secret: guess() }, 'body'],
      [{ ...AS_OPERATOR, client_id, client_secret }, 'body'],
      [{ operator_key: ['secret-value'] }, 'operator_key'],
      [{ link_secret: { toString: 'secret-value' } }, 'link_secret'],
      [{ operator_key: 'secret-value'.repeat(100) }, 'operator_key'],
      [{ ...AS_OPERATOR, extra: 'secret-value' }, 'extra'],
    ] as const) {
      const answer = await openConsole(running).signIn(body);
      assertProblem(answer, 'invalid_request');
      assert.deepEqual(faultFields(answer), [field]);
      assert.doesNotMatch(answer.text, /secret-value/);
      assert.ok(!answer.text.includes(client_secret) && !answer.text.includes(OPERATOR_KEY));
    }
  });

  test('nothing secret is in the log, but who signed in and for whom', async () => {
    const link = linkSecret(service.makeConsoleLink());
    const secrets: string[] = [OPERATOR_KEY, client.clientSecret, link];
    for (const body of [AS_OPERATOR, asClient(client), { link_secret: link }]) {
      const { browser } = await signedIn(body);
      secrets.push(await browser.token(), await browser.token({ application_id: applicationId }));
      secrets.push(...browser.cookies.values());
      const wrong = guess();
      secrets.push(wrong);
      await openConsole(running).signIn({ link_secret: wrong });
      await openConsole(running).signIn({ operator_key: wrong });
    }
    const log = running.log.text();
    for (const secret of secrets) assert.ok(!log.includes(secret), secret);
    const tokens = running.log
      .lines()
      .filter((line) => line['route'] === '/console/token' && line['operator'] === true);
    assert.ok(tokens.some((line) => line['application_id'] === applicationId));
  });
});
