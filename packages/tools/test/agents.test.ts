import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { libraryHost, type ToolName } from '@patchbay/tools';
import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import OpenAI from 'openai';
import * as aiSdk from '@patchbay/tools/ai-sdk';
import * as anthropic from '@patchbay/tools/anthropic';
import * as langchain from '@patchbay/tools/langchain';
import * as openai from '@patchbay/tools/openai';
import { at, listAt } from './support/answers.ts';
import { ScriptedChatModel } from './support/scripted-chat-model.ts';
import { startLibrary, type Library } from './support/start-library.ts';

const FIVE = ['list_connectors', 'describe', 'execute', 'search', 'sync_status'];

/** What a model would call, and what it would call wrongly. */
const LIST = { entity: 'users', action: 'list', params: { limit: 2 }, select_fields: ['id'] };
const WRONG = { entity: 'usrs', action: 'list' };

function parse(text: unknown): unknown {
  assert.equal(typeof text, 'string');
  return JSON.parse(text as string);
}

function isCorrected(text: unknown): void {
  assert.equal(at(parse(text), 'error.corrected_call.arguments.entity'), 'users');
}

function aiSdkCall(toolCallId: string, input: object) {
  const text = JSON.stringify(input);
  return { type: 'tool-call', toolCallId, toolName: 'execute', input: text } as const;
}

function functionCall(name: string, args: string) {
  return { type: 'function_call', call_id: 'c2', name, arguments: args } as const;
}

