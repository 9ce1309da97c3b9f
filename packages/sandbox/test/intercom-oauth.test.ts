import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { IntercomClient } from 'intercom-client';

import type { Sandbox } from '../src/index.ts';
import {
  authorizePage,
  bearer,
  CALLBACK,
  consent,
  handClock,
  postForm,
  send,
} from './oauth-calls.ts';
import type { JsonAnswer } from './oauth-calls.ts';
import { field, objects, sandboxForTest, text } from './support.ts';

const APP = { client_id: 'sandbox-intercom', client_secret: 'sandbox-intercom-secret' };
const ASKED = { client_id: APP.client_id, redirect_uri: CALLBACK, state: 'a b&c=1' };

async function newCode(sandbox: Sandbox, personId?: string): Promise<string> {
  const person = personId === undefined ? {} : { personId };
  return (await consent(sandbox, 'intercom', { asked: ASKED, ...person })).get('code') ?? '';
}

async function exchange(sandbox: Sandbox, params: Readonly<Record<string, string>>) {
  return await postForm(`${sandbox.urls.intercom}/auth/eagle/token`, { ...APP, ...params });
}

async function me(sandbox: Sandbox, token: string): Promise<JsonAnswer> {
  return await send(`${sandbox.urls.intercom}/me`, { headers: bearer(token) });
}

function codeOf({ body }: JsonAnswer): unknown {
  return objects(body['errors'])[0]?.['code'];
}

describe("Intercom's authorization server", () => {
  it('asks for consent without scopes, and leads back', async () => {
    await using sandbox = await sandboxForTest();
    assert.equal((await authorizePage(sandbox, 'intercom', ASKED)).status, 200);
    const allowed = await consent(sandbox, 'intercom', { asked: ASKED });
    assert.deepEqual([...allowed.keys()], ['code', 'state']);
    const denied = await consent(sandbox, 'intercom', { asked: ASKED, decision: 'deny' });
    assert.deepEqual(Object.fromEntries(denied), { error: 'access_denied', state: ASKED.state });
  });

  it('gives a token for good that says whose it is, and where', async () => {
    const clock = handClock();
    await using sandbox = await sandboxForTest({ clock: clock.now, tokenTtlSeconds: 5 });
    const { people } = sandbox.oauth.servers.intercom;
    assert.equal(new Set(people.map(({ account }) => account.id)).size, 2);
    for (const person of people) {
      const { status, body } = await exchange(sandbox, { code: await newCode(sandbox, person.id) });
      assert.equal(status, 200);
      const token = text(body, 'access_token');
      assert.deepEqual(body, { token_type: 'Bearer', token, access_token: token });
      clock.advance(365 * 86_400);
      const who = (await me(sandbox, token)).body;
      assert.equal(who['id'], person.id);
      assert.equal(field(who, 'app', 'id_code'), person.account.id);
      assert.equal(field(who, 'app', 'name'), person.account.name);
    }
  });

  it('gives each workspace its own data', async () => {
    await using sandbox = await sandboxForTest();
    const { people } = sandbox.oauth.servers.intercom;
    const firstContact = async (personId?: string) => {
      const { body } = await exchange(sandbox, { code: await newCode(sandbox, personId) });
      const client = new IntercomClient({
        token: text(body, 'access_token'),
        environment: sandbox.urls.intercom,
      });
      const { data } = await client.contacts.list({ per_page: 1 });
      return data[0]?.id;
    };
    const [first, second] = [await firstContact(), await firstContact(people.at(-1)?.id)];
    assert.ok(typeof first === 'string' && typeof second === 'string' && first !== second);
  });

  it('refuses what is wrong with 401', async () => {
    const clock = handClock();
    await using sandbox = await sandboxForTest({ clock: clock.now });
    const used = await newCode(sandbox);
    await exchange(sandbox, { code: used });
    const old = await newCode(sandbox);
    clock.advance(300);
    const wrong = [
      { code: 'made-up' },
      { code: used },
      { code: old },
      { code: await newCode(sandbox), client_secret: 'wrong' },
      { code: await newCode(sandbox), client_id: 'nobody' },
      { grant_type: 'refresh_token', refresh_token: 'made-up' },
    ];
    for (const params of wrong) {
      const answer = await exchange(sandbox, params);
      assert.deepEqual([answer.status, codeOf(answer)], [401, 'unauthorized']);
    }
  });

  it('takes JSON as well', async () => {
    await using sandbox = await sandboxForTest();
    const { status } = await send(sandbox.oauth.servers.intercom.tokenUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...APP, code: await newCode(sandbox) }),
    });
    assert.equal(status, 200);
  });

  it('takes the app out of a workspace, with all its tokens there', async () => {
    await using sandbox = await sandboxForTest();
    const { people } = sandbox.oauth.servers.intercom;
    const [mine, colleagues, elsewhere] = [people[0], people[1], people.at(-1)].map(
      (person) => sandbox.oauth.grant({ vendor: 'intercom', personId: person?.id ?? '' })[0],
    );
    const uninstall = async (token: string) =>
      await send(`${sandbox.urls.intercom}/auth/uninstall`, {
        method: 'POST',
        headers: bearer(token),
      });
    assert.equal((await uninstall(mine?.accessToken ?? '')).status, 200);
    for (const tokens of [mine, colleagues]) {
      const answer = await me(sandbox, tokens?.accessToken ?? '');
      assert.deepEqual([answer.status, codeOf(answer)], [401, 'token_revoked']);
    }
    assert.equal((await me(sandbox, elsewhere?.accessToken ?? '')).status, 200);
    await uninstall('by-hand');
    assert.equal((await me(sandbox, 'by-hand')).status, 401);
    assert.equal((await me(sandbox, 'by-hand-too')).status, 200);
  });

  it('refuses tokens of another run, which it cannot know', async () => {
    await using sandbox = await sandboxForTest();
    await using other = await sandboxForTest();
    const [tokens] = sandbox.oauth.grant({ vendor: 'intercom' });
    assert.equal(codeOf(await me(other, tokens?.accessToken ?? '')), 'unauthorized');
  });

  it('goes wrong as it is told to', async () => {
    await using sandbox = await sandboxForTest();
    const code = await newCode(sandbox);
    const method = 'POST /auth/eagle/token';
    sandbox.faults.add({ kind: 'serverError', method, times: 1 });
    assert.equal((await exchange(sandbox, { code })).status, 500);
    sandbox.faults.add({ kind: 'cutConnection', afterApplying: true, method, times: 1 });
    await assert.rejects(exchange(sandbox, { code }));
    assert.equal((await exchange(sandbox, { code })).status, 401);
    sandbox.faults.add({ kind: 'htmlBody', method: 'GET /oauth', times: 1 });
    const page = await authorizePage(sandbox, 'intercom', ASKED);
    assert.match(page.html, /Something is broken/);
  });
});
