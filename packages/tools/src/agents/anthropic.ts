import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import type {
  Tool,
  ToolResultBlockParam,
  ToolUseBlock,
} from '@anthropic-ai/sdk/resources/messages';
import {
  callTool,
  makeAgentTools,
  plainSchema,
  type AgentTool,
  type AgentToolOptions,
  type ToolTarget,
} from './agent-tools.ts';

/** The tools in the form of Anthropic's tool use, and what runs their calls. */
export interface AnthropicTools {
  /** `tools` of `messages.create`. */
  readonly tools: Tool[];
  /** `tools` of `beta.messages.toolRunner`, which runs them by itself. */
  readonly runnableTools: BetaRunnableTool[];
  /** Runs a call of the model; the answer is part of the next user message. */
  answer(
    block: Pick<ToolUseBlock, 'id' | 'name' | 'input'>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<ToolResultBlockParam & { content: string; is_error: boolean }>;
}

/** The tools of a connector, client or host for Anthropic's tool use. */
export async function toTools(
  target: ToolTarget,
  options?: AgentToolOptions,
): Promise<AnthropicTools> {
  const tools = await makeAgentTools(target, options);
  return {
    tools: tools.map(formOf),
    runnableTools: tools.map((each) => ({
      ...formOf(each),
      run: async (args: unknown, context) => {
        const { text, isError } = await each.call(args, context?.signal ?? undefined);
        if (!isError) return text;
        // The runner, which brings the SDK along, makes of it a result with `is_error`.
        const { ToolError } = await import('@anthropic-ai/sdk/lib/tools/ToolError');
        throw new ToolError(text);
      },
      // Arguments are checked by the tool, whose errors tell more.
      parse: (content: unknown) => content,
    })),
    answer: async ({ id, name, input }, { signal } = {}) => {
      const { text, isError } = await callTool(tools, { name, args: input }, signal);
      return { type: 'tool_result', tool_use_id: id, content: text, is_error: isError };
    },
  };
}

function formOf(tool: AgentTool) {
  const { name, description } = tool;
  return { name, description, input_schema: plainSchema(tool) };
}
