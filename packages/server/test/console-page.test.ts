import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeBuiltPage, SCRIPT } from './support/built-page.ts';
import { assertProblem } from './support/problem.ts';
import { useTestService } from './support/start-test-service.ts';

const PAGE = '<!doctype html><title>Console</title>';
const BROWSER = { accept: 'text/html' };

describe('the console', async () => {
  const consolePageFolder = await makeBuiltPage(PAGE);
  const { running } = await useTestService({ consolePageFolder });

  test('is one document at all its addresses, stored nowhere', async () => {
    for (const path of [
      '/console',
      '/console/',
      '/console?next=1',
      '/console/connectors',
      '/console/connectors/01a1fd50-54ba-79a1-a087-6b4fef496709/records',
      '/console/sessions',
    ]) {
      const answer = await running.send('GET', path);
      assert.equal(answer.status, 200, path);
      assert.equal(answer.text, PAGE);
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(answer.headers.get('cache-control'), 'no-store');
    }
  });

  test('runs nothing but its own scripts, in no frame, and leaks its address to nobody', async () => {
    for (const path of ['/console', '/console/connectors']) {
      const { headers } = await running.send('GET', path);
      const policy = headers.get('content-security-policy') ?? '';
      assert.deepEqual(policy.split('; '), [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "font-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]);
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('x-frame-options'), 'DENY');
      assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin-allow-popups');
    }
  });

  test('has parts that are kept for good, and no others', async () => {
    const { headers, status, text } = await running.send('GET', '/console/assets/index-1.js');
    assert.equal(status, 200);
    assert.equal(text, SCRIPT);
    assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
    for (const path of [
      'assets',
      'assets/index-1.js.map',
      'assets/..%2Fsecret.js',
      'assets/more/index-1.js',
      'session/x',
      'token',
      'token/x',
    ])
      assertProblem(await running.send('GET', `/console/${path}`), 'route_not_found');
    assertProblem(await running.send('POST', '/console/connectors'), 'method_not_allowed');
  });

  test('is linked to from the page at the address of the service', async () => {
    const { text } = await running.send('GET', '/', { headers: BROWSER });
    assert.ok(text.includes('href="/console"'), text);
  });
});

test('where the console is not built, its routes say what to run, and nothing leads there', async () => {
  const { running } = await useTestService({ consolePageFolder: '/nowhere/at/all' });
  for (const path of ['/console', '/console/connectors', '/console/assets/index-1.js']) {
    const answer = await running.send('GET', path);
    assertProblem(answer, 'not_ready');
    assert.match(answer.text, /npm run build --workspace @patchbay\/console/);
  }
  const { text } = await running.send('GET', '/', { headers: BROWSER });
  assert.ok(!text.includes('href="/console"'), text);
  assert.equal(running.service.makeConsoleLink(), undefined);
});
