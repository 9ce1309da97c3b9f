import assert from 'node:assert/strict';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, afterEach, before, describe, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { sandboxUpstreams, upstreamVariables } from '../src/service/sandbox-upstreams.ts';
import { callCli } from './support/call-cli.ts';
import { CLI_COMMAND, commandEnvironment, startCli } from './support/run-cli.ts';
import { startCliService, type CliService } from './support/start-service.ts';

type Json = Readonly<Record<string, unknown>>;

/** `patchbay mcp` as an editor starts it, and the official client that talks to it. */
interface McpSession {
  readonly client: Client;
  /** What a tool answers, and whether that is an error. */
  readonly call: (name: string, args?: Json) => Promise<{ readonly error: boolean; content: Json }>;
  /** Closes the connection, and gives what the process said besides answers. */
  readonly close: () => Promise<string>;
}

describe('patchbay mcp', () => {
  let cli: CliService;
  before(async () => {
    cli = await startCliService('all');
  });
  after(() => cli[Symbol.asyncDispose]());

  const sessions: McpSession[] = [];
  const openMcp = async (...args: Parameters<typeof startMcp>): Promise<McpSession> => {
    const session = await startMcp(...args);
    sessions.push(session);
    return session;
  };
  // Of a test that failed, too.
  afterEach(async () => {
    for (const session of sessions.splice(0)) await session.close();
  });

  /** Settings that lead the library to the sandbox, instead of to Slack itself. */
  const withoutService = () => ({
    SLACK_TOKEN: 'xoxb-test',
    ...upstreamVariables(sandboxUpstreams(cli.sandbox)),
  });

  test('offers the connectors of the external user at the service, to read only', async () => {
    const user = cli.settings();
    const id = await cli.createSlack(user);
    const patchbay = cli.client(user);
    const { run_id: runId } = await patchbay.connectors.sync(id);
    for await (const _ of patchbay.connectors.sync.watch(id, { runId }));
    const { client, call, close } = await openMcp(['mcp'], user);
    assert.equal(client.getServerVersion()?.name, 'patchbay');
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['list_connectors', 'describe', 'execute', 'search', 'sync_status'],
    );
    assert.match(JSON.stringify(await call('list_connectors')), new RegExp(id));
    const args = { connector: id, entity: 'users', action: 'list', params: { limit: 1 } };
    const listed = await call('execute', args);
    const slack = await patchbay.connector('chat-workspace');
    const { data } = await slack.users.list({ limit: 1 });
    assert.deepEqual([listed.error, listed.content['data']], [false, data]);
    const query = { filter: { like: { real_name: '%a%' } } };
    const found = await call('search', { connector: id, entity: 'users', query, limit: 1 });
    assert.equal((found.content['hits'] as readonly Json[]).length, 1);
    const [channel] = (await slack.channels.list({ limit: 1 })).data;
    const params = { channel: channel?.id, text: 'Hello' };
    const write = { connector: id, entity: 'messages', action: 'create', params };
    const refused = await call('execute', write);
    assert.deepEqual(
      [refused.error, (refused.content['error'] as Json)['code']],
      [true, 'forbidden'],
    );
    assert.equal(await close(), '');
  });

  test('with --kind offers that connector alone, and writes with --allow-writes', async () => {
    const user = cli.settings();
    await cli.createSlack(user);
    await cli.createZendesk(user);
    const { client, call, close } = await openMcp(
      ['mcp', '--kind', 'slack', '--allow-writes'],
      user,
    );
    const { tools } = await client.listTools();
    assert.equal(tools.find(({ name }) => name === 'execute')?.annotations?.destructiveHint, true);
    const { content } = await call('list_connectors');
    assert.equal((content['connectors'] as readonly Json[]).length, 1);
    assert.equal((await sayHello(call))['text'], 'Hello');
    assert.equal(await close(), '');
  });

  test('with credentials in its environment needs no service', async () => {
    const { client, call, close } = await openMcp(['mcp', '--kind', 'slack'], withoutService());
    const listed = await call('execute', { entity: 'users', action: 'list', params: { limit: 2 } });
    assert.equal((listed.content['data'] as readonly Json[]).length, 2);
    const write = { entity: 'messages', action: 'create', params: { channel: 'C1', text: 'x' } };
    const refused = await call('execute', write);
    assert.equal((refused.content['error'] as Json)['code'], 'forbidden');
    const search = await call('search', { entity: 'users', query: {} });
    assert.equal(search.error, true);
    assert.equal(client.getNegotiatedProtocolVersion(), '2025-11-25');
    assert.equal(await close(), '');
  });

  test('without a service writes with --allow-writes, too', async () => {
    const { call, close } = await openMcp(
      ['mcp', '--kind', 'slack', '--allow-writes'],
      withoutService(),
    );
    assert.equal((await sayHello(call))['text'], 'Hello');
    assert.equal(await close(), '');
  });

  test('says what it needs, where neither is there', async () => {
    const nowhere = { PATCHBAY_DATA: '/nowhere/data', XDG_CONFIG_HOME: '/nowhere' };
    const { code, out, err } = await callCli(['mcp', '--kind', 'slack'], nowhere);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /^patchbay: Which application\? .* Without any service it needs SLACK_TOKEN/);
    const twice = { ...withoutService(), SLACK_API_TOKEN: 'another' };
    const torn = await callCli(['mcp', '--kind', 'slack'], twice);
    assert.deepEqual([torn.code, /SLACK_TOKEN and SLACK_API_TOKEN/.test(torn.err)], [2, true]);
  });

  test('asks the service that is named, whatever credentials are in the environment besides', async () => {
    const user = cli.settings();
    const id = await cli.createSlack(user);
    const besides = { ...user, SLACK_TOKEN: 'xoxb-of-another', SLACK_CLIENT_ID: 'of an app' };
    const { call, close } = await openMcp(['mcp', '--kind', 'slack'], besides);
    assert.match(JSON.stringify(await call('list_connectors')), new RegExp(id));
    await close();
  });

  test('ends when its client goes away', async () => {
    const gone = await startCli(['mcp', '--kind', 'slack'], withoutService(), '').finished;
    assert.deepEqual(gone, { code: 0, out: '', err: '' });
  });
});

async function startMcp(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<McpSession> {
  const [command = '', ...words] = CLI_COMMAND;
  const transport = new StdioClientTransport({
    command,
    args: [...words, ...args],
    env: commandEnvironment(environment),
    stderr: 'pipe',
  });
  // The transport makes it as soon as it is told to pipe.
  const said = text(transport.stderr as Readable);
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  return {
    client,
    call: async (name, given = {}) => {
      const { content, isError, structuredContent } = await client.callTool({
        name,
        arguments: given,
      });
      const [first] = content;
      assert.equal(first?.type, 'text');
      assert.deepEqual(JSON.parse(first.text), structuredContent);
      return { error: isError === true, content: structuredContent as Json };
    },
    close: async () => {
      await client.close();
      return await said;
    },
  };
}

/** Posts a message in some channel, and gives its record. */
async function sayHello(call: McpSession['call']): Promise<Json> {
  const channels = await call('execute', {
    entity: 'channels',
    action: 'list',
    params: { limit: 1 },
  });
  const [channel] = channels.content['data'] as readonly Json[];
  const params = { channel: channel?.['id'], text: 'Hello' };
  const { error, content } = await call('execute', {
    entity: 'messages',
    action: 'create',
    params,
  });
  assert.equal(error, false, JSON.stringify(content));
  return (content['data'] ?? content) as Json;
}
