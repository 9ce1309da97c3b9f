import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { GrantReport, Sandbox } from '../src/index.ts';
import { bearer, CALLBACK, consent, handClock, postForm, send } from './oauth-calls.ts';
import type { JsonAnswer } from './oauth-calls.ts';
import { objects, sandboxForTest, text } from './support.ts';

const APP = { client_id: 'sandbox-slack', client_secret: 'sandbox-slack-secret' };
const METHOD = 'oauth.v2.access';

async function renew(sandbox: Sandbox, token: string, signal?: AbortSignal): Promise<JsonAnswer> {
  const params = { ...APP, grant_type: 'refresh_token', refresh_token: token };
  return await send(sandbox.oauth.servers.slack.tokenUrl, {
    method: 'POST',
    body: new URLSearchParams(params),
    ...(signal === undefined ? {} : { signal }),
  });
}

function only(sandbox: Sandbox): GrantReport {
  const [grant, ...others] = sandbox.oauth.grants();
  assert.ok(grant !== undefined && others.length === 0);
  return grant;
}

function granted(sandbox: Sandbox) {
  const [tokens] = sandbox.oauth.grant({ vendor: 'slack' });
  assert.ok(tokens?.refreshToken);
  return { ...tokens, refreshToken: tokens.refreshToken };
}

async function openerPolicy(url: string): Promise<string | null> {
  return (await fetch(url)).headers.get('cross-origin-opener-policy');
}

describe('the counts of renewals', () => {
  it('tell how many were under way at once, and how many succeeded', async () => {
    await using sandbox = await sandboxForTest();
    const tokens = granted(sandbox);
    const hang = sandbox.faults.add({ kind: 'hang', method: METHOD });
    const calls = [1, 2, 3].map(() => renew(sandbox, tokens.refreshToken));
    await hang.whenHit(3);
    assert.equal(only(sandbox).renewals.inFlight, 3);
    hang.release();
    const answers = await Promise.all(calls);
    assert.equal(answers.filter(({ body }) => body['ok'] === true).length, 1);
    const { renewals, deadRefreshTokens } = only(sandbox);
    const { mostLeftMs: _left, ...counts } = renewals;
    assert.deepEqual(counts, { inFlight: 0, mostInFlight: 3, asked: 3, succeeded: 1 });
    assert.deepEqual(deadRefreshTokens, { uses: 2, mostUsesOfOne: 2 });
  });

  it('count a renewal as over once its client has hung up', async () => {
    await using sandbox = await sandboxForTest();
    const tokens = granted(sandbox);
    const hang = sandbox.faults.add({ kind: 'hang', method: METHOD, times: 1 });
    const ending = new AbortController();
    const call = assert.rejects(renew(sandbox, tokens.refreshToken, ending.signal));
    await hang.whenHit();
    ending.abort();
    await call;
    while (only(sandbox).renewals.inFlight > 0) await new Promise(setImmediate);
    assert.equal((await renew(sandbox, tokens.refreshToken)).body['ok'], true);
    assert.equal(only(sandbox).renewals.mostInFlight, 1);
  });

  it('tell how long the replaced token would still have lived', async () => {
    const clock = handClock();
    await using sandbox = await sandboxForTest({ clock: clock.now, tokenTtlSeconds: 10 });
    const tokens = granted(sandbox);
    assert.equal(only(sandbox).renewals.mostLeftMs, null);
    clock.advance(8);
    const second = await renew(sandbox, tokens.refreshToken);
    assert.equal(only(sandbox).renewals.mostLeftMs, 2_000);
    clock.advance(60);
    await renew(sandbox, text(second.body, 'refresh_token'));
    assert.equal(only(sandbox).renewals.mostLeftMs, 2_000);
  });

  it('tell how dead access tokens were used, and whether any token still works', async () => {
    const clock = handClock();
    await using sandbox = await sandboxForTest({ clock: clock.now, tokenTtlSeconds: 10 });
    const { accessToken, grantId } = granted(sandbox);
    const call = () => postForm(`${sandbox.urls.slack}/auth.test`, {}, bearer(accessToken));
    assert.equal((await call()).body['ok'], true);
    assert.deepEqual(only(sandbox).deadAccessTokens, { uses: 0, mostUsesOfOne: 0 });
    clock.advance(10);
    await call();
    await call();
    assert.deepEqual(only(sandbox).deadAccessTokens, { uses: 2, mostUsesOfOne: 2 });
    assert.equal(only(sandbox).isAlive, true);
    assert.equal(sandbox.oauth.revoke(grantId), true);
    assert.equal(only(sandbox).isAlive, false);
    assert.equal(sandbox.oauth.revoke('nothing'), false);
  });
});

