import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { useTestService } from './support/start-test-service.ts';

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
