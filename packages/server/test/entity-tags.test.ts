import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { copyByHand, copiedUser } from './support/hand-sync.ts';
import { useTestService } from './support/start-test-service.ts';

describe('what changes only now and then', async () => {
  const { running, token } = await useTestService();
  const id = await running.connector(token);
  const ask = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${running.service.url}${path}`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
  const describePath = `/v1/integrations/connectors/${id}/describe`;

  for (const [path, cacheControl] of [
    ['/openapi.json', 'no-cache'],
    ['/docs/reference.json', 'no-cache'],
    ['/api/v1/connector-kinds', 'private, no-cache'],
    ['/api/v1/connector-kinds/chat-workspace', 'private, no-cache'],
    [describePath, 'private, no-cache'],
  ] as const)
    test(`is not sent again to whoever has it: ${path.replace(id, '{id}')}`, async () => {
      const first = await ask(path);
      assert.equal(first.status, 200);
      assert.equal(first.headers.get('cache-control'), cacheControl);
      const tag = first.headers.get('etag') ?? '';
      assert.match(tag, /^W\/"[\w-]{22}"$/);
      const body = await first.text();
      for (const asked of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
        const again = await ask(path, { 'if-none-match': asked, 'accept-encoding': 'gzip' });
        assert.deepEqual([again.status, await again.text()], [304, ''], asked);
        assert.equal(again.headers.get('etag'), tag);
        assert.equal(again.headers.get('cache-control'), cacheControl);
        for (const header of ['content-type', 'content-length', 'content-encoding'])
          assert.equal(again.headers.get(header), null, header);
      }
      const other = await ask(path, { 'if-none-match': 'W/"another"' });
      assert.deepEqual([other.status, await other.text()], [200, body]);
    });

  test('has another tag once it has changed', async () => {
    const before = (await ask(describePath)).headers.get('etag') ?? '';
    await copyByHand(running.store, id, 'users', [
      copiedUser('U1', { profile: { title: 'Harbour master' } }),
    ]);
    const after = await ask(describePath, { 'if-none-match': before });
    assert.equal(after.status, 200);
    assert.match(await after.text(), /"observed":/);
    assert.notEqual(after.headers.get('etag'), before);
  });

  test('is read once for all who ask while others are being told', async (t) => {
    const { copies } = running.store;
    const read = copies.paths.bind(copies);
    const reads = t.mock.method(copies, 'paths', async (connectorId: string) => {
      await wait(50);
      return read(connectorId);
    });
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask(describePath)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.ok(reads.mock.callCount() <= 4, `${String(reads.mock.callCount())} reads`);
  });

  test('is told to nobody without a token', async () => {
    const tag = (await ask(describePath)).headers.get('etag') ?? '';
    const headers = { 'if-none-match': tag };
    assert.equal((await fetch(`${running.service.url}${describePath}`, { headers })).status, 401);
  });

  test('is not what has live state', async () => {
    for (const path of ['/readyz', '/v1/integrations/connectors', '/v1/stats']) {
      const { headers } = await ask(path);
      assert.equal(headers.get('etag'), null, path);
      assert.equal(headers.get('cache-control'), 'no-store', path);
    }
  });
});
