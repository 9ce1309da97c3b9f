import type {
  ChatCompletionFunctionTool,
  ChatCompletionMessageToolCall,
  ChatCompletionToolMessageParam,
} from 'openai/resources/chat/completions';
import type {
  FunctionTool,
  ResponseFunctionToolCall,
  ResponseInputItem,
} from 'openai/resources/responses/responses';
import {
  callTool,
  makeAgentTools,
  parseArguments,
  plainSchema,
  type AgentToolOptions,
  type ToolTarget,
} from './agent-tools.ts';

/** The tools in the forms of OpenAI's two interfaces, and what runs their calls. */
export interface OpenAiTools {
  /** `tools` of `chat.completions.create`. */
  readonly chatTools: ChatCompletionFunctionTool[];
  /** `tools` of `responses.create`. */
  readonly responseTools: FunctionTool[];
  /** Runs a call of the model; the answer is to be the next message, or item of the input. */
  answer(
    call: ChatCompletionMessageToolCall,
    options?: { readonly signal?: AbortSignal },
  ): Promise<ChatCompletionToolMessageParam & { content: string }>;
  answer(
    call: ResponseFunctionToolCall,
    options?: { readonly signal?: AbortSignal },
  ): Promise<ResponseInputItem.FunctionCallOutput & { call_id: string; output: string }>;
}

/** The tools of a connector, client or host for OpenAI's function calling. */
export async function toTools(
  target: ToolTarget,
  options?: AgentToolOptions,
): Promise<OpenAiTools> {
  const tools = await makeAgentTools(target, options);
  const run = async (name: string, text: string, signal: AbortSignal | undefined) =>
    (await callTool(tools, { name, args: parseArguments(text) }, signal)).text;
  const answer = async (
    call: ChatCompletionMessageToolCall | ResponseFunctionToolCall,
    { signal }: { readonly signal?: AbortSignal } = {},
  ) => {
    if (call.type === 'function_call') {
      const output = await run(call.name, call.arguments, signal);
      return { type: 'function_call_output', call_id: call.call_id, output };
    }
    const { name, text } =
      call.type === 'function'
        ? { name: call.function.name, text: call.function.arguments }
        : { name: call.custom.name, text: call.custom.input };
    return { role: 'tool', tool_call_id: call.id, content: await run(name, text, signal) };
  };
  return {
    chatTools: tools.map((each) => ({
      type: 'function',
      function: {
        name: each.name,
        description: each.description,
        parameters: plainSchema(each),
      },
    })),
    responseTools: tools.map((each) => ({
      type: 'function',
      name: each.name,
      description: each.description,
      parameters: plainSchema(each),
      // Strict schemas have no optional members, and ours have.
      strict: false,
    })),
    // Each form of call gets the form of answer that goes with it.
    answer: answer as OpenAiTools['answer'],
  };
}
