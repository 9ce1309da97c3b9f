import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';

import type { OAuthVendor, Sandbox } from '../src/index.ts';
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
import { basic } from './zendesk-calls.ts';

/** One of Zendesk's two products, as the tests of both need it. */
interface Product {
  readonly vendor: OAuthVendor;
  readonly app: { readonly client_id: string; readonly client_secret: string };
  readonly publicApp: string;
  readonly accessSeconds: number;
  readonly tokenType: string;
  /** The method of its token endpoint, for faults. */
  readonly tokenMethod: string;
  me(sandbox: Sandbox, headers: Readonly<Record<string, string>>): Promise<JsonAnswer>;
  userId(me: JsonAnswer): string;
}

const PRODUCTS: readonly Product[] = [
  {
    vendor: 'zendeskSupport',
    app: { client_id: 'sandbox-support', client_secret: 'sandbox-support-secret' },
    publicApp: 'sandbox-support-public',
    accessSeconds: 1_800,
    tokenType: 'bearer',
    tokenMethod: 'POST /oauth/tokens',
    me: (sandbox, headers) => send(`${sandbox.urls.zendeskSupport}/users/me.json`, { headers }),
    userId: ({ body }) => String(field(body, 'user', 'id')),
  },
  {
    vendor: 'zendeskChat',
    app: { client_id: 'sandbox-chat', client_secret: 'sandbox-chat-secret' },
    publicApp: 'sandbox-chat-public',
    accessSeconds: 36_000,
    tokenType: 'Bearer',
    tokenMethod: 'POST /oauth2/chat/token',
    me: (sandbox, headers) => send(`${sandbox.urls.zendeskChat}/agents/me`, { headers }),
    userId: ({ body }) => String(body['id']),
  },
];

function askedOf({ app }: Product): Readonly<Record<string, string>> {
  return {
    response_type: 'code',
    client_id: app.client_id,
    redirect_uri: CALLBACK,
    scope: 'read write',
    state: 'a b&c=1',
  };
}

async function ask(
  sandbox: Sandbox,
  product: Product,
  params: Readonly<Record<string, string>>,
): Promise<JsonAnswer> {
  const { tokenUrl } = sandbox.oauth.servers[product.vendor];
  return await postForm(tokenUrl, { ...product.app, ...params });
}

async function newCode(
  sandbox: Sandbox,
  product: Product,
  asked: Readonly<Record<string, string>> = {},
): Promise<string> {
  const step = { asked: { ...askedOf(product), ...asked } };
  return (await consent(sandbox, product.vendor, step)).get('code') ?? '';
}

/** The scope has to be said once more. */
const CODE_GRANT = { grant_type: 'authorization_code', redirect_uri: CALLBACK, scope: 'read' };

async function exchange(sandbox: Sandbox, product: Product, code: string): Promise<JsonAnswer> {
  return await ask(sandbox, product, { ...CODE_GRANT, code });
}

async function renew(sandbox: Sandbox, product: Product, token: string): Promise<JsonAnswer> {
  return await ask(sandbox, product, { grant_type: 'refresh_token', refresh_token: token });
}

async function status(sandbox: Sandbox, product: Product, token: unknown): Promise<number> {
  return (await product.me(sandbox, bearer(String(token)))).status;
}

