import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOST_AHEAD } from '../../src/pipeline.ts';
import { sendRaw } from '../support/raw-request.ts';
import { startTestService } from '../support/start-test-service.ts';

// Found by an attack without any token: 100 connections that each sent 64 KiB of small requests in one go kept
// everybody waiting for 18 s.
test('requests that a connection sends ahead are answered in order, or it is cut where they are many', async () => {
  await using running = await startTestService();
  const { service, log } = running;
  const unknown = Array.from({ length: MOST_AHEAD }, () => request('/v1/nothing')).join('');
  const allowed = unknown + request('/healthz', 'Connection: close\r\n');
  const statuses = async (requests: string) => {
    const text = await sendRaw(service.url, requests);
    return [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  };
  const expected = [...Array.from({ length: MOST_AHEAD }, () => '404'), '200'];
  assert.deepEqual(await statuses(allowed), expected);
  log.clear();
  // The first may have been answered when the others are seen.
  const answered = await statuses(unknown.repeat(100)).catch(() => []);
  assert.ok(answered.length <= 1, `${answered.length}`);
  const worked = log.lines().filter(({ msg }) => msg === 'call');
  assert.ok(worked.length <= 1, `${worked.length}`);
});

// Likewise: they never come to a hook, and 3,400 of them fit into one read.
test('nor are paths that cannot be read, or methods that nobody knows, worked on all at once', async () => {
  await using running = await startTestService();
  const { service, log } = running;
  for (const line of ['GET /% HTTP/1.1', 'QUERY / HTTP/1.1']) {
    const one = `${line}\r\nHost: a\r\n\r\n`;
    const last = request('/healthz', 'Connection: close\r\n');
    const answers = await sendRaw(service.url, one.repeat(MOST_AHEAD) + last);
    assert.equal(answers.split('HTTP/1.1 ').length - 1, MOST_AHEAD + 1, line);
    log.clear();
    await sendRaw(service.url, one.repeat(2_000)).catch(() => '');
    const worked = log.lines().filter(({ msg }) => msg === 'call');
    assert.ok(worked.length <= 1, `${line}: ${worked.length}`);
  }
});

function request(path: string, more = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
}
