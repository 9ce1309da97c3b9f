import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { after, describe, test } from 'node:test';
import { makeBuiltPage } from './support/built-page.ts';
import { asClient, linkSecret, openConsole, type ConsoleBrowser } from './support/console.ts';
import { at, makeClient, textAt } from './support/http-client.ts';
import { assertProblem } from './support/problem.ts';
import { makeTestGround, OPERATOR_KEY, startServiceOn } from './support/start-test-service.ts';

const APPLICATIONS = '/v1/applications';
const AS_OPERATOR = { operator_key: OPERATOR_KEY };
const MINUTE_MS = 60_000;
const guess = () => randomBytes(32).toString('base64url');

/** An address of this machine that is no loopback one, where there is any. */
const ELSEWHERE = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.internal === false && each.family === 'IPv4')?.address;
const NOT_ELSEWHERE = ELSEWHERE === undefined && 'this machine has no address but loopback ones';

/** Gives a browser what another one keeps. */
function moved(browser: ConsoleBrowser, other: ConsoleBrowser): ConsoleBrowser {
  for (const [name, value] of browser.cookies) other.cookies.set(name, value);
  return other;
}

describe('who gets into the console', async () => {
  const consolePageFolder = await makeBuiltPage('<title>Console</title>');
  const ground = await makeTestGround();
  after(() => ground[Symbol.asyncDispose]());
  const start = (options: Parameters<typeof startServiceOn>[1] = {}) =>
    startServiceOn(ground, { consolePageFolder, ...options });
  const letPass = (column: string, interval: string) =>
    ground.query(`update patchbay.console_sessions set ${column} = ${column} - $1::interval`, [
      interval,
    ]);

  test('a link opens one session, of the process that made it, and only the newest does', async () => {
    await using running = await start();
    await using other = await start();
    const earlier = linkSecret(running.service.makeConsoleLink());
    const link = running.service.makeConsoleLink() ?? '';
    assert.ok(link.startsWith(`${running.service.url}/console#`), link);
    const body = { link_secret: linkSecret(link) };
    assertProblem(await openConsole(other).signIn(body), 'unauthenticated');
    const stale = await openConsole(running).signIn({ link_secret: earlier });
    assertProblem(stale, 'unauthenticated');
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => openConsole(running).signIn(body)),
    );
    const statuses = answers.map(({ status }) => String(status)).toSorted();
    assert.deepEqual(statuses, ['200', '401', '401', '401', '401']);
  });

  test('a link is good for half an hour', async () => {
    await using running = await start();
    for (const [minutes, status] of [
      [29, 200],
      [31, 401],
    ] as const) {
      const body = { link_secret: linkSecret(running.service.makeConsoleLink()) };
      running.clock.advance(minutes * MINUTE_MS);
      assert.equal((await openConsole(running).signIn(body)).status, status);
    }
  });

  test('a link that was passed on by a proxy is refused, and not used up', async () => {
    await using running = await start({ trustedProxies: 1 });
    const body = { link_secret: linkSecret(running.service.makeConsoleLink()) };
    for (const headers of [
      { 'x-forwarded-for': '127.0.0.1' },
      { 'x-forwarded-for': '203.0.113.7' },
      { forwarded: 'for=127.0.0.1' },
      { via: '1.1 proxy' },
      { 'x-real-ip': '127.0.0.1' },
      { 'x-forwarded-proto': 'https' },
      { 'x-forwarded-host': 'localhost' },
      { origin: 'https://patchbay.example.com' },
    ])
      assertProblem(await openConsole(running).signIn(body, headers), 'forbidden');
    assert.equal((await openConsole(running).signIn(body)).status, 200);
  });

  test('a link is refused from another machine', { skip: NOT_ELSEWHERE }, async () => {
    await using running = await start({ host: '0.0.0.0' });
    const link = running.service.makeConsoleLink() ?? '';
    const { port } = new URL(running.service.url);
    assert.ok(link.startsWith(`http://127.0.0.1:${port}/console#`), link);
    const body = { link_secret: linkSecret(link) };
    const send = makeClient(`http://${ELSEWHERE}:${port}`);
    assertProblem(await send('POST', '/console/session', { body }), 'forbidden');
    assert.equal((await running.send('POST', '/console/session', { body })).status, 200);
  });

  test(
    'a service that is not reached over this machine gives no link',
    { skip: NOT_ELSEWHERE },
    async () => {
      await using running = await start({ host: ELSEWHERE ?? '' });
      assert.equal(running.service.makeConsoleLink(), undefined);
    },
  );

  test("without an operator's key there is no link and no operator", async () => {
    await using running = await start({ operatorKey: undefined });
    assert.equal(running.service.makeConsoleLink(), undefined);
    for (const body of [AS_OPERATOR, { link_secret: guess() }])
      assertProblem(await openConsole(running).signIn(body), 'unauthenticated');
    assert.equal((await openConsole(running).signIn(asClient(running.client))).status, 200);
  });

  test('guessing is slowed down by address, and the right secret still passes', async () => {
    await using running = await start();
    const right = linkSecret(running.service.makeConsoleLink());
    for (const [wrong, body] of [
      [() => ({ link_secret: guess() }), { link_secret: right }],
      [() => ({ link_secret: 'x' }), AS_OPERATOR],
      [() => ({ operator_key: guess() }), AS_OPERATOR],
      [() => ({ operator_key: 'no key' }), AS_OPERATOR],
      [() => ({ client_id: randomUUID(), client_secret: guess() }), asClient(running.client)],
      [() => ({ ...asClient(running.client), client_secret: guess() }), asClient(running.client)],
    ] as const) {
      running.clock.advance(2 * MINUTE_MS);
      for (let count = 1; count <= 10; count++)
        assertProblem(await openConsole(running).signIn(wrong()), 'unauthenticated');
      assertProblem(await openConsole(running).signIn(wrong()), 'rate_limited');
      assert.equal((await openConsole(running).signIn(body)).status, 200);
    }
  });

  test('a session ends after twelve hours, and after an hour without use', async () => {
    await using running = await start();
    const browser = openConsole(running);
    await browser.signIn(AS_OPERATOR);
    for (let count = 0; count < 3; count++) {
      await letPass('used_at', '59 minutes');
      assert.equal((await browser.askToken()).status, 200);
    }
    await letPass('used_at', '61 minutes');
    assertProblem(await browser.askToken(), 'unauthenticated');
    await browser.signIn(AS_OPERATOR);
    await letPass('expires_at', '12 hours');
    assertProblem(await browser.session(), 'unauthenticated');
  });

  test('a token ends with its session', async () => {
    await using running = await start();
    const browser = openConsole(running);
    await browser.signIn(AS_OPERATOR);
    await letPass('expires_at', '11 hours 58 minutes');
    const answer = await browser.askToken();
    const session = await browser.session();
    const aheadMs =
      Date.parse(textAt(session, 'expires_at')) - Date.parse(textAt(answer, 'expires_at'));
    assert.ok(aheadMs >= 0 && aheadMs < 2_000, `${aheadMs} ms`);
  });

  test('all processes know a session, and its end', async () => {
    await using first = await start();
    await using second = await start();
    for (const body of [AS_OPERATOR, asClient(first.client)]) {
      const browser = openConsole(first);
      await browser.signIn(body);
      const there = moved(browser, openConsole(second));
      assert.deepEqual((await there.session()).body, (await browser.session()).body);
      const token = await there.token();
      const path = '/api/v1/connector-kinds';
      assert.equal((await first.send('GET', path, { token })).status, 200);
      await there.signOut();
      assertProblem(await browser.session(), 'unauthenticated');
    }
  });

  test('a session ends with its application, or with the secret that opened it', async () => {
    await using running = await start();
    const { send, service } = running;
    const application = await service.createApplication('with two secrets');
    const secrets = `${APPLICATIONS}/${application.applicationId}/secrets`;
    const added = await send('POST', secrets, { token: OPERATOR_KEY });
    const [first, second, idle] = [
      openConsole(running),
      openConsole(running),
      openConsole(running),
    ];
    await first.signIn(asClient(application));
    await second.signIn({
      ...asClient(application),
      client_secret: textAt(added, 'client_secret'),
    });
    await idle.signIn(asClient(running.client));
    await send('DELETE', `${secrets}/${textAt(added, 'id')}`, { token: OPERATOR_KEY });
    assertProblem(await second.askToken(), 'unauthenticated');
    const token = await first.token();
    await service.revokeApplication(application.applicationId);
    assertProblem(await first.session(), 'unauthenticated');
    assertProblem(await first.askToken(), 'unauthenticated');
    assertProblem(await first.signIn(asClient(application)), 'unauthenticated');
    const own = await send('GET', '/api/v1/connector-kinds', { token });
    assertProblem(own, 'unauthenticated');
    assert.equal((await idle.session()).status, 200);
  });

  test("another operator's key ends the operator's sessions and tokens, and those alone", async () => {
    const other = 'another-operator-key-of-the-test-services';
    await using before = await start();
    const operator = openConsole(before);
    const application = openConsole(before);
    await operator.signIn(AS_OPERATOR);
    await application.signIn(asClient(before.client));
    const token = await operator.token();
    const asToken = { token };
    assert.equal((await before.send('GET', APPLICATIONS, asToken)).status, 200);
    for (const operatorKey of [other, undefined]) {
      await using running = await start({ operatorKey });
      assertProblem(await moved(operator, openConsole(running)).session(), 'unauthenticated');
      assertProblem(await running.send('GET', APPLICATIONS, asToken), 'unauthenticated');
      const there = moved(application, openConsole(running));
      assert.equal(at(await there.session(), 'role'), 'application');
    }
  });

  test('over https the cookie is for this host alone, and no other name counts', async () => {
    for (const [options, headers] of [
      [{ publicUrl: 'https://patchbay.example.com' }, {}],
      [{ trustedProxies: 1 }, { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' }],
    ] as const) {
      await using running = await start(options);
      const send = (method: string, path: string, cookie: string) =>
        running.send(method, path, { headers: { ...headers, cookie } });
      const answer = await running.send('POST', '/console/session', { body: AS_OPERATOR, headers });
      const [cookie = ''] = answer.headers.getSetCookie();
      assert.match(
        cookie,
        /^__Host-patchbay-console=[\w-]{43}; Path=\/; Secure; Max-Age=43200; HttpOnly; SameSite=Strict$/,
      );
      const [pair = ''] = cookie.split(';');
      assert.equal((await send('GET', '/console/session', pair)).status, 200);
      const tossed = pair.replace('__Host-', '');
      assertProblem(await send('GET', '/console/session', tossed), 'unauthenticated');
    }
  });

  test('who says https without being a trusted proxy is not believed', async () => {
    await using running = await start();
    const headers = { 'x-forwarded-proto': 'https' };
    const answer = await running.send('POST', '/console/session', { body: AS_OPERATOR, headers });
    assert.match(answer.headers.getSetCookie()[0] ?? '', /^patchbay-console=/);
  });

  test('the page of the public URL signs in where browsers say no site', async () => {
    await using running = await start({ publicUrl: 'https://patchbay.example.com' });
    for (const [origin, status] of [
      ['https://patchbay.example.com', 200],
      [running.service.url, 200],
      ['http://patchbay.example.com', 403],
      ['https://patchbay.example.com.evil.example', 403],
    ] as const) {
      const headers = { origin };
      const answer = await running.send('POST', '/console/session', { body: AS_OPERATOR, headers });
      assert.equal(answer.status, status, origin);
    }
  });
});
