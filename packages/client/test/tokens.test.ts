import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { isConnectorError, Patchbay } from '../src/index.ts';
import { problemAnswer } from './support/sample-answers.ts';
import { problem } from './support/failures.ts';
import { startHosted, TEAM_CHAT, watchFetch, type Hosted } from './support/start-hosted.ts';

const LOGIN = '/applications/token';
const SCOPED = '/scoped-token';

describe('tokens', () => {
  let hosted: Hosted;
  before(async () => {
    hosted = await startHosted();
  });
  after(() => hosted[Symbol.asyncDispose]());

  test('1,000 first calls at once cause one request for each token', async () => {
    const watched = watchFetch();
    const patchbay = hosted.client({ fetch: watched.fetch });
    await Promise.all(Array.from({ length: 1_000 }, () => patchbay.connectors.list()));
    assert.equal(watched.to(LOGIN).length, 1);
    assert.equal(watched.to(SCOPED).length, 1);
    assert.equal(watched.to('/connectors').length, 1_000);
  });

  test('making a client sends nothing, and no secret shows in it', async () => {
    const watched = watchFetch();
    const patchbay = hosted.client({ fetch: watched.fetch });
    assert.equal(watched.sent.length, 0);
    await patchbay.connectors.list();
    const token = watched.to('/connectors')[0]?.headers.get('authorization')?.slice(7) ?? 'none';
    const shown = inspect(patchbay, { depth: 20, showHidden: true }) + JSON.stringify(patchbay);
    assert.ok(!shown.includes(hosted.credentials.clientSecret));
    assert.ok(!shown.includes(token));
  });

  test('tokens are kept until a minute before they expire, then renewed once for all', async () => {
    const watched = watchFetch();
    const patchbay = hosted.client({ fetch: watched.fetch });
    const callALot = () =>
      Promise.all(Array.from({ length: 100 }, () => patchbay.connectors.list()));
    await patchbay.connectors.list();
    hosted.clock.advance(1_130_000);
    await callALot();
    assert.equal(watched.to(SCOPED).length, 1);
    hosted.clock.advance(15_000);
    await callALot();
    await patchbay.connectors.list();
    assert.equal(watched.to(SCOPED).length, 2);
    // The application token lives shorter, so it had to be renewed as well.
    assert.equal(watched.to(LOGIN).length, 2);
    hosted.clock.advance(3_600_000);
    await callALot();
    assert.equal(watched.to(SCOPED).length, 3);
  });

  test('while the old token is good, nobody waits for its renewal, or hears that it failed', async () => {
    const watched = watchFetch();
    const patchbay = hosted.client({ fetch: watched.fetch });
    await patchbay.connectors.list();
    hosted.clock.advance(1_145_000);
    watched.instead = async ({ path }, send) =>
      path.endsWith('token') ? problem(403, 'forbidden') : send();
    for (let count = 0; count < 3; count++) await patchbay.connectors.list();
    // A renewal that fails is not tried again with every call.
    assert.equal(watched.to(LOGIN).length, 2);
    assert.equal(watched.to(SCOPED).length, 1);
    hosted.clock.advance(60_000);
    await assert.rejects(patchbay.connectors.list(), { code: 'forbidden' });
    watched.instead = undefined;
    await patchbay.connectors.list();
    assert.equal(watched.to(SCOPED).length, 2);
  });

  test('a refused token is renewed once, by whoever meets it first, for reads and writes', async () => {
    const watched = watchFetch();
    const patchbay = hosted.client({ fetch: watched.fetch });
    const { id } = await patchbay.connectors.create(TEAM_CHAT);
    const stale = watched.to('/connectors')[0]?.headers.get('authorization');
    watched.instead = async ({ headers }, send) =>
      headers.get('authorization') === stale ? problem(401, 'token_expired') : send();
    const slack = await patchbay.connector(id, { kind: 'chat-workspace' });
    await Promise.all(Array.from({ length: 100 }, () => slack.users.list({ limit: 1 })));
    await slack.channels.create({ name: 'after-a-401' });
    assert.equal(watched.to(SCOPED).length, 2);
  });

  test('a token that is refused again is an error, not a loop', async () => {
    const watched = watchFetch();
    const patchbay = hosted.client({ fetch: watched.fetch });
    watched.instead = async ({ path }, send) =>
      path.endsWith('/connectors') ? problem(401, 'unauthenticated') : send();
    await assert.rejects(patchbay.connectors.list(), { code: 'unauthenticated', status: 401 });
    assert.equal(watched.to('/connectors').length, 2);
  });

  test('an application token that is refused is got anew', async () => {
    const watched = watchFetch();
    const patchbay = hosted.client({ fetch: watched.fetch });
    await patchbay.connectors.list();
    let refusals = 0;
    watched.instead = async ({ path }, send) => {
      const isStale = path.endsWith('/connectors') || path.endsWith(SCOPED);
      return isStale && refusals++ < 2 ? problem(401, 'unauthenticated') : send();
    };
    await patchbay.connectors.list();
    assert.equal(watched.to(LOGIN).length, 2);
  });

  test('a wrong secret is said, and not told', async () => {
    const clientSecret = 'a-secret-that-is-wrong';
    const watched = watchFetch();
    const patchbay = hosted.client({ clientSecret, fetch: watched.fetch });
    const results = await Promise.allSettled([1, 2, 3].map(() => patchbay.connectors.list()));
    for (const result of results) {
      assert.ok(result.status === 'rejected' && isConnectorError(result.reason, 'unauthenticated'));
      assert.ok(!inspect(result.reason, { depth: 9 }).includes(clientSecret));
    }
    assert.equal(watched.to(LOGIN).length, 1);
  });

  test('a service that says the secret back does not get it into the error', async () => {
    const watched = watchFetch();
    const clientSecret = 'back"slash\\secret';
    watched.instead = async ({ body }) =>
      Response.json(problemAnswer({ code: 'invalid_request', status: 422, message: body }), {
        status: 422,
      });
    const patchbay = hosted.client({ clientSecret, fetch: watched.fetch });
    await assert.rejects(patchbay.connectors.list(), (error) => {
      assert.ok(isConnectorError(error, 'invalid_request'));
      assert.match(error.message, /\[secret\]/);
      return !inspect(error).includes('slash');
    });
  });

  test('one call may give up waiting for a token that the others get', async () => {
    const watched = watchFetch();
    const gate = Promise.withResolvers<void>();
    watched.instead = async (_, send) => {
      await gate.promise;
      return send();
    };
    const patchbay = hosted.client({ fetch: watched.fetch });
    const controller = new AbortController();
    const given = patchbay.connectors.list({}, { signal: controller.signal });
    const late = patchbay.connectors.list({}, { timeoutMs: 5 });
    const kept = patchbay.connectors.list();
    controller.abort(new Error('enough'));
    await assert.rejects(given, { message: 'enough' });
    await assert.rejects(late, { code: 'not_ready' });
    gate.resolve();
    assert.deepEqual((await kept).data, []);
    assert.equal(watched.to(LOGIN).length, 1);
  });

  test('credentials do not follow a redirect', async () => {
    const watched = watchFetch();
    watched.instead = async () => new Response(null, { status: 307, headers: { location: '/x' } });
    const patchbay = hosted.client({ fetch: watched.fetch });
    await assert.rejects(patchbay.connectors.list(), {
      code: 'route_not_found',
      message: /HTTP 307.*baseUrl/,
    });
    assert.equal(watched.sent.length, 1);
  });

  test('wrong options are refused, and their values not told', () => {
    const good = { ...hosted.credentials, baseUrl: hosted.service.url, externalUserId: 'u' };
    for (const wrong of [
      { baseUrl: 'ftp://host' },
      { baseUrl: 'https://user:hunter2hunter2@host' },
      { baseUrl: 'https://{subdomain}.host' },
      { clientSecret: '' },
      { externalUserId: '' },
      { timeoutMs: 0 },
    ])
      assert.throws(
        () => new Patchbay({ ...good, ...wrong }),
        (error) => isConnectorError(error, 'invalid_config') && !error.message.includes('hunter2'),
      );
  });

  describe('to hand on', () => {
    test('are for the external user, good for calls, and no tokens of the client', async () => {
      const watched = watchFetch();
      const patchbay = hosted.client({ fetch: watched.fetch });
      const { id } = await patchbay.connectors.create(TEAM_CHAT);
      const { token, expires_in } = await patchbay.scopedToken();
      assert.equal(expires_in, 1_200);
      assert.equal(watched.to(LOGIN).length, 1);
      assert.equal(watched.to(SCOPED).length, 2);
      const other = hosted.clientWithToken({ token: async () => token });
      assert.deepEqual(
        (await other.connectors.list()).data.map((each) => each.id),
        [id],
      );
      await other.connectors.delete(id);
      await patchbay.connectors.list();
      assert.equal(watched.to(SCOPED).length, 2);
    });

    test('may allow less than the client itself', async () => {
      const patchbay = hosted.client();
      const { id } = await patchbay.connectors.create(TEAM_CHAT);
      const unseen = await patchbay.connectors.create(TEAM_CHAT);
      const connectorIds = [id];
      const { token } = await patchbay.scopedToken({ access: 'read', connectorIds });
      const other = hosted.clientWithToken({ token: async () => token });
      assert.deepEqual(
        (await other.connectors.list()).data.map((each) => each.id),
        connectorIds,
      );
      await assert.rejects(other.connectors.get(unseen.id), { code: 'connector_not_found' });
      await assert.rejects(other.connectors.delete(id), { code: 'forbidden' });
      const wrong = patchbay.scopedToken({ connectorIds: [] });
      await assert.rejects(wrong, { code: 'invalid_request' });
    });

    test('are revoked one by one, by themselves or by their id', async () => {
      const patchbay = hosted.client();
      const [first, second, third] = [
        (await patchbay.scopedToken()).token,
        (await patchbay.scopedToken()).token,
        (await patchbay.scopedToken()).token,
      ];
      const list = (token: string) =>
        hosted.clientWithToken({ token: async () => token }).connectors.list();
      const claims = Buffer.from(second.split('.')[1] ?? '', 'base64url').toString();
      const { jti } = JSON.parse(claims) as { readonly jti: string };
      await patchbay.revokeToken({ token: first });
      await patchbay.revokeToken({ jti });
      await patchbay.revokeToken({ token: first });
      await assert.rejects(list(first), { code: 'unauthenticated' });
      await assert.rejects(list(second), { code: 'unauthenticated' });
      await list(third);
      await assert.rejects(patchbay.revokeToken({ jti: 'none' }), { code: 'invalid_request' });
      const given = hosted.clientWithToken({ token: () => hosted.mintToken('alice') });
      await assert.rejects(given.revokeToken({ token: third }), { code: 'forbidden' });
    });

    test('end with what the service says, at the deadline, or when the caller has enough', async () => {
      const wrong = hosted.client({ clientSecret: 'x'.repeat(40) });
      await assert.rejects(wrong.scopedToken(), { code: 'unauthenticated' });
      const silent = hosted.client({
        fetch: (_, init) =>
          new Promise((_resolve, reject) =>
            init?.signal?.addEventListener('abort', () => reject(new Error('aborted'))),
          ),
      });
      await assert.rejects(silent.scopedToken({ timeoutMs: 0 }), { code: 'invalid_config' });
      await assert.rejects(silent.scopedToken({ timeoutMs: 5 }), {
        code: 'not_ready',
        message: /gave no token within 5 ms/,
      });
      const controller = new AbortController();
      const enough = new Error('enough');
      const asked = silent.scopedToken({ signal: controller.signal });
      controller.abort(enough);
      await assert.rejects(asked, (error) => error === enough);
    });

    test('are for others to get where the client was given one', async () => {
      const given = hosted.clientWithToken({ token: () => hosted.mintToken('alice') });
      await assert.rejects(given.scopedToken(), { code: 'forbidden', message: /clientSecret/ });
    });
  });

  test('with read access writes are refused by the service', async () => {
    const patchbay = hosted.client({ access: 'read' });
    await assert.rejects(patchbay.connectors.create(TEAM_CHAT), { code: 'forbidden' });
  });
});
