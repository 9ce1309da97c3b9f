import { DynamicStructuredTool } from '@langchain/core/tools';
import {
  makeAgentTools,
  plainSchema,
  type AgentTool,
  type AgentToolOptions,
  type ToolTarget,
} from './agent-tools.ts';

/** The tools of a connector, client or host for LangChain: what `bindTools` and agents take. */
export async function toTools(
  target: ToolTarget,
  options?: AgentToolOptions,
): Promise<DynamicStructuredTool[]> {
  const tools = await makeAgentTools(target, options);
  return tools.map((each) => new SelfCheckingTool(each));
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
      func: async (args: unknown, _: unknown, config?: { readonly signal?: AbortSignal }) =>
        (await tool.call(args, config?.signal)).text,
    };
    super({ ...fields, schema: plainSchema(tool) });
    this.#taking = new DynamicStructuredTool({ ...fields, schema: {} });
  }

  override call(...args: Parameters<DynamicStructuredTool['call']>): Promise<unknown> {
    return this.#taking.call(...args);
  }
}
