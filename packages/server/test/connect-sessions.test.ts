import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, beforeEach, describe, test } from 'node:test';
import { allKinds } from '@patchbay/connectors/engine';
import { StoreError } from '@patchbay/store';
import { newSecret } from '../src/random-secret.ts';
import { entry, makeBrowser, makeSession, secretOf } from './support/connect-page.ts';
import { at, textAt, type TestAnswer } from './support/http-client.ts';
import { assertProblem, faultFields } from './support/problem.ts';
import {
  callCount,
  connectorBody,
  countOf,
  logIn,
  makeTestGround,
  startServiceOn,
} from './support/start-test-service.ts';

const SESSIONS = '/v1/connect-sessions';
const CONNECTORS = '/v1/integrations/connectors';
const UNKNOWN = '01a1fd50-54ba-79a1-a087-6b4fef496709';

describe('connect sessions', async () => {
  const ground = await makeTestGround();
  const { slack, intercom } = ground.sandbox.urls;
  const options = {
    upstreams: {
      'chat-workspace': { baseUrl: slack, limits: 'reactive' },
      'customer-messaging': { baseUrl: intercom, limits: 'reactive' },
    },
    quotas: { connectorsPerUser: 10_000, connectSessionsPerUser: 10_000 },
  } as const;
  const running = await startServiceOn(ground, options);
  // Another process, as far as anything here can tell.
  const second = await startServiceOn(ground, options);
  after(async () => {
    await running[Symbol.asyncDispose]();
    await second[Symbol.asyncDispose]();
    await ground[Symbol.asyncDispose]();
  });
  const token = await running.applicationToken();
  const another = await running.service.createApplication('another');
  const foreignToken = await logIn(running.send, another);
  const { sandbox } = ground;
  beforeEach(() => sandbox.resetRequests());

  const create = (body: unknown, as = token) => running.send('POST', SESSIONS, { token: as, body });
  const make = (body: Readonly<Record<string, unknown>> = {}) => makeSession(running, token, body);
  const read = (id: string, as = token) => running.send('GET', `${SESSIONS}/${id}`, { token: as });
  const confirm = (id: string, user = 'alice', { as = token, by = running } = {}) =>
    by.send('POST', `${SESSIONS}/${id}/confirm`, { token: as, body: { external_user_id: user } });
  const connector = (id: unknown) => running.send('GET', `${CONNECTORS}/${String(id)}`, { token });
  const statusOf = async (id: string) => at(await read(id), 'status');
  const expire = (id: string, agoMs = 0) =>
    ground.query(
      `update patchbay.connect_sessions set expires_at = now() - $2 * interval '1 ms' where id = $1`,
      [id, agoMs],
    );
  const sealedOf = async (id: string) => {
    const [row] = await ground.query(
      'select sealed_credentials from patchbay.connect_sessions where id = $1',
      [id],
    );
    return row?.['sealed_credentials'];
  };
  /** A session that is open in a browser. */
  const opened = async (body: Readonly<Record<string, unknown>> = {}) => {
    const { id, url } = await make(body);
    const browser = makeBrowser(running);
    const view = await browser.open(url);
    assert.equal(view.status, 200, view.text);
    return { id, url, browser, view };
  };
  const given = async (body: Readonly<Record<string, unknown>> = {}) => {
    const session = await opened(body);
    const answer = await session.browser.submit(session.id);
    assert.equal(answer.status, 200, answer.text);
    return { ...session, answer };
  };
  const connectorsOf = async (user: string) => {
    const path = `${CONNECTORS}?external_user_id=${user}`;
    const data = at(await running.send('GET', path, { token }), 'data');
    assert.ok(Array.isArray(data));
    return data.length;
  };

  describe('that have to be confirmed', () => {
    test('connect nothing until they are, and then what was tried', async () => {
      const user = `user-${randomUUID()}`;
      const { id, browser, view } = await opened({ external_user_id: user, user_label: 'Alice' });
      assert.partialDeepStrictEqual(view.body, {
        id,
        status: 'open',
        user_label: 'Alice',
        reconnects: false,
        connector_id: null,
        connector_type: null,
        error: null,
        progress: null,
      });
      const submitted = await browser.submit(id);
      const promised = textAt(submitted, 'connector_id');
      assert.partialDeepStrictEqual(submitted.body, {
        status: 'unconfirmed',
        connector_type: 'chat-workspace',
        progress: null,
      });
      assert.ok(countOf(sandbox, 'users.list') > 0, 'the credentials were tried');
      assert.equal(await connectorsOf(user), 0);
      const stored = await ground.store.connectSessions.find(id);
      assert.equal(stored?.given?.isConsented, false);
      assertProblem(await connector(promised), 'connector_not_found');
      const waiting = await read(id);
      assert.partialDeepStrictEqual(waiting.body, {
        id,
        status: 'unconfirmed',
        external_user_id: user,
        connector_id: promised,
        connector_type: 'chat-workspace',
        account: { name: 'Sandbox Workspace' },
        error: null,
      });
      sandbox.resetRequests();
      const confirmed = await confirm(id, user);
      assert.equal(confirmed.status, 200, confirmed.text);
      assert.partialDeepStrictEqual(confirmed.body, {
        status: 'succeeded',
        connector_id: promised,
      });
      assert.equal(callCount(sandbox), 0, 'they were tried before');
      const made = await connector(promised);
      assert.partialDeepStrictEqual(made.body, {
        id: promised,
        external_user_id: user,
        name: 'Slack',
        status: 'active',
        account: at(waiting, 'account'),
        replication_config: { lookback_window: 7, join_channels: false },
      });
      assert.equal(await sealedOf(id), null, 'nothing is left of them here');
      const done = await browser.view(id);
      assert.partialDeepStrictEqual(done.body, {
        status: 'succeeded',
        connector_id: promised,
        progress: { state: 'queued' },
      });
      const users = await running.execute(token, promised, {
        entity: 'users',
        action: 'list',
        params: { limit: 1 },
      });
      assert.equal(users.status, 200, users.text);
    });

    test('are confirmed once: the same is answered again, also to many at once', async () => {
      const user = `user-${randomUUID()}`;
      const { id } = await given({ external_user_id: user });
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          confirm(id, user, { by: index % 2 === 0 ? running : second }),
        ),
      );
      const [first] = answers;
      for (const answer of answers) {
        assert.equal(answer.status, 200, answer.text);
        assert.deepEqual(answer.body, first?.body);
      }
      assert.deepEqual((await confirm(id, user)).body, first?.body);
      assert.equal(await connectorsOf(user), 1);
    });

    test('take the last place there is but once, however often they are confirmed', async () => {
      const full = await startServiceOn(ground, { ...options, quotas: { connectorsPerUser: 1 } });
      try {
        for (let round = 0; round < 5; round++) {
          const user = `user-${randomUUID()}`;
          const { id } = await given({ external_user_id: user });
          const answers = await Promise.all(
            Array.from({ length: 6 }, () => confirm(id, user, { by: full })),
          );
          for (const answer of answers) assert.equal(answer.status, 200, answer.text);
          assert.equal(await statusOf(id), 'succeeded');
        }
      } finally {
        await full[Symbol.asyncDispose]();
      }
    });

    test('are confirmed for their own external user only, and nothing changes otherwise', async () => {
      const { id } = await given();
      const sealed = await sealedOf(id);
      for (const user of ['bob', 'ALICE', 'alice ']) {
        const answer = await confirm(id, user);
        assertProblem(answer, 'external_user_mismatch');
        assert.ok(!answer.text.includes('alice'), answer.text);
      }
      assert.equal(await statusOf(id), 'unconfirmed');
      assert.equal(await sealedOf(id), sealed);
      assert.equal((await confirm(id)).status, 200);
      assertProblem(await confirm(id, 'bob'), 'external_user_mismatch');
    });

    test('are confirmed by whoever can say what the browser was told, where that is said', async () => {
      const { id } = await given();
      const confirmAs = (connectorId: unknown) =>
        running.send('POST', `${SESSIONS}/${id}/confirm`, {
          token,
          body: { external_user_id: 'alice', connector_id: connectorId },
        });
      for (const wrong of ['', id, 'null']) assertProblem(await confirmAs(wrong), 'forbidden');
      assertProblem(await confirmAs(1), 'invalid_request');
      assert.equal(await statusOf(id), 'unconfirmed');
      const told = String(at(await read(id), 'connector_id'));
      assert.equal((await confirmAs(told.toUpperCase())).status, 200);
      assertProblem(await confirmAs(id), 'forbidden');
    });

    test('are confirmed by nobody else, either, who asks while the person is about to give something', async () => {
      const { id, browser } = await opened();
      const { connectSessions } = ground.store;
      const find: typeof connectSessions.find = async (sought) => {
        const found = await connectSessions.find(sought);
        // As if the person had been that fast.
        if (found?.status === 'open') assert.equal((await browser.submit(id)).status, 200);
        return found;
      };
      const store = { ...ground.store, connectSessions: { ...connectSessions, find } };
      const slow = await startServiceOn({ ...ground, store }, options);
      try {
        const answer = await slow.send('POST', `${SESSIONS}/${id}/confirm`, {
          token,
          body: { external_user_id: 'alice', connector_id: randomUUID() },
        });
        assertProblem(answer, 'connect_session_open');
        assert.equal(await statusOf(id), 'unconfirmed');
      } finally {
        await slow[Symbol.asyncDispose]();
      }
    });

    test('have nothing to confirm while they are open', async () => {
      const { id, browser } = await opened();
      assertProblem(await confirm(id), 'connect_session_open');
      assertProblem(
        await browser.submit(id, { credentials: { api_token: 'invalid' } }),
        'credentials_rejected',
      );
      assertProblem(await confirm(id), 'connect_session_open');
    });

    test('wait on where there are too many connectors, and succeed once there is room', async () => {
      const user = `user-${randomUUID()}`;
      const full = await startServiceOn(ground, { ...options, quotas: { connectorsPerUser: 1 } });
      try {
        const held = await full.connector(token, { external_user_id: user });
        const { id, browser } = await given({ external_user_id: user });
        assertProblem(await confirm(id, user, { by: full }), 'quota_exceeded');
        assert.equal(await statusOf(id), 'unconfirmed');
        assert.equal(at(await browser.view(id), 'error.code'), 'quota_exceeded');
        await running.send('DELETE', `${CONNECTORS}/${held}`, { token });
        assert.equal((await confirm(id, user, { by: full })).status, 200);
      } finally {
        await full[Symbol.asyncDispose]();
      }
    });
  });

  test('that need no confirmation connect at once', async () => {
    const user = `user-${randomUUID()}`;
    const { id, browser, answer } = await given({ external_user_id: user, confirm: false });
    assert.partialDeepStrictEqual(answer.body, {
      status: 'succeeded',
      progress: { state: 'queued' },
    });
    assert.equal((await connector(at(answer, 'connector_id'))).status, 200);
    assertProblem(await browser.submit(id), 'connect_session_used');
    assert.equal((await confirm(id, user)).status, 200);
    assert.equal(await connectorsOf(user), 1);
  });

  describe('have one success', () => {
    for (const isConfirmed of [true, false])
      test(`whoever is faster, ${isConfirmed ? 'confirmed' : 'without confirmation'}`, async () => {
        const user = `user-${randomUUID()}`;
        const { id, browser } = await opened({ external_user_id: user, confirm: isConfirmed });
        const other = { ...makeBrowser(second), cookies: browser.cookies };
        assert.equal(other.cookies, browser.cookies);
        const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
        const tries = await Promise.all(
          Array.from({ length: 6 }, (_, index) => {
            const by = index % 2 === 0 ? running : second;
            return by.send('POST', `/connect/sessions/${id}/credentials`, {
              body: entry({ credentials: { api_token: `xoxb-${index}` } }),
              headers: { cookie, 'sec-fetch-site': 'same-origin' },
            });
          }),
        );
        const [success, ...more] = tries.filter(({ status }) => status === 200);
        assert.ok(
          success !== undefined && more.length === 0,
          tries.map((each) => each.text).join(),
        );
        for (const each of tries) if (each !== success) assertProblem(each, 'connect_session_used');
        if (isConfirmed) await confirm(id, user);
        assert.equal(await connectorsOf(user), 1);
      });

    test('also after a process has left it half done', async () => {
      for (const isConnectorMade of [false, true]) {
        const user = `user-${randomUUID()}`;
        const { id, browser, answer } = await given({ external_user_id: user });
        const promised = textAt(answer, 'connector_id');
        // It has been confirmed, and whoever was at it is gone.
        await ground.store.connectSessions.confirm(id);
        if (isConnectorMade) {
          const { id: other } = await given({ external_user_id: user });
          await confirm(other, user);
          const made = await ground.store.connectors.find(
            String(at(await read(other), 'connector_id')),
          );
          assert.ok(made !== undefined);
          const { kind, name, config, replicationConfig, authMethod } = made;
          await ground.store.connectors.create({
            id: promised,
            applicationId: made.applicationId,
            externalUserId: user,
            kind,
            name,
            config,
            replicationConfig,
            authMethod,
            sealedCredentials: String(await sealedOf(id)),
            credentialsDigest: 'digest',
          });
        }
        assert.equal(await statusOf(id), 'unconfirmed', 'somebody may still be at it');
        await ground.query(
          `update patchbay.connect_sessions set confirmed_at = now() - interval '2 min' where id = $1`,
          [id],
        );
        const seen = isConnectorMade ? await read(id) : await browser.view(id);
        assert.equal(at(seen, 'status'), 'succeeded', seen.text);
        assert.equal((await connector(promised)).status, 200);
      }
    });
  });

  describe('that reconnect', () => {
    const [alice, , ...others] = sandbox.oauth.servers.intercom.people;
    const carol = others.find(({ account }) => account.id !== alice?.account.id);
    assert.ok(alice !== undefined && carol !== undefined);
    const tokenOf = (personId: string) => {
      const [granted] = sandbox.oauth.grant({ vendor: 'intercom', personId });
      assert.ok(granted !== undefined);
      return granted.accessToken;
    };
    const connected = () =>
      running.connector(token, {
        external_user_id: 'alice',
        connector_type: 'customer-messaging',
        credentials: { access_token: tokenOf(alice.id) },
        replication_config: null,
        verify: true,
      });
    const entered = (personId: string) => ({
      connector_type: 'intercom',
      method: 'oauth',
      credentials: { access_token: tokenOf(personId) },
    });
    const methodOf = allKinds().find(({ kind }) => kind === 'customer-messaging');
    assert.ok(methodOf !== undefined);
    const [method = ''] = Object.keys(methodOf.auth);

    test('give the connector other credentials of the same account', async () => {
      for (const isConfirmed of [true, false]) {
        const connectorId = await connected();
        const before = await ground.store.connectors.find(connectorId);
        const { id, browser, view } = await opened({
          connector_id: connectorId,
          confirm: isConfirmed,
        });
        assert.partialDeepStrictEqual(view.body, {
          reconnects: true,
          connector_id: connectorId,
          connector_type: 'customer-messaging',
        });
        assert.deepEqual(at(view, 'kinds.0.config'), [], 'its config is what it is');
        const answer = await browser.submit(id, { ...entered(alice.id), method });
        assert.equal(answer.status, 200, answer.text);
        if (isConfirmed) {
          const waiting = await ground.store.connectors.find(connectorId);
          assert.equal(waiting?.sealedCredentials, before?.sealedCredentials);
          assert.equal((await confirm(id)).status, 200);
        }
        const now = await ground.store.connectors.find(connectorId);
        assert.notEqual(now?.credentialsDigest, before?.credentialsDigest);
        assert.equal(now?.credentialsEpoch, before?.credentialsEpoch);
      }
    });

    test('refuse those of another account, and do not tell whose the connector is', async () => {
      const connectorId = await connected();
      const { id, browser } = await opened({ connector_id: connectorId });
      const answer = await browser.submit(id, { ...entered(carol.id), method });
      assertProblem(answer, 'account_mismatch');
      for (const secret of [alice.id, alice.account.id, alice.account.name])
        assert.ok(!answer.text.includes(secret), answer.text);
      const view = await browser.view(id);
      assert.equal(at(view, 'error.code'), 'account_mismatch');
      assert.ok(!view.text.includes(alice.account.id), view.text);
      assert.equal(at(view, 'status'), 'open');
      const config = { ...entered(alice.id), method, config: { region: 'eu' } };
      assert.deepEqual(faultFields(await browser.submit(id, config)), ['config.region']);
    });

    test('tell whoever confirms whose the connector has become, and the page nothing of it', async () => {
      const connectorId = await connected();
      const { id, browser } = await opened({ connector_id: connectorId });
      await browser.submit(id, { ...entered(alice.id), method });
      const changed = await running.send('PATCH', `${CONNECTORS}/${connectorId}`, {
        token,
        body: { credentials: { access_token: tokenOf(carol.id) }, replace_account: true },
      });
      assert.equal(changed.status, 200, changed.text);
      const confirmed = await confirm(id);
      assertProblem(confirmed, 'account_mismatch');
      assert.equal(at(confirmed, 'details.present.principal'), carol.id);
      const view = await browser.view(id);
      assert.equal(at(view, 'error.code'), 'account_mismatch');
      for (const secret of [carol.id, carol.account.id, carol.account.name])
        assert.ok(!view.text.includes(secret), view.text);
    });

    // Whoever made it has known its id from the beginning, and can tell it in another's place.
    test('give nobody the account of somebody else to whom the link was passed on', async () => {
      const connectorId = await running.connector(token, {
        external_user_id: 'mallory',
        connector_type: 'customer-messaging',
        credentials: { access_token: 'nothing' },
        replication_config: null,
      });
      const before = await ground.store.connectors.find(connectorId);
      for (const isConfirmed of [true, false]) {
        const { id, browser } = await opened({
          external_user_id: 'mallory',
          connector_id: connectorId,
          confirm: isConfirmed,
        });
        assertProblem(
          await browser.submit(id, { ...entered(alice.id), method }),
          'account_mismatch',
        );
        const confirmed = await running.send('POST', `${SESSIONS}/${id}/confirm`, {
          token,
          body: { external_user_id: 'mallory', connector_id: connectorId },
        });
        assertProblem(confirmed, 'connect_session_open');
        const now = await ground.store.connectors.find(connectorId);
        assert.equal(now?.credentialsDigest, before?.credentialsDigest);
        assert.equal(now?.account, null);
      }
    });

    test('reach connectors of the external user only', async () => {
      const connectorId = await connected();
      assertProblem(
        await create({ external_user_id: 'bob', connector_id: connectorId }),
        'connector_not_found',
      );
      assertProblem(
        await create({ external_user_id: 'alice', connector_id: connectorId }, foreignToken),
        'connector_not_found',
      );
      assertProblem(
        await create({ external_user_id: 'alice', connector_id: UNKNOWN }),
        'connector_not_found',
      );
      const other = {
        external_user_id: 'alice',
        connector_id: connectorId,
        connector_types: ['slack'],
      };
      assert.deepEqual(faultFields(await create(other)), ['connector_types']);
      const settings = { config: {}, replication_config: {} };
      const answer = await create({
        external_user_id: 'alice',
        connector_id: connectorId,
        ...settings,
      });
      assert.deepEqual(faultFields(answer), ['config', 'replication_config']);
    });

    test('fail where the connector has gone meanwhile', async () => {
      const connectorId = await connected();
      const { id, browser } = await opened({ connector_id: connectorId });
      const waiting = await opened({ connector_id: connectorId });
      await waiting.browser.submit(waiting.id, { ...entered(alice.id), method });
      await running.send('DELETE', `${CONNECTORS}/${connectorId}`, { token });
      assertProblem(
        await browser.submit(id, { ...entered(alice.id), method }),
        'connector_not_found',
      );
      assertProblem(await confirm(waiting.id), 'connector_not_found');
      assert.equal(await statusOf(waiting.id), 'unconfirmed');
    });
  });

  describe('open', () => {
    test('in the first browser, again and again, and in no other', async () => {
      const { id, url, browser } = await opened();
      const [cookie] = (await makeBrowser(running).open((await make()).url)).headers.getSetCookie();
      assert.match(
        cookie ?? '',
        /^__Host-patchbay-connect-[0-9a-f-]{36}=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=86400; HttpOnly; Secure; SameSite=Strict$/,
      );
      const again = await browser.open(url);
      assert.equal(again.status, 200);
      assert.deepEqual(again.headers.getSetCookie(), [], 'it keeps what it has');
      assert.equal(again.headers.get('referrer-policy'), 'no-referrer');
      assert.equal(again.headers.get('cache-control'), 'no-store');
      const thief = makeBrowser(running);
      assertProblem(await thief.open(url), 'connect_session_taken');
      assert.equal(thief.cookies.size, 0);
      assertProblem(await thief.view(id), 'connect_session_not_found');
      assertProblem(await thief.submit(id), 'connect_session_not_found');
      assertProblem(await thief.consent(id), 'connect_session_not_found');
      thief.cookies.set(`__Host-patchbay-connect-${id}`, secretOf(url));
      assertProblem(await thief.view(id), 'connect_session_not_found');
      assertProblem(await thief.open(url), 'connect_session_taken');
    });

    test('again where the answer was lost, for whoever can show the same attempt', async () => {
      const { url } = await make();
      const [attempt, other] = [newSecret(), newSecret()];
      await makeBrowser(running).open(url, attempt);
      for (const wrong of [undefined, other, secretOf(url)])
        assertProblem(await makeBrowser(second).open(url, wrong), 'connect_session_taken');
      const browser = makeBrowser(second);
      const again = await browser.open(url, attempt);
      assert.equal(again.status, 200, again.text);
      assert.ok(
        ![...browser.cookies.values()].includes(attempt),
        'a cookie is nothing that scripts have',
      );
      const later = await browser.open(url, other);
      assert.equal(later.status, 200, later.text);
      for (const wrong of ['', 'x', 7]) {
        const body = { secret: secretOf(url), attempt: wrong };
        const answer = await browser.send('POST', '/connect/sessions/open', { body });
        assertProblem(answer, 'invalid_request');
      }
    });

    test('for the first browser also where what it would show cannot be read at that moment', async () => {
      const { url } = await make();
      const { oauthApps } = ground.store;
      let isFailing = true;
      const find: typeof oauthApps.find = (applicationId, kind) =>
        isFailing
          ? Promise.reject(new StoreError('database_silent', 'no answer'))
          : oauthApps.find(applicationId, kind);
      const store = { ...ground.store, oauthApps: { ...oauthApps, find } };
      const shaky = await startServiceOn({ ...ground, store }, options);
      try {
        const browser = makeBrowser(shaky);
        assertProblem(await browser.open(url), 'not_ready');
        assertProblem(await makeBrowser(shaky).open(url), 'connect_session_taken');
        isFailing = false;
        const again = await browser.open(url);
        assert.equal(again.status, 200, again.text);
      } finally {
        await shaky[Symbol.asyncDispose]();
      }
    });

    test('for a browser that has opened many: those opened last are in it, and it stays within headers', async () => {
      const browser = makeBrowser(running);
      const ids: string[] = [];
      for (let index = 0; index < 30; index++) {
        const { id, url } = await make();
        assert.equal((await browser.open(url)).status, 200);
        ids.push(id);
      }
      assert.equal(browser.cookies.size, 20);
      for (const id of ids.slice(-20)) assert.equal((await browser.view(id)).status, 200);
      assertProblem(await browser.view(ids[9] ?? ''), 'connect_session_not_found');
    });

    test('for a browser that had kept too many before: of those none is sent any more', async () => {
      const browser = makeBrowser(running);
      browser.cookies.set('another', 'one');
      for (let index = 0; index < 100; index++)
        browser.cookies.set(`__Host-patchbay-connect-${randomUUID()}`, 'x'.repeat(43));
      const { id, url } = await make();
      await browser.open(url);
      assert.equal(browser.cookies.size, 21);
      assert.equal(browser.cookies.get('another'), 'one');
      assert.equal(browser.cookies.has(`__Host-patchbay-connect-${id}`), true);
    });

    test('for one of many browsers at once, over two processes', async () => {
      const { url } = await make();
      const browsers = Array.from({ length: 8 }, (_, index) =>
        makeBrowser(index % 2 === 0 ? running : second),
      );
      const answers = await Promise.all(browsers.map((browser) => browser.open(url)));
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      for (const answer of answers)
        if (answer.status !== 200) assertProblem(answer, 'connect_session_taken');
    });

    test('not with a cookie that somebody has put there beside', async () => {
      const { id, browser } = await opened();
      const [kept = ''] = [...browser.cookies].map(([name, value]) => `${name}=${value}`);
      const headers = { cookie: `${kept}; ${kept.slice(0, -43)}${'A'.repeat(43)}` };
      const answer = await browser.send('GET', `/connect/sessions/${id}`, { headers });
      assertProblem(answer, 'connect_session_not_found');
    });

    test('nothing where the secret is none; who guesses is told to wait, a right one passes', async () => {
      const fresh = await startServiceOn(ground, options);
      try {
        const browser = makeBrowser(fresh);
        const tryOne = (secret: unknown) =>
          browser.send('POST', '/connect/sessions/open', { body: { secret } });
        const wrong = 'A'.repeat(43);
        for (const secret of [wrong, '', 'short', `${wrong}=`, '../..', UNKNOWN])
          assertProblem(await tryOne(secret), 'connect_session_not_found');
        // Whoever has opened a link that is none is shown this, and can do this alone.
        assert.match((await tryOne('short')).text, /"message":"[^"]* Ask for a new one\."/);
        assert.deepEqual(faultFields(await tryOne(1)), ['secret']);
        assert.deepEqual(faultFields(await tryOne(null)), ['secret']);
        const answers: TestAnswer[] = [];
        for (let count = 0; count < 10; count++) answers.push(await tryOne(wrong));
        const last = answers.at(-1);
        assert.ok(last !== undefined);
        assertProblem(last, 'rate_limited');
        assert.equal((await browser.open((await make()).url)).status, 200);
        fresh.clock.advance(60_000);
        assertProblem(await tryOne(wrong), 'connect_session_not_found');
      } finally {
        await fresh[Symbol.asyncDispose]();
      }
    });

    test('to the page of this service alone', async () => {
      const { id, url, browser } = await opened();
      const body = { secret: secretOf(url) };
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const evil = 'https://evil.example';
      const foreign = [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: evil },
        { origin: 'null' },
        { origin: evil, 'sec-fetch-site': 'same-origin' },
        { origin: running.service.url, 'sec-fetch-site': 'cross-site' },
      ];
      for (const headers of foreign) {
        const told = { ...headers, cookie };
        for (const [path, sent] of [
          ['/connect/sessions/open', body],
          [`/connect/sessions/${id}/credentials`, entry()],
          [`/connect/sessions/${id}/consent`, { connector_type: 'slack' }],
        ] as const)
          assertProblem(
            await running.send('POST', path, { body: sent, headers: told }),
            'forbidden',
          );
        const view = await running.send('GET', `/connect/sessions/${id}`, { headers: told });
        assertProblem(view, 'forbidden');
      }
      const untold = { body: entry(), headers: { cookie } };
      const path = `/connect/sessions/${id}/credentials`;
      assertProblem(await running.send('POST', path, untold), 'forbidden');
      const form = { cookie, origin: running.service.url, 'content-type': 'text/plain' };
      assertProblem(
        await running.send('POST', path, { body: JSON.stringify(entry()), headers: form }),
        'unsupported_media_type',
      );
      assert.equal(await statusOf(id), 'open');
    });

    test('no more once their application is revoked', async () => {
      const { clientId, clientSecret } = await running.service.createApplication('soon gone');
      const as = await logIn(running.send, { clientId, clientSecret });
      const { id, url } = await makeSession(running, as);
      const browser = makeBrowser(running);
      await browser.open(url);
      await browser.submit(id);
      const application = await ground.store.applications.findByClientId(clientId);
      await running.service.revokeApplication(application?.id ?? '');
      for (const answer of [
        await browser.open(url),
        await browser.view(id),
        await browser.submit(id),
      ])
        assertProblem(answer, 'connect_session_not_found');
    });
  });

  describe('that have expired', () => {
    test('open, take, consent and confirm nothing, and say so', async () => {
      const unopened = await make();
      await expire(unopened.id);
      const late = makeBrowser(running);
      assertProblem(await late.open(unopened.url), 'connect_session_expired');
      assert.equal(late.cookies.size, 0);
      const { id, url, browser } = await opened();
      await expire(id);
      assert.equal(at(await browser.view(id), 'status'), 'expired');
      assert.equal(at(await browser.open(url), 'status'), 'expired');
      sandbox.resetRequests();
      assertProblem(await browser.submit(id), 'connect_session_expired');
      assertProblem(await browser.consent(id), 'connect_session_expired');
      assert.equal(sandbox.requests().length, 0);
      assertProblem(await confirm(id), 'connect_session_expired');
      assertProblem(await makeBrowser(running).open(url), 'connect_session_taken');
    });

    test('before they were confirmed lose what was given, as soon as somebody looks', async () => {
      for (const look of ['page', 'application'] as const) {
        const { id, browser } = await given();
        assert.equal(typeof (await sealedOf(id)), 'string');
        await expire(id);
        assertProblem(await confirm(id), 'connect_session_expired');
        const seen = look === 'page' ? await browser.view(id) : await read(id);
        assert.equal(at(seen, 'status'), 'expired');
        assert.equal(await sealedOf(id), null);
        assertProblem(await confirm(id), 'connect_session_expired');
      }
    });

    test('while the upstream was asked take nothing', async () => {
      const { id, browser } = await opened();
      const fault = sandbox.faults.add({ kind: 'delay', delayMs: 300 });
      const submitting = browser.submit(id);
      await expire(id);
      const answer = await submitting;
      fault.release();
      assertProblem(answer, 'connect_session_expired');
      assert.equal(await sealedOf(id), null);
    });

    test('after their success are what they were', async () => {
      const { id, browser } = await given();
      await confirm(id);
      await expire(id);
      assert.equal(await statusOf(id), 'succeeded');
      assert.equal(at(await browser.view(id), 'status'), 'succeeded');
      assert.equal((await confirm(id)).status, 200);
    });
  });

  test('are of one application, and of no scoped token', async () => {
    const { id } = await given();
    for (const other of [id, UNKNOWN, 'no-uuid']) {
      assertProblem(await read(other, foreignToken), 'connect_session_not_found');
      assertProblem(
        await confirm(other, 'alice', { as: foreignToken }),
        'connect_session_not_found',
      );
    }
    const scoped = await running.scopedToken('alice');
    assertProblem(await create({ external_user_id: 'alice' }, scoped), 'forbidden');
    assertProblem(await read(id, scoped), 'forbidden');
    assertProblem(await confirm(id, 'alice', { as: scoped }), 'forbidden');
    assert.equal(await statusOf(id), 'unconfirmed');
  });

  test('are not more at once than there may be, of a user and of an application', async () => {
    const few = await startServiceOn(ground, {
      ...options,
      quotas: { connectSessionsPerUser: 2, connectSessionsPerApplication: 3 },
    });
    try {
      const as = await few.applicationToken();
      const one = (user: string) =>
        few.send('POST', SESSIONS, { token: as, body: { external_user_id: user } });
      const first = await one('a');
      await one('a');
      const full = await one('a');
      assertProblem(full, 'quota_exceeded');
      assert.deepEqual(at(full, 'details'), { limit: 2, of: 'external_user' });
      assert.equal((await one('b')).status, 201);
      const crowded = await one('c');
      assert.deepEqual(at(crowded, 'details'), { limit: 3, of: 'application' });
      await expire(textAt(first, 'id'));
      assert.equal((await one('c')).status, 201);
    } finally {
      await few[Symbol.asyncDispose]();
    }
  });

  describe('what a person enters', () => {
    const wrong: readonly (readonly [
      name: string,
      changes: Record<string, unknown>,
      fields: readonly string[],
    ])[] = [
      ['no kind', { connector_type: null }, ['connector_type']],
      ['a kind that the session does not have', { connector_type: 'intercom' }, ['connector_type']],
      ['no method', { method: null }, ['method']],
      ['a method of nobody', { method: 'constructor' }, ['method']],
      ['no credentials', { credentials: null }, ['credentials']],
      ['empty credentials', { credentials: {} }, ['credentials.api_token']],
      ['credentials that are none', { credentials: 'planted-secret' }, ['credentials.api_token']],
      ['an empty field', { credentials: { api_token: '' } }, ['credentials.api_token']],
      [
        'a line break',
        { credentials: { api_token: 'planted-secret\n' } },
        ['credentials.api_token'],
      ],
      [
        'a field too many',
        { credentials: { api_token: 'planted-secret', tokn: 'planted-secret' } },
        ['credentials.tokn'],
      ],
      [
        'the fields of another method',
        { method: 'oauth', credentials: { api_token: 'planted-secret' } },
        ['credentials.access_token', 'credentials.client_id', 'credentials.client_secret'],
      ],
      [
        'config that is not known',
        { config: { subdomain: 'planted-secret' } },
        ['config.subdomain'],
      ],
      ['a member too many', { external_user_id: 'planted-secret' }, ['external_user_id']],
    ];
    for (const [name, changes, fields] of wrong)
      test(`is refused at its fields: ${name}`, async () => {
        const { id, browser } = await opened({ connector_types: ['slack'] });
        sandbox.resetRequests();
        const answer = await browser.submit(id, changes);
        assert.equal(answer.status, 422, answer.text);
        assert.deepEqual(faultFields(answer), fields);
        assert.ok(!JSON.stringify(at(answer, 'detail')).includes('planted-secret'));
        assert.equal(sandbox.requests().length, 0);
        assert.equal(await statusOf(id), 'open');
      });

    test('is tried, and what the upstream says is told here and there', async () => {
      const { id, browser } = await opened();
      const credentials = { api_token: 'planted-invalid-token' };
      const answer = await browser.submit(id, { credentials });
      assertProblem(answer, 'credentials_rejected');
      assert.ok(!answer.text.includes('planted'), answer.text);
      const told = await read(id);
      assert.partialDeepStrictEqual(told.body, {
        status: 'open',
        error: { code: 'credentials_rejected' },
      });
      const right = await browser.submit(id);
      assert.partialDeepStrictEqual(right.body, { status: 'unconfirmed', error: null });
    });

    test('is told nothing of where the operator has the calls sent', async () => {
      const proxied = await startServiceOn(ground, {
        upstreams: {
          'chat-workspace': { baseUrl: 'http://127.0.0.1:9/proxy', limits: 'reactive' },
        },
      });
      try {
        const { id, url } = await makeSession(proxied, await proxied.applicationToken());
        const browser = makeBrowser(proxied);
        await browser.open(url);
        const answer = await browser.submit(id);
        assertProblem(answer, 'upstream_unavailable');
        const view = await browser.view(id);
        assert.equal(at(view, 'error.code'), 'upstream_unavailable');
        for (const { text } of [answer, view])
          assert.doesNotMatch(text, /127\.0\.0\.1:9|PATCHBAY_UPSTREAM_URL/);
      } finally {
        await proxied[Symbol.asyncDispose]();
      }
    });

    test('may not say what the application has said already, and has to say what is missing', async () => {
      const kinds = { connector_types: ['zendesk-support'], config: { subdomain: 'acme' } };
      const { id, browser, view } = await opened(kinds);
      assert.deepEqual(at(view, 'kinds.0.config'), []);
      const zendeskEntry = {
        connector_type: 'zendesk-support',
        method: 'token',
        credentials: { email: 'a@example.com', api_token: 't' },
      };
      const other = await browser.submit(id, { ...zendeskEntry, config: { subdomain: 'evil' } });
      assert.deepEqual(faultFields(other), ['config.subdomain']);
      const asked = await opened({ connector_types: ['zendesk-support'] });
      assert.deepEqual(at(asked.view, 'kinds.0.config.0.name'), 'subdomain');
      const missing = await asked.browser.submit(asked.id, { ...zendeskEntry, config: {} });
      assertProblem(missing, 'invalid_config');
      assert.deepEqual(faultFields(missing), ['config.subdomain']);
    });

    test('is tried no more than so often', async () => {
      const { id, browser } = await opened();
      await ground.query('update patchbay.connect_sessions set attempts = 29 where id = $1', [id]);
      const credentials = { api_token: 'invalid' };
      assertProblem(await browser.submit(id, { credentials }), 'credentials_rejected');
      sandbox.resetRequests();
      const refused = await browser.submit(id);
      assertProblem(refused, 'quota_exceeded');
      assert.deepEqual(at(refused, 'details'), { limit: 30, of: 'connect_session' });
      assert.equal(sandbox.requests().length, 0);
    });
  });

  test('tell the page which kinds, fields and settings there are', async () => {
    const { view } = await opened({ connector_types: ['Slack', 'zendesk_support', 'slack'] });
    assert.deepEqual(at(view, 'kinds.length'), 2);
    assert.deepEqual(at(view, 'kinds.0.connector_type'), 'chat-workspace');
    const methods = at(view, 'kinds.1.methods');
    assert.ok(Array.isArray(methods));
    const flat = methods.flatMap((_, index) => {
      const fields = at(view, `kinds.1.methods.${index}.fields`);
      return Array.isArray(fields) ? (fields as { name: string; secret: boolean }[]) : [];
    });
    const isSecret = (name: string) => flat.find((field) => field.name === name)?.secret;
    assert.deepEqual(
      [
        'email',
        'client_id',
        'expires_at',
        'api_token',
        'access_token',
        'client_secret',
        'refresh_token',
      ].map(isSecret),
      [false, false, false, true, true, true, true],
    );
    assert.equal(at(view, 'kinds.1.config.0.required'), true);
  });

  describe('that are asked for', () => {
    const loopback = 'http://127.0.0.1:3000';
    const refused: readonly (readonly [
      name: string,
      body: Record<string, unknown>,
      fields: readonly string[],
    ])[] = [
      ['for nobody', { external_user_id: null }, ['external_user_id']],
      ['for an empty user', { external_user_id: '' }, ['external_user_id']],
      ['for two users', { customer_name: 'bob' }, ['customer_name']],
      ['of no kind', { connector_types: [] }, ['connector_types']],
      ['of a kind that is none', { connector_types: [1] }, ['connector_types']],
      [
        'of a kind that is none, to nowhere',
        { connector_types: ['slack', 'slak'], return_url: 'nowhere' },
        ['connector_types.1', 'return_url'],
      ],
      ['with no label', { user_label: '' }, ['user_label']],
      ['with a label of two lines', { user_label: 'a\nb' }, ['user_label']],
      ['with a label that turns around', { user_label: 'a\u202eb' }, ['user_label']],
      ['with a label too long', { user_label: 'a'.repeat(256) }, ['user_label']],
      ['with a member too many', { return_uri: 'x' }, ['return_uri']],
      ['with a confirm that is none', { confirm: 'yes' }, ['confirm']],
      ['to a foreign place', { return_url: 'https://evil.example/' }, ['return_url']],
      ['to a script', { return_url: 'javascript:alert(1)' }, ['return_url']],
      ['to a place with a user', { return_url: `http://a@127.0.0.1/` }, ['return_url']],
      ['to a place with a fragment', { return_url: `${loopback}/#x` }, ['return_url']],
      ['from any origin', { origin: '*' }, ['origin']],
      ['from no origin', { origin: 'null' }, ['origin']],
      ['from a foreign origin', { origin: 'https://evil.example' }, ['origin']],
      ['from an origin with a path', { origin: `${loopback}/x` }, ['origin']],
      ['with branding that is none', { branding: 'x' }, ['branding']],
      ['with unknown branding', { branding: { css: 'x' } }, ['branding.css']],
      ['with a name too long', { branding: { name: 'a'.repeat(101) } }, ['branding.name']],
      ['with a name of controls', { branding: { name: 'a\u0000' } }, ['branding.name']],
      [
        'with a script for a logo',
        { branding: { logo_url: 'javascript:alert(1)' } },
        ['branding.logo_url'],
      ],
      [
        'with a logo that is sent in clear',
        { branding: { logo_url: `${loopback}/logo.png` } },
        ['branding.logo_url'],
      ],
      [
        'with a logo of data',
        { branding: { logo_url: 'data:image/svg+xml,<svg/>' } },
        ['branding.logo_url'],
      ],
      [
        'with a foreign logo',
        { branding: { logo_url: 'https://evil.example/l.png' } },
        ['branding.logo_url'],
      ],
      ['with colours that are none', { branding: { accent: 'red;}' } }, ['branding.accent']],
      ['with a short colour', { branding: { accent: 'fff' } }, ['branding.accent']],
      [
        'with everything wrong',
        { origin: 'x', return_url: 'x', branding: { accent: 'x', logo_url: 'x' }, user_label: '' },
        ['branding.accent', 'branding.logo_url', 'origin', 'return_url', 'user_label'],
      ],
    ];
    for (const [name, changes, fields] of refused)
      test(`wrongly are refused at their fields: ${name}`, async () => {
        const answer = await create({ external_user_id: 'alice', ...changes });
        assertProblem(answer, 'invalid_request');
        assert.deepEqual(faultFields(answer), fields);
      });

    test('wrongly are refused with the code that says it all', async () => {
      const one = (body: object) => create({ external_user_id: 'alice', ...body });
      assertProblem(await one({ connector_types: ['teams'] }), 'unknown_connector_type');
      const slackConfig = { connector_types: ['slack'], config: { subdomain: 'acme' } };
      assertProblem(await one(slackConfig), 'invalid_config');
      const replication = {
        connector_types: ['slack'],
        replication_config: { lookback_window: -1 },
      };
      assertProblem(await one(replication), 'invalid_replication_config');
      assertProblem(await create('{'), 'malformed_json');
    });

    test('for several kinds are told which of them a setting is wrong for', async () => {
      const config = { subdomain: 'acme' };
      const kinds = ['slack', 'zendesk-support', 'intercom'];
      const body = { external_user_id: 'alice', connector_types: kinds, config };
      const answer = await create(body);
      assertProblem(answer, 'invalid_request');
      assert.deepEqual(
        (at(answer, 'errors') as readonly { readonly message: string }[]).map(
          ({ message }) => message,
        ),
        [
          'config.subdomain is not known; allowed: none (chat-workspace)',
          'config.subdomain is not known; allowed: region (customer-messaging)',
        ],
      );
    });

    test('for several kinds are told of what is wrong for one alone with its own code', async () => {
      const body = {
        external_user_id: 'alice',
        connector_types: ['slack', 'zendesk-support'],
        config: { subdomain: 'acme' },
      };
      const answer = await create(body);
      assertProblem(answer, 'invalid_config');
      assert.match(textAt(answer, 'detail'), /config\.subdomain .*\(chat-workspace\)/);
      assert.match(textAt(answer, 'errors.0.message'), /\(chat-workspace\)$/);
    });

    test('with what the application is allowed get it as browsers write it', async () => {
      const body = {
        return_url: 'https://app.example.com/back?from=patchbay',
        origin: 'https://app.example.com',
        branding: {
          name: '<img src=x onerror=alert(1)>',
          logo_url: 'https://app.example.com/logo.png',
          accent: '1F6FEB',
        },
        connector_types: ['slack'],
        replication_config: { join_channels: true },
        confirm: false,
      };
      const application = await ground.store.applications.findByClientId(running.client.clientId);
      const applicationId = application?.id ?? '';
      assertProblem(await create({ external_user_id: 'alice', ...body }), 'invalid_request');
      await ground.store.applications.update(applicationId, {
        allowedOrigins: ['https://app.example.com'],
        allowedReturnUrls: ['https://app.example.com/back'],
      });
      const { id, browser, view } = await opened(body);
      assert.partialDeepStrictEqual(view.body, {
        return_url: body.return_url,
        origin: body.origin,
        branding: { ...body.branding, accent: '1f6feb' },
      });
      const answer = await browser.submit(id);
      const made = await connector(at(answer, 'connector_id'));
      assert.equal(at(made, 'replication_config.join_channels'), true);
      // A list that has something allows nothing else, loopback included.
      const local = await create({ external_user_id: 'alice', origin: loopback });
      assert.deepEqual(faultFields(local), ['origin']);
      await ground.store.applications.update(applicationId, {
        allowedOrigins: [],
        allowedReturnUrls: [],
      });
      const trying = await opened({ origin: loopback, return_url: `${loopback}/back` });
      assert.equal(at(trying.view, 'origin'), loopback);
    });
  });

  test('are made once for each Idempotency-Key', async () => {
    const body = { external_user_id: 'alice' };
    const headers = { 'idempotency-key': randomUUID() };
    const one = (sent: object) => running.send('POST', SESSIONS, { token, body: sent, headers });
    const first = await one(body);
    const again = await one(body);
    assert.equal(again.text, first.text, 'the link, too');
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal(again.headers.get('location'), `${SESSIONS}/${textAt(first, 'id')}`);
    assertProblem(await one({ external_user_id: 'bob' }), 'idempotency_key_reused');
  });

  test('are made where browsers reach the service, and nowhere else', async () => {
    const publicUrl = 'https://connect.example.com';
    const known = await startServiceOn(ground, { ...options, publicUrl });
    const unknown = await startServiceOn(ground, { ...options, host: '0.0.0.0' });
    try {
      const { id, url } = await makeSession(known, token);
      assert.ok(url.startsWith(`${publicUrl}/connect#`), url);
      const open = (origin: string) =>
        known.send('POST', '/connect/sessions/open', {
          body: { secret: secretOf(url) },
          headers: { origin },
        });
      assertProblem(await open(known.service.url), 'forbidden');
      assert.equal(textAt(await open(publicUrl), 'id'), id);
      const local = { external_user_id: 'alice', origin: 'http://localhost:3000' };
      const refused = await known.send('POST', SESSIONS, { token, body: local });
      assert.deepEqual(faultFields(refused), ['origin']);
      const answer = await unknown.send('POST', SESSIONS, {
        token,
        body: { external_user_id: 'alice' },
      });
      assertProblem(answer, 'not_ready');
      assert.match(textAt(answer, 'detail'), /PATCHBAY_PUBLIC_URL/);
    } finally {
      await known[Symbol.asyncDispose]();
      await unknown[Symbol.asyncDispose]();
    }
  });

  test('leave connectors as they are made by others', async () => {
    const made = await running.send('POST', CONNECTORS, { token, body: connectorBody() });
    assert.equal(at(made, 'status'), 'pending');
    assert.equal(at(made, 'account'), null);
  });
});
