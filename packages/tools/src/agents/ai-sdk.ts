import { isJsonObject } from '@patchbay/connectors/definitions';
import { dynamicTool, jsonSchema, type JSONSchema7, type JSONValue, type ToolSet } from 'ai';
import {
  makeAgentTools,
  plainSchema,
  type AgentToolOptions,
  type ToolTarget,
} from './agent-tools.ts';

/**
 * The tools of a connector, client or host for the Vercel AI SDK: what `tools` of `generateText`,
 * `streamText` and agents takes. The output of a call that failed has the member `error` alone, and goes to the model
 * as an error.
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
        toModelOutput: ({ output }) => ({
          type: isFailure(output) ? 'error-json' : 'json',
          // What a tool answers is JSON.
          value: output as JSONValue,
        }),
      }),
    ]),
  );
}

function isFailure(output: unknown): boolean {
  return isJsonObject(output) && 'error' in output;
}
