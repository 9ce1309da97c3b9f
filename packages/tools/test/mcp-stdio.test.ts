import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { serveStdio, type ToolHost } from '@patchbay/tools';
import { at, listAt } from './support/answers.ts';
import { MCP_CLIENTS } from './support/mcp-clients.ts';
import { openClient } from './support/open-client.ts';
import { makeSilentHost } from './support/silent-host.ts';
import { startLibrary, type Library } from './support/start-library.ts';

const CHILD = join(import.meta.dirname, 'support/mcp-child.ts');

describe('MCP over stdio, as a child process', () => {
  let library: Library;
  before(async () => {
    library = await startLibrary();
  });
  after(() => library[Symbol.asyncDispose]());

  const connect = async (options: ClientOptions, ...args: readonly string[]) => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: ['--conditions=patchbay-source', CHILD, library.sandbox.urls.slack, ...args],
      stderr: 'pipe',
    });
    const { stderr } = transport;
    assert.ok(stderr !== null);
    return { ...(await openClient(transport, options)), stderr: stderr as Readable };
  };

  for (const { name, options, revision } of MCP_CLIENTS)
    test(`${name} lists and calls the tools`, async () => {
      await using session = await connect(options);
      const { client, stderr } = session;
      const said = text(stderr);
      assert.equal(client.getNegotiatedProtocolVersion(), revision);
      assert.equal(client.getServerVersion()?.name, 'patchbay');
      assert.match(client.getInstructions() ?? '', /describe .*Nothing can be written/);
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map((each) => each.name),
        ['list_connectors', 'describe', 'execute', 'search', 'sync_status'],
      );
      assert.equal(tools[2]?.annotations?.readOnlyHint, true);
      const page = await client.callTool({
        name: 'execute',
        arguments: { entity: 'users', action: 'list', params: { limit: 2 }, select_fields: ['id'] },
      });
      assert.notEqual(page.isError, true);
      const [content] = page.content;
      assert.equal(content?.type, 'text');
      const parsed: unknown = JSON.parse(content.text);
      assert.deepEqual(page.structuredContent, parsed);
      const direct = await library.connectors.slack.users.list({ limit: 2 });
      assert.deepEqual(
        listAt(parsed, 'data'),
        direct.data.map(({ id }) => ({ id })),
      );
      const refused = await client.callTool({
        name: 'execute',
        arguments: { entity: 'messages', action: 'create', params: {} },
      });
      assert.equal(refused.isError, true);
      assert.equal(at(refused.structuredContent, 'error.code'), 'forbidden');
      await assert.rejects(client.callTool({ name: 'exceute', arguments: {} }), /Unknown tool/);
      await client.close();
      assert.equal(await said, 'closed\n');
    });

  test('writes are allowed only on demand, and told to clients', async () => {
    await using session = await connect({}, '--allow-writes');
    const { client } = session;
    const { tools } = await client.listTools();
    assert.deepEqual(tools[2]?.annotations, {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    });
    assert.match(client.getInstructions() ?? '', /Writes are allowed/);
    const wrong = await client.callTool({
      name: 'execute',
      arguments: { entity: 'messages', action: 'create', params: { chanel: 'C1', text: 'x' } },
    });
    assert.equal(at(wrong.structuredContent, 'error.code'), 'invalid_params');
  });
});

const INITIALIZE = {
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  },
};

/** A server whose input is written by hand. */
function serveByHand(host: ToolHost) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const server = serveStdio({ host, stdin, stdout });
  const send = (message: object) =>
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return { stdin, stdout, server, send };
}

test('what is asked before the input ends is answered', async () => {
  const { host } = makeSilentHost();
  const { stdin, stdout, server, send } = serveByHand({
    ...host,
    connectors: async () => {
      await setTimeout(100);
      return [];
    },
  });
  send(INITIALIZE);
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/list' });
  send({ id: 3, method: 'tools/call', params: { name: 'list_connectors', arguments: {} } });
  stdin.end();
  await server.closed;
  stdout.end();
  const answers = (await text(stdout)).trim().split('\n');
  assert.deepEqual(new Set(answers.map((line) => at(JSON.parse(line), 'id'))), new Set([1, 2, 3]));
});

test('a client that goes away ends the server, and calls under way', async () => {
  const { host, called } = makeSilentHost();
  const { stdin, stdout, server, send } = serveByHand(host);
  send(INITIALIZE);
  const [answer] = (await once(stdout, 'data')) as [Buffer];
  assert.equal(at(JSON.parse(answer.toString()), 'result.protocolVersion'), '2025-06-18');
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/call', params: { name: 'list_connectors', arguments: {} } });
  const signal = await called;
  stdin.end();
  stdout.destroy();
  await server.closed;
  assert.equal(signal.aborted, true);
});
