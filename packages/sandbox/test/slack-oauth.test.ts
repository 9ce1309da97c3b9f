import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';

import { InstallProvider } from '@slack/oauth';
import type { Installation } from '@slack/oauth';

import type { Sandbox } from '../src/index.ts';
import { authorizePage, bearer, CALLBACK, consent, handClock, postForm } from './oauth-calls.ts';
import type { JsonAnswer } from './oauth-calls.ts';
import { field, refusal, sandboxForTest, slackClient, text } from './support.ts';

const APP = { client_id: 'sandbox-slack', client_secret: 'sandbox-slack-secret' };
const ASKED = {
  client_id: APP.client_id,
  scope: 'users:read,channels:read',
  redirect_uri: CALLBACK,
  state: 'a b&c=1',
};

async function access(
  sandbox: Sandbox,
  params: Readonly<Record<string, string>>,
  app: Readonly<Record<string, string>> = APP,
): Promise<JsonAnswer> {
  return await postForm(`${sandbox.urls.slack}/oauth.v2.access`, { ...app, ...params });
}

async function install(sandbox: Sandbox, personId?: string): Promise<JsonAnswer> {
  const back = await consent(sandbox, 'slack', {
    asked: ASKED,
    ...(personId === undefined ? {} : { personId }),
  });
  return await access(sandbox, { code: back.get('code') ?? '', redirect_uri: CALLBACK });
}

async function renew(sandbox: Sandbox, token: string): Promise<JsonAnswer> {
  return await access(sandbox, { grant_type: 'refresh_token', refresh_token: token });
}

async function authTest(sandbox: Sandbox, token: string): Promise<string> {
  const { body } = await postForm(`${sandbox.urls.slack}/auth.test`, {}, bearer(token));
  return body['ok'] === true ? 'ok' : text(body, 'error');
}

describe("Slack's consent", () => {
  it('asks on a page that names the app, the scopes and the people', async () => {
    await using sandbox = await sandboxForTest();
    const { status, html } = await authorizePage(sandbox, 'slack', ASKED);
    assert.equal(status, 200);
    for (const part of ['Sandbox App', 'users:read,channels:read', 'value="allow"']) {
      assert.ok(html.includes(part), part);
    }
    const { people } = sandbox.oauth.servers.slack;
    assert.equal(new Set(people.map(({ account }) => account.id)).size, 3);
    for (const { id } of people) assert.ok(html.includes(`value="${id}"`), id);
  });

  it('leads back with a code and the state as it was, or with a refusal', async () => {
    await using sandbox = await sandboxForTest();
    const allowed = await consent(sandbox, 'slack', { asked: ASKED });
    assert.deepEqual([...allowed.keys()], ['code', 'state']);
    assert.equal(allowed.get('state'), ASKED.state);
    const denied = await consent(sandbox, 'slack', { asked: ASKED, decision: 'deny' });
    assert.deepEqual(Object.fromEntries(denied), { error: 'access_denied', state: ASKED.state });
  });

  it('leads nowhere for requests that are wrong', async () => {
    await using sandbox = await sandboxForTest({ redirectUris: ['https://app.example/back'] });
    const { state: _state, ...plain } = ASKED;
    const wrong = [
      { ...plain, client_id: 'nobody' },
      { ...plain, redirect_uri: 'https://elsewhere.example/back' },
      { ...plain, redirect_uri: 'http://127.0.0.1.elsewhere.example/' },
      { ...plain, scope: '' },
      { ...plain, code_challenge: 'x', code_challenge_method: 'plain' },
      { ...plain, client_id: 'sandbox-slack-public' },
    ];
    for (const asked of wrong) {
      assert.equal((await authorizePage(sandbox, 'slack', asked)).status, 400);
      await assert.rejects(consent(sandbox, 'slack', { asked }), /cannot be allowed/);
    }
    const right = { ...plain, redirect_uri: 'https://app.example/back' };
    assert.equal((await authorizePage(sandbox, 'slack', right)).status, 200);
    await assert.rejects(consent(sandbox, 'slack', { asked: right, personId: 'nobody' }));
  });
});

