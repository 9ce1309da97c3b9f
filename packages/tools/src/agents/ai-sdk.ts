import { dynamicTool, jsonSchema, type JSONSchema7, type ToolSet } from 'ai';
import {
  makeAgentTools,
  plainSchema,
  type AgentToolOptions,
  type ToolTarget,
} from './agent-tools.ts';

/**
 * The tools of a connector, client or host for the Vercel AI SDK: what `tools` of `generateText`,
 * `streamText` and agents takes.
 */
export async function toTools(target: ToolTarget, options?: AgentToolOptions): Promise<ToolSet> {
  const tools = await makeAgentTools(target, options);
  return Object.fromEntries(
    tools.map((each) => [
      each.name,
      dynamicTool({
        description: each.description,
        inputSchema: jsonSchema(plainSchema(each) as JSONSchema7),
        execute: async (args, { abortSignal }) => (await each.call(args, abortSignal)).content,
      }),
    ]),
  );
}