for (const product of PRODUCTS) {
  const { vendor, app, publicApp } = product;

  describe(`the authorization server of ${vendor}`, () => {
    it('asks for consent, and leads back with a code or a refusal, and the state', async () => {
      await using sandbox = await sandboxForTest();
      const { status: shown, html } = await authorizePage(sandbox, vendor, askedOf(product));
      assert.equal(shown, 200);
      assert.match(html, /read write/);
      const allowed = await consent(sandbox, vendor, { asked: askedOf(product) });
      assert.deepEqual([...allowed.keys()], ['code', 'state']);
      const denied = await consent(sandbox, vendor, { asked: askedOf(product), decision: 'deny' });
      assert.deepEqual([denied.get('error'), denied.get('state')], ['access_denied', 'a b&c=1']);
      for (const wrong of [{ response_type: 'token' }, { scope: '' }, { client_id: 'nobody' }]) {
        const page = await authorizePage(sandbox, vendor, { ...askedOf(product), ...wrong });
        assert.equal(page.status, 400);
      }
    });

    it('gives tokens that say whose they are', async () => {
      await using sandbox = await sandboxForTest();
      const { people } = sandbox.oauth.servers[vendor];
      assert.ok(people.length > 1);
      for (const { id: personId } of people) {
        const back = await consent(sandbox, vendor, { asked: askedOf(product), personId });
        const { status: given, body } = await exchange(sandbox, product, back.get('code') ?? '');
        assert.equal(given, 200);
        const { access_token: token, refresh_token: refresh, ...rest } = body;
        assert.equal(typeof refresh, 'string');
        const { refresh_token_expires_in: _refreshLife, ...shared } = rest;
        assert.deepEqual(shared, {
          token_type: product.tokenType,
          scope: 'read write',
          expires_in: product.accessSeconds,
        });
        const me = await product.me(sandbox, bearer(String(token)));
        assert.equal(product.userId(me), personId);
      }
      const byHand = await product.me(sandbox, bearer('by-hand'));
      assert.equal(product.userId(byHand), people[0]?.id);
    });

    it('renews once with a refresh token, which ends the pair before', async () => {
      await using sandbox = await sandboxForTest();
      const first = (await exchange(sandbox, product, await newCode(sandbox, product))).body;
      const second = await renew(sandbox, product, text(first, 'refresh_token'));
      assert.equal(second.status, 200);
      assert.equal(await status(sandbox, product, first['access_token']), 401);
      assert.equal(await status(sandbox, product, second.body['access_token']), 200);
      const again = await renew(sandbox, product, text(first, 'refresh_token'));
      assert.deepEqual([again.status, again.body['error']], [400, 'invalid_grant']);
      const third = await renew(sandbox, product, text(second.body, 'refresh_token'));
      assert.equal(third.status, 200);
    });

    it('answers 401 to a token that has expired, which can still be renewed', async () => {
      const clock = handClock();
      await using sandbox = await sandboxForTest({ clock: clock.now, tokenTtlSeconds: 5 });
      const { body } = await exchange(sandbox, product, await newCode(sandbox, product));
      assert.equal(body['expires_in'], 5);
      assert.equal(await status(sandbox, product, body['access_token']), 200);
      clock.advance(5);
      assert.equal(await status(sandbox, product, body['access_token']), 401);
      const renewed = await renew(sandbox, product, text(body, 'refresh_token'));
      assert.equal(await status(sandbox, product, renewed.body['access_token']), 200);
    });

    it('refuses what is wrong', async () => {
      const clock = handClock();
      await using sandbox = await sandboxForTest({ clock: clock.now });
      const used = await newCode(sandbox, product);
      await exchange(sandbox, product, used);
      const old = await newCode(sandbox, product);
      clock.advance(120);
      const code = CODE_GRANT;
      const { redirect_uri: _, ...codeElsewhere } = CODE_GRANT;
      const { scope: __, ...codeWithoutScope } = CODE_GRANT;
      const fresh = () => newCode(sandbox, product);
      const cases: readonly (readonly [number, string, Readonly<Record<string, string>>])[] = [
        [400, 'invalid_grant', { ...code, code: 'made-up' }],
        [400, 'invalid_grant', { ...code, code: used }],
        [400, 'invalid_grant', { ...code, code: old }],
        [400, 'invalid_grant', { ...code, code: await fresh(), redirect_uri: `${CALLBACK}/x` }],
        [400, 'invalid_grant', { ...codeElsewhere, code: await fresh() }],
        [400, 'invalid_request', { ...codeWithoutScope, code: await fresh() }],
        [400, 'invalid_grant', { ...code, code: await fresh(), client_id: publicApp }],
        [401, 'invalid_client', { ...code, code: await fresh(), client_secret: 'wrong' }],
        [401, 'invalid_client', { ...code, code: await fresh(), client_id: 'nobody' }],
        [400, 'unsupported_grant_type', { grant_type: 'password' }],
        [400, 'invalid_grant', { grant_type: 'refresh_token', refresh_token: 'made-up' }],
      ];
      for (const [wanted, error, params] of cases) {
        const answer = await ask(sandbox, product, params);
        assert.deepEqual([answer.status, answer.body['error']], [wanted, error]);
      }
    });

    it('gives a confidential app tokens for itself, without a refresh token', async () => {
      await using sandbox = await sandboxForTest();
      const own = { grant_type: 'client_credentials', scope: 'read' };
      const first = await ask(sandbox, product, own);
      assert.deepEqual([first.status, first.body['refresh_token']], [200, undefined]);
      await ask(sandbox, product, own);
      const me = await product.me(sandbox, bearer(text(first.body, 'access_token')));
      assert.equal(product.userId(me), sandbox.oauth.servers[vendor].people[0]?.id);
      const refused = await ask(sandbox, product, { ...own, client_id: publicApp });
      assert.deepEqual([refused.status, refused.body['error']], [401, 'invalid_client']);
    });

    it('takes JSON as well', async () => {
      await using sandbox = await sandboxForTest();
      const params = { ...app, grant_type: 'client_credentials', scope: 'read' };
      const answer = await send(sandbox.oauth.servers[vendor].tokenUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(params),
      });
      assert.equal(answer.status, 200);
    });

    it('lists and revokes the tokens of the person who calls', async () => {
      await using sandbox = await sandboxForTest();
      const { people } = sandbox.oauth.servers[vendor];
      const [mine, theirs] = people.map(
        ({ id: personId }) => sandbox.oauth.grant({ vendor, personId })[0],
      );
      assert.ok(mine?.refreshToken && theirs !== undefined);
      const base = product === PRODUCTS[0] ? sandbox.urls.zendeskSupport : sandbox.urls.zendeskChat;
      const headers = bearer(mine.accessToken);
      const list = await fetch(`${base}/oauth/tokens`, { headers });
      const parsed: unknown = await list.json();
      const listed = objects(Array.isArray(parsed) ? parsed : field(parsed, 'tokens'));
      assert.equal(listed.length, 1);
      const id = String(listed[0]?.['id']);
      const remove = async (token: string, auth: Readonly<Record<string, string>>) =>
        (await send(`${base}/oauth/tokens/${token}`, { method: 'DELETE', headers: auth })).status;
      assert.equal(await remove(id, bearer(theirs.accessToken)), 404);
      assert.equal(await remove(id, headers), 204);
      assert.equal(await status(sandbox, product, mine.accessToken), 401);
      assert.equal((await renew(sandbox, product, mine.refreshToken)).status, 400);
      assert.equal(await remove(id, headers), 401);
      assert.equal(await status(sandbox, product, theirs.accessToken), 200);
    });

    it('goes wrong as it is told to', async () => {
      await using sandbox = await sandboxForTest();
      const [tokens] = sandbox.oauth.grant({ vendor });
      const method = product.tokenMethod;
      const refresh = tokens?.refreshToken ?? '';
      sandbox.faults.add({ kind: 'rateLimit', method, times: 1, retryAfterSeconds: 9 });
      const limited = await renew(sandbox, product, refresh);
      assert.deepEqual([limited.status, limited.headers.get('retry-after')], [429, '9']);
      sandbox.faults.add({ kind: 'serverError', status: 503, method, times: 1 });
      assert.equal((await renew(sandbox, product, refresh)).status, 503);
      sandbox.faults.add({ kind: 'upstreamError', error: 'invalid_client', method, times: 1 });
      assert.equal((await renew(sandbox, product, refresh)).status, 401);
      sandbox.faults.add({ kind: 'cutConnection', afterApplying: true, method, times: 1 });
      await assert.rejects(renew(sandbox, product, refresh));
      assert.equal((await renew(sandbox, product, refresh)).status, 400);
      const [grant] = sandbox.oauth.grants();
      assert.deepEqual([grant?.renewals.asked, grant?.renewals.succeeded], [5, 1]);
    });
  });
}

