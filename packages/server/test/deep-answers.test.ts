import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { test } from 'node:test';
import { at } from './support/http-client.ts';
import { openMcp } from './support/mcp-session.ts';
import { assertProblem } from './support/problem.ts';
import { startTestService } from './support/start-test-service.ts';

/** Deeper than JSON can be written. */
const DEEP = '['.repeat(200_000) + ']'.repeat(200_000);

test('an answer nested too deeply breaks the contract; of a write it says that it has happened', async () => {
  let posts = 0;
  const upstream = createServer((request, response) => {
    request.resume();
    const isPost = request.url?.includes('chat.postMessage') === true;
    if (isPost) posts += 1;
    const ts = '1780000000.000100';
    const body = isPost
      ? `{"ok":true,"channel":"C1","ts":"${ts}","message":{"ts":"${ts}","text":"x","bot_profile":{"icons":${DEEP}}}}`
      : `{"ok":true,"members":[{"id":"U1","profile":{"fields":${DEEP}}}]}`;
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  // Proof: it listens on a port.
  const { port } = upstream.address() as { readonly port: number };
  try {
    await using running = await startTestService({
      upstreams: {
        'chat-workspace': { baseUrl: `http://127.0.0.1:${port}/api`, limits: 'reactive' },
      },
    });
    const token = await running.applicationToken();
    const id = await running.connector(token);
    const list = { entity: 'users', action: 'list' };
    assertProblem(await running.execute(token, id, list), 'upstream_contract_broken');
    const write = { entity: 'messages', action: 'create', params: { channel: 'C1', text: 'x' } };
    for (const key of ['once', 'once', 'once', 'twice']) {
      const written = await running.execute(token, id, write, { 'idempotency-key': key });
      assert.equal(at(written, 'code'), 'upstream_contract_broken');
      assert.equal(at(written, 'retry'), 'never');
      assert.equal(at(written, 'details.applied'), true);
    }
    assert.equal(posts, 2);

    const scoped = await running.scopedToken('user-1');
    const connector = await running.connector(scoped);
    await using mcp = await openMcp(running, scoped);
    const listed = await mcp.fail('execute', { connector, ...list });
    assert.equal(at(listed, 'code'), 'upstream_contract_broken');
    const written = await mcp.fail('execute', { connector, ...write });
    assert.equal(at(written, 'code'), 'upstream_contract_broken');
    assert.equal(at(written, 'details.applied'), true);
    assert.equal(posts, 3);
  } finally {
    upstream.closeAllConnections();
    upstream.close();
  }
});
