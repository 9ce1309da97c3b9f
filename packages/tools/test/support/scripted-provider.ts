import { MockLanguageModelV4, MockProviderV4 } from 'ai/test';
import { at } from './answers.ts';
import { SCRIPTED_CALL } from './scripted-models.ts';

/** Loaded before a snippet: answers for every model of the Vercel AI SDK that is given by name. */
const scripted = new MockLanguageModelV4({
  doGenerate: ({ prompt }) => {
    const results = prompt.filter(({ role }) => role === 'tool');
    const result = at(results[0]?.content, '0.output.value');
    const { name: toolName, arguments: args } = SCRIPTED_CALL;
    const call = { toolCallId: '1', toolName, input: JSON.stringify(args) };
    return Promise.resolve({
      content:
        results.length === 0
          ? [{ type: 'tool-call', ...call }]
          : [{ type: 'text', text: JSON.stringify(result) }],
      finishReason: { unified: results.length === 0 ? 'tool-calls' : 'stop', raw: undefined },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    });
  },
});

const provider = new MockProviderV4({
  languageModels: { 'anthropic/claude-sonnet-5.5': scripted },
});
// Its type has optional members that may be undefined, and that of the global has not.
globalThis.AI_SDK_DEFAULT_PROVIDER = provider as typeof globalThis.AI_SDK_DEFAULT_PROVIDER;