describe("what sets Zendesk's two authorization servers apart", () => {
  const [supportProduct, chatProduct] = PRODUCTS;
  assert.ok(supportProduct !== undefined && chatProduct !== undefined);

  it('neither takes the tokens of the other', async () => {
    await using sandbox = await sandboxForTest();
    const [support] = sandbox.oauth.grant({ vendor: 'zendeskSupport' });
    const [chat] = sandbox.oauth.grant({ vendor: 'zendeskChat' });
    assert.equal(await status(sandbox, chatProduct, support?.accessToken), 401);
    assert.equal(await status(sandbox, supportProduct, chat?.accessToken), 401);
    const asApiToken = { authorization: basic(support?.accessToken ?? '') };
    assert.equal((await supportProduct.me(sandbox, asApiToken)).status, 401);
  });

  it('Support ends what a code gave when the code comes again; Chat only refuses', async () => {
    await using sandbox = await sandboxForTest();
    for (const [product, wanted] of [
      [supportProduct, 401],
      [chatProduct, 200],
    ] as const) {
      const code = await newCode(sandbox, product);
      const { body } = await exchange(sandbox, product, code);
      assert.equal((await exchange(sandbox, product, code)).status, 400);
      assert.equal(await status(sandbox, product, body['access_token']), wanted);
    }
  });

  it('Support holds public apps to PKCE; Chat does not know it', async () => {
    await using sandbox = await sandboxForTest();
    const verifier = 'a-verifier-that-is-long-enough-to-be-one-0123456789';
    const challenge = {
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
    const exchangeWith = async (product: Product, params: Readonly<Record<string, string>>) => {
      const code = await newCode(sandbox, product, { client_id: product.publicApp, ...challenge });
      const all = { ...CODE_GRANT, code, ...params };
      return (await ask(sandbox, product, { ...all, client_id: product.publicApp })).status;
    };
    const bare = { ...askedOf(supportProduct), client_id: supportProduct.publicApp };
    assert.equal((await authorizePage(sandbox, 'zendeskSupport', bare)).status, 400);
    assert.equal(await exchangeWith(supportProduct, {}), 400);
    assert.equal(await exchangeWith(supportProduct, { code_verifier: 'wrong' }), 400);
    assert.equal(await exchangeWith(supportProduct, { code_verifier: verifier }), 200);
    assert.equal(await exchangeWith(chatProduct, {}), 200);
  });

  it('Support lets lifetimes be asked for, within bounds', async () => {
    await using sandbox = await sandboxForTest();
    const askFor = async (life: Readonly<Record<string, string>>) =>
      await ask(sandbox, supportProduct, {
        ...CODE_GRANT,
        code: await newCode(sandbox, supportProduct),
        ...life,
      });
    const { body } = await askFor({ expires_in: '7200', refresh_token_expires_in: '700000' });
    assert.deepEqual([body['expires_in'], body['refresh_token_expires_in']], [7_200, 700_000]);
    for (const wrong of ['300', '172800', 'soon']) {
      assert.equal((await askFor({ expires_in: wrong })).body['error'], 'invalid_request');
    }
  });

  it('Support shows the current token, and says 204 to revoking it without doing so', async () => {
    await using sandbox = await sandboxForTest();
    const [tokens] = sandbox.oauth.grant({ vendor: 'zendeskSupport' });
    const headers = bearer(tokens?.accessToken ?? '');
    const current = `${sandbox.urls.zendeskSupport}/oauth/tokens/current.json`;
    const { body } = await send(current, { headers });
    assert.equal(typeof field(body, 'token', 'id'), 'number');
    assert.ok(!JSON.stringify(body).includes(tokens?.accessToken ?? ''));
    assert.equal((await send(current, { method: 'DELETE', headers })).status, 204);
    assert.equal((await supportProduct.me(sandbox, headers)).status, 200);
    const byHand = bearer('by-hand');
    assert.equal((await send(current, { headers: byHand })).status, 404);
  });
});