describe("Slack's oauth.v2.access", () => {
  it('exchanges a code for a bot token that works, with a refresh token', async () => {
    await using sandbox = await sandboxForTest();
    const { status, body } = await install(sandbox);
    const [person] = sandbox.oauth.servers.slack.people;
    assert.equal(status, 200);
    const { access_token, refresh_token, app_id, bot_user_id, ...rest } = body;
    assert.deepEqual(rest, {
      ok: true,
      authed_user: { id: person?.id },
      team: person?.account,
      enterprise: null,
      is_enterprise_install: false,
      scope: ASKED.scope,
      token_type: 'bot',
      expires_in: 43_200,
    });
    const who = await slackClient(sandbox, String(access_token)).auth.test();
    assert.equal(who.team_id, person?.account.id);
    assert.equal(who.user_id, bot_user_id);
    assert.ok(typeof app_id === 'string' && typeof refresh_token === 'string');
    assert.equal(await authTest(sandbox, refresh_token), 'invalid_auth');
  });

  it('gives a token of the person for user_scope, alone or beside that of the bot', async () => {
    await using sandbox = await sandboxForTest();
    const [, other] = sandbox.oauth.servers.slack.people;
    const asked = { ...ASKED, user_scope: 'users:read', scope: '' };
    const back = await consent(sandbox, 'slack', { asked, personId: other?.id ?? '' });
    const code = { code: back.get('code') ?? '', redirect_uri: CALLBACK };
    const { body } = await access(sandbox, code);
    assert.equal(field(body, 'access_token'), undefined);
    assert.equal(field(body, 'authed_user', 'token_type'), 'user');
    const who = await slackClient(sandbox, text(body, 'authed_user', 'access_token')).auth.test();
    assert.deepEqual([who.user_id, who.bot_id], [other?.id, undefined]);
    const both = await consent(sandbox, 'slack', { asked: { ...ASKED, user_scope: 'users:read' } });
    const given = await access(sandbox, { code: both.get('code') ?? '', redirect_uri: CALLBACK });
    const user = text(given.body, 'authed_user', 'refresh_token');
    assert.notEqual(user, text(given.body, 'refresh_token'));
    assert.equal(field((await renew(sandbox, user)).body, 'token_type'), 'user');
  });

  it('gives each workspace its own data, and a token only the scopes it was given', async () => {
    await using sandbox = await sandboxForTest();
    const { people } = sandbox.oauth.servers.slack;
    const elsewhere = people.find(({ account }) => account.name.startsWith('Second'));
    const tokens = [people.at(0), elsewhere].map(async (person) =>
      text((await install(sandbox, person?.id)).body, 'access_token'),
    );
    const teams = (await Promise.all(tokens)).map(async (token) => {
      const client = slackClient(sandbox, token);
      const { members = [] } = await client.users.list({ limit: 5 });
      assert.equal(await refusal(client.conversations.join({ channel: 'C1' })), 'missing_scope');
      return members.map(({ team_id: teamId }) => teamId)[0];
    });
    const accounts = [people.at(0), elsewhere].map((person) => person?.account.id);
    assert.deepEqual(await Promise.all(teams), accounts);
    assert.notEqual(accounts[0], accounts[1]);
  });

  /** @see https://docs.slack.dev/reference/scopes/chat.write.public */
  it('lets an app post to public channels that it is not in, with the scope for that', async () => {
    await using sandbox = await sandboxForTest();
    for (const scope of ['chat:write', 'chat:write,chat:write.public']) {
      const asked = { ...ASKED, scope: `channels:read,channels:history,${scope}` };
      const back = await consent(sandbox, 'slack', { asked });
      const given = { code: back.get('code') ?? '', redirect_uri: CALLBACK };
      const { body } = await access(sandbox, given);
      const client = slackClient(sandbox, text(body, 'access_token'));
      const { channels = [] } = await client.conversations.list({ limit: 999 });
      const foreign = channels.find((one) => one.is_member === false && one.is_archived === false);
      const channel = text(foreign, 'id');
      const posting = client.apiCall('chat.postMessage', { channel, text: 'hi' });
      if (scope === 'chat:write') assert.equal(await refusal(posting), 'not_in_channel');
      else assert.equal(text(await posting, 'channel'), channel);
      // It is not in the channel by that.
      const reading = client.conversations.history({ channel });
      assert.equal(await refusal(reading), 'not_in_channel');
    }
  });

  it('installs the app for a whole organization, which has no team', async () => {
    await using sandbox = await sandboxForTest();
    const { people } = sandbox.oauth.servers.slack;
    const admin = people.find(({ account }) => account.id.startsWith('E'));
    const { body } = await install(sandbox, admin?.id);
    assert.deepEqual(
      [body['team'], body['enterprise'], body['is_enterprise_install']],
      [null, admin?.account, true],
    );
    const who = await slackClient(sandbox, text(body, 'access_token')).auth.test();
    assert.deepEqual([who.enterprise_id, who.is_enterprise_install], [admin?.account.id, true]);
    const renewed = await renew(sandbox, text(body, 'refresh_token'));
    assert.deepEqual([renewed.body['team'], renewed.body['enterprise']], [null, admin?.account]);
  });

  it('refuses with 200 and a code of its own for everything that is wrong', async () => {
    const clock = handClock();
    await using sandbox = await sandboxForTest({ clock: clock.now });
    const newCode = async () =>
      (await consent(sandbox, 'slack', { asked: ASKED })).get('code') ?? '';
    const good = { redirect_uri: CALLBACK };
    const used = await newCode();
    await access(sandbox, { ...good, code: used });
    const old = await newCode();
    clock.advance(600);
    const cases: readonly (readonly [string, Record<string, string>, Record<string, string>?])[] = [
      ['invalid_client_id', { ...good, code: await newCode() }, { client_id: 'nobody' }],
      ['bad_client_secret', { ...good, code: await newCode() }, { ...APP, client_secret: 'x' }],
      ['invalid_code', { ...good, code: 'made-up' }],
      ['invalid_code', { ...good, code: used }],
      ['invalid_code', { ...good, code: old }],
      ['bad_redirect_uri', { redirect_uri: `${CALLBACK}/x`, code: await newCode() }],
      ['bad_redirect_uri', { code: await newCode() }],
      ['invalid_grant_type', { grant_type: 'client_credentials' }],
      ['invalid_refresh_token', { grant_type: 'refresh_token', refresh_token: 'made-up' }],
    ];
    for (const [code, params, app] of cases) {
      const { status, body } = await access(sandbox, params, app);
      assert.deepEqual([status, body['ok'], body['error']], [200, false, code]);
    }
  });

  it('takes the app by HTTP Basic as well', async () => {
    await using sandbox = await sandboxForTest();
    const code = (await consent(sandbox, 'slack', { asked: ASKED })).get('code') ?? '';
    const basic = Buffer.from(`${APP.client_id}:${APP.client_secret}`).toString('base64');
    const { body } = await postForm(
      `${sandbox.urls.slack}/oauth.v2.access`,
      { code, redirect_uri: CALLBACK },
      { authorization: `Basic ${basic}` },
    );
    assert.equal(body['ok'], true);
  });

  it('holds a public app to its code verifier', async () => {
    await using sandbox = await sandboxForTest();
    const app = { client_id: 'sandbox-slack-public' };
    const verifier = 'a-verifier-that-is-long-enough-to-be-one-0123456789';
    const asked = {
      ...ASKED,
      ...app,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
    const newCode = async () => (await consent(sandbox, 'slack', { asked })).get('code') ?? '';
    const good = { redirect_uri: CALLBACK };
    const bare = await access(sandbox, { ...good, code: await newCode() }, app);
    assert.equal(bare.body['error'], 'invalid_code_verifier');
    const proven = { ...good, code: await newCode(), code_verifier: verifier };
    assert.equal((await access(sandbox, proven, app)).body['ok'], true);
  });

  it('issues tokens for good to an app without token rotation', async () => {
    const clock = handClock();
    await using sandbox = await sandboxForTest({ clock: clock.now, tokenTtlSeconds: 5 });
    const app = {
      client_id: 'sandbox-slack-lasting',
      client_secret: 'sandbox-slack-lasting-secret',
    };
    const back = await consent(sandbox, 'slack', { asked: { ...ASKED, ...app } });
    const code = { code: back.get('code') ?? '', redirect_uri: CALLBACK };
    const { body } = await access(sandbox, code, app);
    assert.deepEqual([body['expires_in'], body['refresh_token']], [undefined, undefined]);
    clock.advance(10 * 365 * 86_400);
    assert.equal(await authTest(sandbox, text(body, 'access_token')), 'ok');
  });
});

describe("Slack's token rotation", () => {
  it('renews once with a refresh token, and keeps the token before until it expires', async () => {
    const clock = handClock();
    await using sandbox = await sandboxForTest({ clock: clock.now });
    const first = (await install(sandbox)).body;
    clock.advance(40_000);
    const second = (await renew(sandbox, text(first, 'refresh_token'))).body;
    assert.deepEqual([second['token_type'], second['expires_in']], ['bot', 43_200]);
    assert.equal(await authTest(sandbox, text(first, 'access_token')), 'ok');
    const again = await renew(sandbox, text(first, 'refresh_token'));
    assert.equal(again.body['error'], 'invalid_refresh_token');
    assert.equal(again.status, 200);
    clock.advance(3_200);
    assert.equal(await authTest(sandbox, text(first, 'access_token')), 'token_expired');
    assert.equal(await authTest(sandbox, text(second, 'access_token')), 'ok');
  });

  it('keeps two access tokens of a consent at most', async () => {
    await using sandbox = await sandboxForTest();
    const first = (await install(sandbox)).body;
    const second = (await renew(sandbox, text(first, 'refresh_token'))).body;
    const third = (await renew(sandbox, text(second, 'refresh_token'))).body;
    const states = [first, second, third].map((body) =>
      authTest(sandbox, text(body, 'access_token')),
    );
    assert.deepEqual(await Promise.all(states), ['token_revoked', 'ok', 'ok']);
  });

  it('calls a token expired that had expired before a third was issued', async () => {
    const clock = handClock();
    await using sandbox = await sandboxForTest({ clock: clock.now, tokenTtlSeconds: 5 });
    const first = (await install(sandbox)).body;
    clock.advance(5);
    const second = (await renew(sandbox, text(first, 'refresh_token'))).body;
    await renew(sandbox, text(second, 'refresh_token'));
    assert.equal(await authTest(sandbox, text(first, 'access_token')), 'token_expired');
  });

  it('lets tokens live as long as the sandbox is told', async () => {
    const clock = handClock();
    await using sandbox = await sandboxForTest({ clock: clock.now, tokenTtlSeconds: 5 });
    const { body } = await install(sandbox);
    assert.equal(body['expires_in'], 5);
    clock.advance(5);
    assert.equal(await authTest(sandbox, text(body, 'access_token')), 'token_expired');
  });

  it('refuses tokens of another run, which it cannot know', async () => {
    await using sandbox = await sandboxForTest();
    await using other = await sandboxForTest();
    const { body } = await install(sandbox);
    assert.equal(await authTest(other, text(body, 'access_token')), 'invalid_auth');
  });

  it('revokes tokens that it issued, with their refresh token, and those made by hand', async () => {
    await using sandbox = await sandboxForTest();
    const { body } = await install(sandbox);
    const token = text(body, 'access_token');
    const revoke = async (one: string, test = '0') =>
      (await postForm(`${sandbox.urls.slack}/auth.revoke`, { test }, bearer(one))).body['revoked'];
    assert.equal(await revoke(token, '1'), false);
    assert.equal(await authTest(sandbox, token), 'ok');
    for (const one of [token, 'by-hand']) {
      assert.equal(await revoke(one), true);
      assert.equal(await authTest(sandbox, one), 'token_revoked');
    }
    const renewed = await renew(sandbox, text(body, 'refresh_token'));
    assert.equal(renewed.body['error'], 'invalid_refresh_token');
  });
});

describe("Slack's own @slack/oauth", () => {
  it('installs the app through the consent page, and renews by itself', async () => {
    // It renews tokens that expire within two hours: these always do.
    await using sandbox = await sandboxForTest({ tokenTtlSeconds: 60 });
    const stored: Installation[] = [];
    const installer = new InstallProvider({
      clientId: APP.client_id,
      clientSecret: APP.client_secret,
      stateSecret: 'a secret of the test',
      directInstall: true,
      authorizationUrl: sandbox.oauth.servers.slack.authorizeUrl,
      clientOptions: { slackApiUrl: `${sandbox.urls.slack}/` },
      installationStore: {
        storeInstallation: (installation) => {
          stored.push(installation);
          return Promise.resolve();
        },
        fetchInstallation: () => Promise.resolve(structuredClone(stored.at(-1)) as never),
      },
    });
    await using app = await serveInstaller(installer);
    const start = await fetch(`${app.url}/install`, { redirect: 'manual' });
    const asked = new URL(start.headers.get('location') ?? '').searchParams;
    const back = await consent(sandbox, 'slack', { asked: Object.fromEntries(asked) });
    const cookie = (start.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const end = await fetch(`${app.url}/callback?${back.toString()}`, { headers: { cookie } });
    assert.equal(end.status, 200, await end.text());
    const [installation] = stored;
    const { botToken } = await installer.authorize({
      teamId: installation?.team?.id,
      enterpriseId: undefined,
      isEnterpriseInstall: false,
    });
    assert.notEqual(botToken, installation?.bot?.token);
    assert.equal(stored.at(-1)?.bot?.token, botToken);
    assert.equal(await authTest(sandbox, botToken ?? ''), 'ok');
    assert.equal(sandbox.oauth.grants()[0]?.renewals.succeeded, 1);
  });
});

/** Slack's installer as the application behind an address. */
async function serveInstaller(installer: InstallProvider) {
  let url = '';
  const server = createServer((request, response) => {
    const options = { scopes: ['users:read'], redirectUri: `${url}/callback` };
    const isStart = request.url === '/install';
    void (isStart
      ? installer.handleInstallPath(request, response, undefined, options)
      : installer.handleCallback(request, response));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  url = `http://127.0.0.1:${String(typeof address === 'object' ? address?.port : '')}`;
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}
