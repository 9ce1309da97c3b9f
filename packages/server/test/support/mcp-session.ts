import assert from 'node:assert/strict';
import {
  Client,
  StreamableHTTPClientTransport,
  type ClientOptions,
} from '@modelcontextprotocol/client';
import { at, type TestAnswer } from './http-client.ts';
import type { TestService } from './start-test-service.ts';

/** What a tool answered; `body` is its content. */
export type ToolAnswer = Pick<TestAnswer, 'body' | 'text'>;

/** The official client, connected with a token. */
export interface McpSession extends AsyncDisposable {
  readonly client: Client;
  /** Calls a tool that is to succeed. */
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
  /** Calls a tool that is to fail; `body` is its error. */
  fail(name: string, args?: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
}

export async function openMcp(
  { service }: Pick<TestService, 'service'>,
  token: string,
  options: ClientOptions = {},
): Promise<McpSession> {
  const client = new Client({ name: 'test', version: '1.0.0' }, options);
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', service.url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  const run = async (name: string, args: Readonly<Record<string, unknown>> = {}) => {
    const answer = await client.callTool({ name, arguments: { ...args } });
    const [content, ...more] = answer.content;
    assert.equal(content?.type, 'text');
    assert.equal(more.length, 0);
    const { text } = content;
    // Whole JSON, and the same twice.
    assert.deepEqual(JSON.parse(text), answer.structuredContent);
    return { isError: answer.isError === true, text, body: answer.structuredContent };
  };
  return {
    client,
    call: async (name, args) => {
      const { isError, ...answer } = await run(name, args);
      assert.equal(isError, false, answer.text);
      return answer;
    },
    fail: async (name, args) => {
      const { isError, ...answer } = await run(name, args);
      assert.equal(isError, true, answer.text);
      return { text: answer.text, body: at(answer, 'error') };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
