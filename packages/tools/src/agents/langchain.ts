import { ToolMessage } from '@langchain/core/messages';
import { DynamicStructuredTool } from '@langchain/core/tools';
import {
  makeAgentTools,
  plainSchema,
  type AgentTool,
  type AgentToolOptions,
  type ToolTarget,
} from './agent-tools.ts';

/**
 * The tools of a connector, client or host for LangChain: what `bindTools` and agents take. The message that answers a
 * call which failed has the status `error`.
 */
export async function toTools(
  target: ToolTarget,
  options?: AgentToolOptions,
): Promise<DynamicStructuredTool[]> {
  const tools = await makeAgentTools(target, options);
  return tools.map((each) => new SelfCheckingTool(each));
}

/** What LangChain hands over beside the arguments, as far as it is used here. */
interface CallConfig {
  readonly signal?: AbortSignal;
  /** Where a call of a model is run, and its answer is to be a message. */
  readonly toolCall?: { readonly id?: string };
}

/**
 * LangChain throws at arguments that do not match the schema which the model is shown. Here whatever
 * comes goes to the tool, whose errors are answers and tell how to mend the call.
 */
class SelfCheckingTool extends DynamicStructuredTool {
  readonly #taking: DynamicStructuredTool;

  constructor(tool: AgentTool) {
    const { name, description } = tool;
    const fields = {
      name,
      description,
      func: async (args: unknown, _: unknown, config?: CallConfig) => {
        const { text, isError } = await tool.call(args, config?.signal);
        const id = config?.toolCall?.id;
        // Whatever else LangChain gets from a tool, it takes for a success.
        return isError && id !== undefined
          ? new ToolMessage({ status: 'error', content: text, tool_call_id: id, name })
          : text;
      },
    };
    super({ ...fields, schema: plainSchema(tool) });
    this.#taking = new DynamicStructuredTool({ ...fields, schema: {} });
  }

  override call(...args: Parameters<DynamicStructuredTool['call']>): Promise<unknown> {
    return this.#taking.call(...args);
  }
}
