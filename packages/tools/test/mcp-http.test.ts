import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { StreamableHTTPClientTransport, type ClientOptions } from '@modelcontextprotocol/client';
import { answerMcp, libraryHost, type ToolHost } from '@patchbay/tools';
import { at, listAt } from './support/answers.ts';
import { MCP_CLIENTS } from './support/mcp-clients.ts';
import { openClient } from './support/open-client.ts';
import { makeSilentHost } from './support/silent-host.ts';
import { startLibrary, type Library } from './support/start-library.ts';
import { startMcpHttp, type McpHttp } from './support/start-mcp-http.ts';

describe('MCP over HTTP', () => {
  let library: Library;
  let http: McpHttp;
  before(async () => {
    library = await startLibrary();
    const host = libraryHost(library.connectors.slack);
    http = await startMcpHttp((token) =>
      token === 'reader' || token === 'writer'
        ? { host, allowWrites: token === 'writer' }
        : undefined,
    );
  });
  after(async () => {
    await http[Symbol.asyncDispose]();
    await library[Symbol.asyncDispose]();
  });

  const connect = async (options: ClientOptions, token = 'reader') => {
    const transport = new StreamableHTTPClientTransport(http.url, {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    });
    return openClient(transport, options);
  };

  for (const { name, options, revision } of MCP_CLIENTS)
    test(`${name} lists and calls the tools`, async () => {
      await using session = await connect(options);
      const { client } = session;
      assert.equal(client.getNegotiatedProtocolVersion(), revision);
      const { tools } = await client.listTools();
      assert.equal(tools.length, 5);
      const page = await client.callTool({
        name: 'execute',
        arguments: { entity: 'channels', action: 'list', select_fields: ['id'] },
      });
      const [content] = page.content;
      assert.equal(content?.type, 'text');
      assert.deepEqual(page.structuredContent, JSON.parse(content.text));
      assert.equal(listAt(page.structuredContent, 'data').length, 25);
      const refused = await client.callTool({
        name: 'execute',
        arguments: { entity: 'chanels', action: 'list' },
      });
      assert.equal(refused.isError, true);
      assert.deepEqual(at(refused.structuredContent, 'error.corrected_call.arguments'), {
        entity: 'channels',
        action: 'list',
      });
    });

  test('what a token may do is asked at each request', async () => {
    const write = { name: 'execute', arguments: { entity: 'messages', action: 'create' } };
    await using reader = await connect({}, 'reader');
    const refused = await reader.client.callTool(write);
    assert.equal(at(refused.structuredContent, 'error.code'), 'forbidden');
    await using writer = await connect({}, 'writer');
    const wrong = await writer.client.callTool(write);
    assert.equal(at(wrong.structuredContent, 'error.code'), 'invalid_params');
    await assert.rejects(connect({}, 'nobody'));
  });

  test('nothing is kept between requests: a call needs no handshake before it', async () => {
    const answer = await fetch(http.url, {
      method: 'POST',
      headers: {
        authorization: 'Bearer reader',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-06-18',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'list_connectors', arguments: {} },
      }),
    });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('mcp-session-id'), null);
    assert.match(await answer.text(), /"chat-workspace"/);
  });

  test('other methods and other content are refused', async () => {
    const headers = { authorization: 'Bearer reader', accept: 'text/event-stream' };
    for (const method of ['GET', 'DELETE'])
      assert.equal((await fetch(http.url, { method, headers })).status, 405);
    const text = await fetch(http.url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'text/plain' },
      body: '{}',
    });
    assert.equal(text.status, 415);
  });

  test('a body that has been parsed is not read again', async () => {
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: '(read by somebody else)',
    });
    const parsedBody = { jsonrpc: '2.0', id: 7, method: 'tools/list' };
    const answer = await answerMcp(request, { host: library.host, parsedBody });
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /"id":7/);
  });

  test('a client that goes away aborts its call', async () => {
    for (const options of [{}, { versionNegotiation: { mode: { pin: '2026-07-28' } } }] as const) {
      const { host, called } = makeSilentHost();
      await using server = await startMcpHttp(() => ({ host }));
      await using session = await openClient(
        new StreamableHTTPClientTransport(server.url),
        options,
      );
      const { client } = session;
      const call = client.callTool({ name: 'list_connectors' });
      call.catch(() => undefined);
      const signal = await called;
      await client.close();
      if (!signal.aborted) await once(signal, 'abort');
      await assert.rejects(call);
    }
  });

  test('a host that fails in a way nobody foresaw is told to the operator, not to the model', async () => {
    const secret = new Error('connection to postgres://user:password@db failed');
    const failing: ToolHost = {
      mode: 'hosted',
      connectors: () => Promise.reject(secret),
      describe: () => Promise.reject(secret),
      describeEntity: () => Promise.reject(secret),
      execute: () => Promise.reject(secret),
      search: () => Promise.reject(secret),
      syncStatus: () => Promise.reject(secret),
    };
    const seen: unknown[] = [];
    await using server = await startMcpHttp(() => ({
      host: failing,
      onError: (error) => seen.push(error),
    }));
    await using session = await openClient(new StreamableHTTPClientTransport(server.url));
    const answer = await session.client.callTool({ name: 'list_connectors' });
    assert.deepEqual(answer.structuredContent, {
      error: {
        code: 'internal',
        message: 'Something went wrong on our side.',
        retry: 'never',
      },
    });
    assert.deepEqual(seen, [secret]);
  });
});
