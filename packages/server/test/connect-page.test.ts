import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeBuiltPage, SCRIPT } from './support/built-page.ts';
import { assertProblem } from './support/problem.ts';
import { useTestService } from './support/start-test-service.ts';

const PAGE = '<!doctype html><title>Connect</title>';

describe('the connect page', async () => {
  const { running } = await useTestService({ connectPageFolder: await makeBuiltPage(PAGE) });

  test('is the same for everybody, and stored nowhere', async () => {
    for (const path of ['/connect', '/connect/', '/connect?session=1']) {
      const answer = await running.send('GET', path);
      assert.equal(answer.status, 200);
      assert.equal(answer.text, PAGE);
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(answer.headers.get('cache-control'), 'no-store');
    }
  });

  test('runs nothing but its own scripts, in no frame, and leaks its address to nobody', async () => {
    const { headers } = await running.send('GET', '/connect');
    const policy = headers.get('content-security-policy') ?? '';
    const directives = policy.split('; ');
    for (const directive of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
      assert.ok(directives.includes(directive), directive);
    assert.doesNotMatch(policy, /unsafe|\*|http:/);
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('x-frame-options'), 'DENY');
    assert.equal(headers.get('cross-origin-opener-policy'), 'unsafe-none');
  });

  test('has parts that are kept for good', async () => {
    const { headers, status, text } = await running.send('GET', '/connect/assets/index-1.js');
    assert.equal(status, 200);
    assert.equal(text, SCRIPT);
    assert.equal(headers.get('content-type'), 'text/javascript; charset=utf-8');
    assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
  });

  test('has no parts but those that it loads', async () => {
    for (const file of [
      'index-2.js',
      'index-1.js.map',
      '..%2Fsecret.js',
      '..%2Findex.html',
      '%2Fetc%2Fpasswd',
      '__proto__',
      'constructor',
    ]) {
      const answer = await running.send('GET', `/connect/assets/${file}`);
      assert.equal(answer.status, 404, file);
      assertProblem(answer, 'route_not_found');
    }
  });
});

test('where the connect page is not built, its routes say what to run', async () => {
  const { running } = await useTestService({ connectPageFolder: '/nowhere/at/all' });
  for (const path of ['/connect', '/connect/assets/index-1.js']) {
    const answer = await running.send('GET', path);
    assertProblem(answer, 'not_ready');
    assert.match(answer.text, /npm run build --workspace @patchbay\/connect/);
  }
});
