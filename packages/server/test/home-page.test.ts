import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import {
  makeTestGround,
  startServiceOn,
  useTestService,
  type TestGround,
} from './support/start-test-service.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('the page at the address of the service', async () => {
  const { running } = await useTestService();
  const open = (headers: Readonly<Record<string, string>> = BROWSER) =>
    running.send('GET', '/', { headers });

  test('says what it is, its state, where to go and how to get a token', async () => {
    const { status, headers, text } = await open();
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    for (const word of ['Patchbay', '0.2.0', 'Ready', 'The database', '/connect'])
      assert.ok(text.includes(word), word);
    for (const link of ['/docs', '/openapi.json']) assert.ok(text.includes(`href="${link}"`), link);
    assert.ok(text.includes(`export PATCHBAY_BASE_URL=${running.service.url}`), text);
    const curl = '&quot;$PATCHBAY_BASE_URL/api/v1/account/applications/token&quot;';
    assert.ok(text.includes(curl), text);
  });

  test('runs nothing, loads nothing, and has the one style that its policy names', async () => {
    const { headers, text } = await open();
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe|script-src/);
    const style = /<style>(.*)<\/style>/s.exec(text)?.[1] ?? '';
    assert.ok(policy.includes(createHash('sha256').update(style).digest('base64')));
    assert.doesNotMatch(text, /<script|<img|style=/);
  });

  test('takes no word of the request for its own address', async () => {
    const { text } = await open({ ...BROWSER, 'x-forwarded-host': 'evil.example' });
    assert.doesNotMatch(text, /evil/);
  });

  test('tells programs the same in JSON', async () => {
    for (const accept of ['application/json', '*/*']) {
      const { body, headers } = await open({ accept });
      const links = { docs: '/docs', openapi: '/openapi.json', ready: '/readyz' };
      assert.deepEqual(body, { name: 'Patchbay', version: '0.2.0', links });
      assert.equal(headers.get('vary'), 'accept');
    }
  });
});

test('what the operator says its address is, the page says', async () => {
  const { running } = await useTestService({ publicUrl: 'https://patchbay.example.com' });
  const { text } = await running.send('GET', '/', { headers: BROWSER });
  assert.ok(text.includes('export PATCHBAY_BASE_URL=https://patchbay.example.com\n'), text);
});

describe('the address of a worker', () => {
  let ground: TestGround;
  let running: Awaited<ReturnType<typeof startServiceOn>>;
  before(async () => {
    ground = await makeTestGround();
    running = await startServiceOn(ground, { role: 'worker' });
  });
  after(async () => {
    await running[Symbol.asyncDispose]();
    await ground[Symbol.asyncDispose]();
  });
  const open = (accept: string) => running.send('GET', '/', { headers: { accept } });

  test('says in a few words what it is, and where it tells how it is', async () => {
    for (const accept of [BROWSER.accept, 'text/plain']) {
      const { status, headers, text } = await open(accept);
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
      assert.match(text, /^Patchbay 0\.2\.0, a process of the role worker\.$/m);
      for (const word of ['role api', '/healthz', '/readyz', 'PATCHBAY_METRICS_PORT'])
        assert.ok(text.includes(word), word);
      assert.doesNotMatch(text, /<|undefined/);
    }
    for (const path of ['/healthz', '/readyz'])
      assert.equal((await running.send('GET', path)).status, 200, path);
  });

  test('tells programs the same in JSON', async () => {
    for (const accept of ['application/json', '*/*']) {
      const { body, headers } = await open(accept);
      const links = { health: '/healthz', ready: '/readyz' };
      assert.deepEqual(body, { name: 'Patchbay', version: '0.2.0', role: 'worker', links });
      assert.equal(headers.get('vary'), 'accept');
    }
  });

  test('takes no calls, and has no pages', async () => {
    for (const path of ['/docs', '/openapi.json', '/console', '/api/v1/connector-kinds'])
      assert.equal((await running.send('GET', path)).status, 404, path);
  });
});
