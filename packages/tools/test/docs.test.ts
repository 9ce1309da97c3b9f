import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { at, listAt } from './support/answers.ts';
import { blocksOf, COMPILE_CACHE, PATCHBAY, writeSnippet } from './support/documents.ts';
import { openClient } from './support/open-client.ts';
import { startModelServer } from './support/scripted-models.ts';
import { SLACK, startHosted, type Hosted } from './support/start-hosted.ts';

type Environment = Readonly<Record<string, string>>;

/** A server as an editor's configuration has it: a command, or an address. */
interface ServerEntry {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Environment;
  readonly url?: string;
  readonly headers?: Environment;
}

describe('the documents about agents', () => {
  let hosted: Hosted;
  let settings: Environment;
  let firstUser: string;
  before(async () => {
    hosted = await startHosted();
    const patchbay = hosted.client();
    await patchbay.connectors.create(SLACK);
    const slack = await patchbay.connector('slack');
    firstUser = (await slack.users.list({ limit: 1 })).data[0]?.id ?? '';
    settings = {
      PATCHBAY_BASE_URL: hosted.service.url,
      PATCHBAY_CLIENT_ID: hosted.credentials.clientId,
      PATCHBAY_CLIENT_SECRET: hosted.credentials.clientSecret,
      PATCHBAY_EXTERNAL_USER_ID: 'user-1',
      // What `patchbay mcp --kind slack` calls in the place of slack.com.
      PATCHBAY_UPSTREAM_URL_CHAT_WORKSPACE: hosted.sandbox.urls.slack,
      PATCHBAY_UPSTREAM_LIMITS_CHAT_WORKSPACE: 'reactive',
      SLACK_TOKEN: 'xoxb-test',
    };
  });
  after(() => hosted[Symbol.asyncDispose]());

  /** The values of a block are a reader's to fill in; ours lead to the sandbox. */
  const transportOf = async ({ command, args = [], env = {}, url, headers }: ServerEntry) => {
    if (url === undefined) {
      assert.equal(command, 'patchbay');
      const [node = '', ...main] = PATCHBAY;
      const unknown = Object.keys(env).filter((name) => !(name in settings));
      assert.deepEqual(unknown, []);
      const known = Object.keys(env).map((name) => [name, settings[name] ?? '']);
      const upstream = Object.entries(settings).filter(([name]) => /_UPSTREAM_/.test(name));
      const given = Object.fromEntries([...upstream, ...known]) as Environment;
      return new StdioClientTransport({
        command: node,
        args: [...main, ...args],
        env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...given },
      });
    }
    assert.equal(headers?.['Authorization'], 'Bearer …');
    const token = await hosted.service.mintScopedToken({ externalUserId: 'user-1' });
    const { pathname } = new URL(url);
    return new StreamableHTTPClientTransport(new URL(pathname, hosted.service.url), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    });
  };

  test('every configuration of docs/mcp.md serves the five tools', async () => {
    const entries = await serverEntries();
    assert.equal(entries.length, 4);
    for (const entry of entries) {
      await using session = await openClient(await transportOf(entry));
      const { client } = session;
      const { tools } = await client.listTools();
      assert.equal(tools.length, 5);
      const isReading = tools[2]?.annotations?.readOnlyHint;
      const isToWrite = entry.args?.includes('--allow-writes') ?? entry.url !== undefined;
      assert.equal(isReading, !isToWrite);
      const args = { entity: 'users', action: 'list', params: { limit: 1 } };
      const page = await client.callTool({ name: 'execute', arguments: args });
      assert.equal(at(page.structuredContent, 'data.0.id'), firstUser);
    }
  });

  test('calls of docs/mcp.md are answered as it says', async () => {
    const [entry] = await serverEntries();
    assert.ok(entry !== undefined);
    await using session = await openClient(await transportOf(entry));
    const { client } = session;
    const blocks = (await blocksOf('docs/mcp.md', 'json')).map(
      (block) => JSON.parse(block) as object,
    );
    const calls = blocks.filter((block) => 'name' in block);
    const [good, bad] = calls as { name: string; arguments: Record<string, unknown> }[];
    assert.ok(good !== undefined && bad !== undefined);
    const page = await client.callTool(good);
    assert.equal(listAt(page.structuredContent, 'data').length, 10);
    assert.deepEqual(at(page.structuredContent, 'next_params.limit'), 10);
    const wrong = await client.callTool(bad);
    const told = blocks.find((block) => 'error' in block);
    assert.deepEqual(wrong.structuredContent, told);
  });

  for (const framework of ['ai', 'openai', '@anthropic-ai/sdk'])
    test(`the loop of docs/agents.md with ${framework} runs, its model played`, async () => {
      const snippets = await blocksOf('docs/agents.md', 'ts');
      const code = snippets.find(
        (each) => each.includes(`from '${framework}'`) && each.includes('new Patchbay()'),
      );
      assert.ok(code !== undefined);
      await using models = await startModelServer();
      await using file = await writeSnippet(code);
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [
          '--conditions=patchbay-source',
          `--import=${join(import.meta.dirname, 'support/scripted-provider.ts')}`,
          file.path,
        ],
        {
          env: {
            ...settings,
            NODE_COMPILE_CACHE: COMPILE_CACHE,
            OPENAI_BASE_URL: `${models.url}/v1`,
            OPENAI_API_KEY: randomUUID(),
            ANTHROPIC_BASE_URL: models.url,
            ANTHROPIC_API_KEY: randomUUID(),
          },
        },
      );
      assert.deepEqual(listAt(JSON.parse(stdout), 'data'), [{ id: firstUser }]);
    });
});

async function serverEntries(): Promise<readonly ServerEntry[]> {
  const blocks = await blocksOf('docs/mcp.md', 'json');
  return blocks.flatMap((block) => {
    const { mcpServers = {} } = JSON.parse(block) as { mcpServers?: Record<string, ServerEntry> };
    return Object.values(mcpServers);
  });
}