describe('the tools in agent frameworks', () => {
  let library: Library;
  let expected: readonly unknown[];
  before(async () => {
    library = await startLibrary();
    const { data } = await library.connectors.slack.users.list({ limit: 2 });
    expected = data.map(({ id }) => ({ id }));
  });
  after(() => library[Symbol.asyncDispose]());

  const isListed = (text: unknown) => assert.deepEqual(at(parse(text), 'data'), expected);

  test('the Vercel AI SDK shows them to its model, and runs what that calls', async () => {
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
    const model = new MockLanguageModelV4({
      doGenerate: [
        {
          content: [aiSdkCall('1', LIST), aiSdkCall('2', WRONG)],
          finishReason: { unified: 'tool-calls', raw: undefined },
          usage,
          warnings: [],
        },
        {
          content: [{ type: 'text', text: 'done' }],
          finishReason: { unified: 'stop', raw: undefined },
          usage,
          warnings: [],
        },
      ],
    });
    const { text, steps } = await generateText({
      model,
      prompt: 'Who is there?',
      tools: await aiSdk.toTools(library.connectors.slack),
      stopWhen: stepCountIs(3),
    });
    assert.equal(text, 'done');
    const [listed, corrected] = steps[0]?.toolResults ?? [];
    assert.deepEqual(at(listed?.output, 'data'), expected);
    assert.equal(at(corrected?.output, 'error.corrected_call.arguments.entity'), 'users');
    const [shown, answered] = model.doGenerateCalls;
    assert.deepEqual(
      shown?.tools?.map(({ name }) => name),
      FIVE,
    );
    assert.deepEqual(at(shown.tools[2], 'inputSchema.required'), ['entity', 'action']);
    const results = listAt(answered?.prompt.at(-1), 'content');
    assert.deepEqual(
      results.map((each) => at(each, 'output.type')),
      ['json', 'error-json'],
    );
    assert.deepEqual(at(results[0], 'output.value.data'), expected);
    assert.equal(at(results[1], 'output.value.error.code'), 'unknown_entity');
  });

  test('OpenAI gets both of its forms, and answers to the calls of both', async () => {
    const bodies: unknown[] = [];
    const client = new OpenAI({
      apiKey: 'none',
      fetch: async (_, init) => {
        bodies.push(parse(init?.body));
        const call = {
          id: 'c1',
          type: 'function',
          function: { name: 'execute', arguments: JSON.stringify(LIST) },
        };
        return Response.json({ choices: [{ message: { role: 'assistant', tool_calls: [call] } }] });
      },
    });
    const tools = await openai.toTools(library.connectors.slack);
    const { choices } = await client.chat.completions.create({
      model: 'none',
      messages: [],
      tools: tools.chatTools,
    });
    assert.deepEqual(
      listAt(bodies[0], 'tools').map((each) => at(each, 'function.name')),
      FIVE,
    );
    const [call] = choices[0]?.message.tool_calls ?? [];
    assert.ok(call !== undefined);
    const message = await tools.answer(call);
    assert.equal(message.role, 'tool');
    assert.equal(message.tool_call_id, 'c1');
    isListed(message.content);
    await client.responses.create({ model: 'none', input: [], tools: tools.responseTools });
    assert.deepEqual(
      listAt(bodies[1], 'tools').map(({ name, strict }) => [name, strict]),
      FIVE.map((name) => [name, false]),
    );
    const item = await tools.answer(functionCall('execute', JSON.stringify(WRONG)));
    assert.equal(item.type, 'function_call_output');
    assert.equal(item.call_id, 'c2');
    isCorrected(item.output);
    for (const [name, args, told] of [
      ['execute', '{"entity":', /must be an object/],
      ['exceute', '{}', /There is no tool \\"exceute\\"/],
      ['list_connectors', '', /chat-workspace/],
    ] as const)
      assert.match((await tools.answer(functionCall(name, args))).output, told);
  });

  test("Anthropic's tool use gets them, to be answered by hand or run by its runner", async () => {
    const bodies: unknown[] = [];
    const replies = [
      [
        { type: 'tool_use', id: 't1', name: 'execute', input: LIST },
        { type: 'tool_use', id: 't2', name: 'execute', input: WRONG },
      ],
      [{ type: 'text', text: 'done' }],
    ];
    const client = new Anthropic({
      apiKey: 'none',
      fetch: async (_, init) => {
        bodies.push(parse(init?.body));
        const content = replies.shift();
        const stop = content?.[0]?.type === 'text' ? 'end_turn' : 'tool_use';
        return Response.json({
          id: 'm',
          type: 'message',
          role: 'assistant',
          content,
          stop_reason: stop,
          usage: {},
        });
      },
    });
    const tools = await anthropic.toTools(library.connectors.slack);
    const last = await client.beta.messages.toolRunner({
      model: 'none',
      max_tokens: 10,
      messages: [{ role: 'user', content: 'Who is there?' }],
      tools: tools.runnableTools,
    });
    assert.equal(at(last, 'content.0.text'), 'done');
    assert.deepEqual(
      listAt(bodies[0], 'tools').map(({ name }) => name),
      FIVE,
    );
    assert.deepEqual(at(bodies[0], 'tools.2.input_schema.required'), ['entity', 'action']);
    const results = listAt(listAt(bodies[1], 'messages').at(-1), 'content');
    isListed(results[0]?.['content']);
    isCorrected(results[1]?.['content']);
    assert.deepEqual(
      results.map(({ is_error }) => is_error ?? false),
      [false, true],
    );
    const block = await tools.answer({ id: 't3', name: 'execute', input: WRONG });
    assert.equal(block.tool_use_id, 't3');
    assert.equal(block.is_error, true);
    isCorrected(block.content);
    assert.deepEqual(
      tools.tools.map(({ name }) => name),
      FIVE,
    );
  });

  test('LangChain binds them to its model, and runs what that calls', async () => {
    const tools = await langchain.toTools(library.connectors.slack);
    const model = new ScriptedChatModel([
      new AIMessage({
        content: '',
        tool_calls: [
          { type: 'tool_call', id: 'l1', name: 'execute', args: LIST },
          { type: 'tool_call', id: 'l2', name: 'execute', args: WRONG },
        ],
      }),
      new AIMessage('done'),
    ]);
    const bound = model.bindTools(tools);
    const messages: BaseMessage[] = [new HumanMessage('Who is there?')];
    const first = await bound.invoke(messages);
    for (const call of first.tool_calls ?? []) {
      const tool = tools.find(({ name }) => name === call.name);
      const message: unknown = await tool?.invoke({ ...call, type: 'tool_call' });
      assert.ok(message instanceof ToolMessage);
      messages.push(message);
    }
    const [, listed, corrected] = messages;
    assert.equal(at(listed, 'tool_call_id'), 'l1');
    isListed(listed?.content);
    isCorrected(corrected?.content);
    assert.deepEqual([at(listed, 'status'), at(corrected, 'status')], ['success', 'error']);
    assert.equal((await bound.invoke(messages)).text, 'done');
    const [shown] = model.shownTools;
    assert.deepEqual(
      shown?.map((each) => at(each, 'function.name')),
      FIVE,
    );
    assert.deepEqual(at(shown[2], 'function.parameters.required'), ['entity', 'action']);
    const [execute] = tools.filter(({ name }) => name === 'execute');
    isListed(await execute?.invoke(LIST));
  });

  test('no answer suggests to call a tool that is left out', async () => {
    const { slack } = library.connectors;
    const answerOf = async (only: readonly ToolName[], name: string, args: object) => {
      const tools = await anthropic.toTools(slack, { only });
      const { content } = await tools.answer({ id: '1', name, input: args });
      return parse(content);
    };
    const wrong = { entity: 'usrs', action: 'list' };
    const described = { entity: 'users', action: 'list' };
    const both: readonly ToolName[] = ['describe', 'execute'];
    const corrected = await answerOf(both, 'execute', wrong);
    assert.equal(at(corrected, 'error.corrected_call.tool'), 'execute');
    assert.equal(at(await answerOf(both, 'describe', described), 'example.tool'), 'execute');
    const alone = await answerOf(['describe'], 'describe', described);
    assert.equal(at(alone, 'params_schema.type'), 'object');
    assert.equal(at(alone, 'example'), undefined);
    const search = await answerOf(both, 'describe', { entity: 'users', action: 'search' });
    assert.equal(at(search, 'action'), 'search');
    assert.equal(at(search, 'example'), undefined);
  });

  test('some of them only, and with a prefix', async () => {
    const { slack, intercom } = library.connectors;
    const one = await openai.toTools(slack, { prefix: 'slack_', only: ['execute', 'describe'] });
    const other = await openai.toTools(libraryHost(intercom), { prefix: 'intercom_' });
    assert.deepEqual(
      one.responseTools.map(({ name }) => name),
      ['slack_describe', 'slack_execute'],
    );
    assert.equal(other.responseTools[2]?.name, 'intercom_execute');
    const call = { type: 'function_call', call_id: 'c', arguments: JSON.stringify(LIST) } as const;
    isListed((await one.answer({ ...call, name: 'slack_execute' })).output);
    assert.match((await other.answer({ ...call, name: 'slack_execute' })).output, /no tool/);
    const wrong = { ...call, name: 'slack_execute', arguments: JSON.stringify(WRONG) };
    const { output } = await one.answer(wrong);
    assert.equal(at(parse(output), 'error.corrected_call.tool'), 'slack_execute');
    const described = {
      ...call,
      name: 'slack_describe',
      arguments: '{"entity":"users","action":"list"}',
    };
    assert.equal(at(parse((await one.answer(described)).output), 'example.tool'), 'slack_execute');
  });

  test('what is no connector, client or host is refused, and makes no empty tools', async () => {
    const { slack, intercom } = library.connectors;
    const wrong: readonly (readonly [unknown, RegExp])[] = [
      [Promise.resolve(slack), /await it first/],
      [{}, /got something else/],
      [{ slack, intercom }, /libraryHost/],
      [null, /got null/],
      [undefined, /got undefined/],
    ];
    for (const [target, message] of wrong)
      await assert.rejects(openai.toTools(target as never), { code: 'invalid_config', message });
  });

  test('names that no provider takes, or that there are not, are refused', async () => {
    const { slack } = library.connectors;
    const wrong: readonly (readonly [object, RegExp])[] = [
      [{ prefix: 'my slack.' }, /prefix must be at most 49 characters/],
      [{ prefix: 'ü_' }, /prefix/],
      [{ prefix: 'a'.repeat(50) }, /prefix/],
      [{ only: ['descibe'] }, /only is not known; did you mean "describe"/],
      [{ allowWrite: true }, /did you mean "allowWrites"/],
    ];
    for (const [options, message] of wrong)
      await assert.rejects(openai.toTools(slack, options), { code: 'invalid_config', message });
    const longest = await openai.toTools(slack, { prefix: 'a'.repeat(49) });
    assert.equal(Math.max(...longest.responseTools.map(({ name }) => name.length)), 64);
  });

  test('an aborted call rejects with the reason', async () => {
    const tools = await anthropic.toTools(library.connectors.slack);
    const reason = new Error('no longer wanted');
    const signal = AbortSignal.abort(reason);
    await assert.rejects(
      tools.answer({ id: 't', name: 'execute', input: LIST }, { signal }),
      (error) => error === reason,
    );
  });
});