describe('faults of a token endpoint', () => {
  it('can lose the answer of a renewal that happened', async () => {
    await using sandbox = await sandboxForTest();
    const tokens = granted(sandbox);
    sandbox.faults.add({ kind: 'cutConnection', method: METHOD, afterApplying: true, times: 1 });
    await assert.rejects(renew(sandbox, tokens.refreshToken));
    assert.equal(only(sandbox).renewals.succeeded, 1);
    const again = await renew(sandbox, tokens.refreshToken);
    assert.equal(again.body['error'], 'invalid_refresh_token');
  });

  it('leave the tokens as they are when nothing happened', async () => {
    await using sandbox = await sandboxForTest();
    const { refreshToken } = granted(sandbox);
    sandbox.faults.add({ kind: 'serverError', method: METHOD, times: 1 });
    sandbox.faults.add({ kind: 'rateLimit', method: METHOD, times: 1, retryAfterSeconds: 7 });
    assert.equal((await renew(sandbox, refreshToken)).status, 500);
    const limited = await renew(sandbox, refreshToken);
    assert.deepEqual([limited.status, limited.headers.get('retry-after')], [429, '7']);
    assert.equal((await renew(sandbox, refreshToken)).body['ok'], true);
  });

  it('can meet every nth call', async () => {
    await using sandbox = await sandboxForTest();
    sandbox.faults.add({ kind: 'serverError', method: 'auth.test', every: 3, skip: 1 });
    const statuses: number[] = [];
    for (let call = 0; call < 8; call += 1) {
      const { status } = await postForm(`${sandbox.urls.slack}/auth.test`, {}, bearer('by-hand'));
      statuses.push(status);
    }
    assert.deepEqual(statuses, [200, 200, 200, 500, 200, 200, 500, 200]);
  });

  it('can put an error page in the place of the consent page', async () => {
    await using sandbox = await sandboxForTest();
    const method = 'GET /oauth/v2/authorize';
    sandbox.faults.add({ kind: 'serverError', status: 503, body: 'html', method, times: 1 });
    const { authorizeUrl } = sandbox.oauth.servers.slack;
    const response = await fetch(authorizeUrl);
    assert.equal(response.status, 503);
    assert.match(await response.text(), /Something is broken/);
  });
});

describe('faults of a consent page', () => {
  it('can cut a pop-up off from the window that opened it', async () => {
    await using sandbox = await sandboxForTest();
    sandbox.faults.add({ kind: 'cutOpener', times: 1 });
    const { authorizeUrl } = sandbox.oauth.servers.zendeskSupport;
    assert.equal(await openerPolicy(`${sandbox.urls.slack}/auth.test`), null);
    assert.equal(await openerPolicy(authorizeUrl), 'same-origin');
    assert.equal(await openerPolicy(authorizeUrl), null);
  });
});

describe('the control surface of OAuth', () => {
  it('names the servers, with their apps and people, and what became of consents', async () => {
    await using sandbox = await sandboxForTest();
    granted(sandbox);
    const { body } = await send(`${sandbox.url}/_sandbox/oauth`);
    assert.deepEqual(body, { servers: sandbox.oauth.servers, grants: sandbox.oauth.grants() });
  });

  it('issues tokens without a browser, and ends them', async () => {
    await using sandbox = await sandboxForTest();
    const post = (body: unknown) =>
      send(`${sandbox.url}/_sandbox/oauth/grants`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const person = sandbox.oauth.servers.slack.people.at(1);
    const { status, body } = await post({
      vendor: 'slack',
      personId: person?.id,
      asked: { scope: '', user_scope: 'users:read' },
    });
    assert.equal(status, 201);
    const [tokens] = objects(body['tokens']);
    const call = () =>
      postForm(`${sandbox.urls.slack}/auth.test`, {}, bearer(text(tokens, 'accessToken')));
    assert.equal((await call()).body['user_id'], person?.id);
    const grantUrl = `${sandbox.url}/_sandbox/oauth/grants/${text(tokens, 'grantId')}`;
    assert.equal((await send(grantUrl, { method: 'DELETE' })).status, 200);
    assert.equal((await call()).body['error'], 'token_revoked');
    assert.equal((await send(`${grantUrl}0`, { method: 'DELETE' })).status, 404);
    for (const wrong of [[], {}, { vendor: 'x' }, { vendor: 'slack', clientId: 'nobody' }]) {
      const refused = await post(wrong);
      assert.equal(refused.status, 400);
      assert.equal(objects(refused.body['problems']).length, 1);
    }
  });

  it('keeps codes, tokens and secrets out of the log', async () => {
    await using sandbox = await sandboxForTest();
    const asked = { client_id: APP.client_id, scope: 'users:read', redirect_uri: CALLBACK };
    const code = (await consent(sandbox, 'slack', { asked })).get('code') ?? '';
    const { tokenUrl } = sandbox.oauth.servers.slack;
    const { body } = await postForm(tokenUrl, { ...APP, code, redirect_uri: CALLBACK });
    await renew(sandbox, text(body, 'refresh_token'));
    const log = JSON.stringify(sandbox.requests());
    const secrets = [code, APP.client_secret, text(body, 'refresh_token')];
    assert.equal(sandbox.requests().length, 3);
    for (const secret of secrets) assert.ok(!log.includes(secret));
  });
});
