import type { Patchbay } from '@patchbay/client';
import {
  checkOptionNames,
  isJsonObject,
  quote,
  unknownName,
  wrongOptions,
  type ConnectorError,
  type Fault,
} from '@patchbay/connectors/definitions';
import type { JsonObject, ToolHost } from '../host.ts';
import { hostedHost, type HostedConnectorLike } from '../hosts/hosted-host.ts';
import { libraryHost, type LibraryConnector } from '../hosts/library-host.ts';
import { Toolbox, type ToolboxOptions, type ToolResult } from '../toolbox.ts';
import { TOOL_NAMES, type ToolDefinition, type ToolName } from '../tools/tool.ts';

/** What tools can be made of: a connector of either mode, a client with all its connectors, a host. */
export type ToolTarget = LibraryConnector | HostedConnectorLike | Patchbay | ToolHost;

export interface AgentToolOptions extends Omit<ToolboxOptions, 'host'> {
  /** Only these tools; all five unless given. */
  readonly only?: readonly ToolName[] | undefined;
  /**
   * Put before the name of each tool, for agents with the tools of several targets: at most 49 letters of English, digits,
   * `_` and `-`, since that is what all providers take in the name of a tool, of 64 characters.
   */
  readonly prefix?: string | undefined;
}

const OPTIONS: Readonly<Record<keyof AgentToolOptions, true>> = {
  allowWrites: true,
  onError: true,
  onCall: true,
  only: true,
  prefix: true,
};

const MAX_NAME = 64;
const MAX_PREFIX = MAX_NAME - Math.max(...TOOL_NAMES.map(({ length }) => length));

/** A tool, ready to be shown to a framework in its own form. */
export interface AgentTool {
  /** The prefix included. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolDefinition['inputSchema'];
  /** Whatever goes wrong comes as a result; rejects only with the reason of the signal. */
  readonly call: (args: unknown, signal?: AbortSignal) => Promise<ToolResult>;
}

/**
 * The tools of a target, as every adapter has them.
 *
 * @throws `invalid_config` for options that there are not, and for names that no provider takes.
 */
export async function makeAgentTools(
  target: ToolTarget,
  given: AgentToolOptions = {},
): Promise<readonly AgentTool[]> {
  checkOptions(given);
  const { only, prefix = '', ...options } = given;
  const toolbox = new Toolbox({ ...options, host: hostOf(target) });
  const definitions = await toolbox.definitions();
  return definitions
    .filter(({ name }) => only === undefined || only.includes(name))
    .map(({ name, description, inputSchema }) => ({
      name: prefix + name,
      description,
      inputSchema,
      call: async (args, signal) =>
        withOwnNames(await toolbox.call(name, args, { signal }), { prefix, only }),
    }));
}

function checkOptions(options: AgentToolOptions): void {
  checkOptionNames(options, Object.keys(OPTIONS));
  const { only = [], prefix = '' } = options;
  const faults: Fault[] = only
    .filter((name) => !TOOL_NAMES.includes(name))
    .map((name) => unknownName('only', name, TOOL_NAMES));
  if (prefix.length > MAX_PREFIX || !/^[a-zA-Z0-9_-]*$/.test(prefix))
    faults.push({
      field: 'prefix',
      errorCode: 'not_allowed',
      message: `must be at most ${MAX_PREFIX} characters out of a-z, A-Z, 0-9, _ and -, or no provider takes the names of the tools`,
    });
  if (faults.length > 0) throw wrongOptions(faults);
}

/** An answer, with the calls that it suggests as these tools are named, and without those of tools that are left out. */
function withOwnNames(
  result: ToolResult,
  { prefix = '', only }: Pick<AgentToolOptions, 'prefix' | 'only'>,
): ToolResult {
  const { error, example, ...rest } = result.content;
  const corrected = isJsonObject(error) ? error['corrected_call'] : undefined;
  if (!isJsonObject(corrected) && !isJsonObject(example)) return result;
  const own = (call: unknown) => {
    if (!isJsonObject(call)) return undefined;
    const { tool } = call;
    const isShown = only === undefined || only.some((name) => name === tool);
    return isShown ? { ...call, tool: prefix + String(tool) } : undefined;
  };
  const text = JSON.stringify({
    ...rest,
    ...(isJsonObject(error) ? { error: { ...error, corrected_call: own(corrected) } } : {}),
    example: own(example),
  });
  // Without the members that are undefined, as the text is.
  return { ...result, content: JSON.parse(text) as JsonObject, text };
}

/** Runs the tool of that name; for models that call one there is not, a result that says so. */
export async function callTool(
  tools: readonly AgentTool[],
  { name, args }: { readonly name: string; readonly args: unknown },
  signal?: AbortSignal,
): Promise<ToolResult> {
  const tool = tools.find((each) => each.name === name);
  if (tool !== undefined) return tool.call(args, signal);
  const allowed = tools.map((each) => each.name);
  const message = `There is no tool ${JSON.stringify(name.slice(0, 64))}; there are ${allowed.join(', ')}.`;
  const content = { error: { code: 'invalid_request', message, retry: 'never', allowed } };
  return { isError: true, content, text: JSON.stringify(content) };
}

/** Arguments that came as JSON text; what is no JSON is handed on, so that the tool says so. */
export function parseArguments(text: string): unknown {
  try {
    return text === '' ? {} : (JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}

/** A schema as plain, changeable JSON, as frameworks type it. */
export function plainSchema({ inputSchema }: AgentTool): JsonObject & { type: 'object' } {
  return JSON.parse(JSON.stringify(inputSchema)) as JsonObject & { type: 'object' };
}

/** @throws `invalid_config` for what nobody typed, such as a connector that was not awaited. */
function hostOf(target: ToolTarget): ToolHost {
  const given: unknown = target;
  if (given instanceof Promise) throw wrongTarget('a promise: await it first');
  if (!isJsonObject(given)) throw wrongTarget(quote(given));
  if ('syncStatus' in target) return target;
  if ('connectors' in target || 'sync' in target) return hostedHost(target);
  if ('execute' in target && 'describe' in target) return libraryHost(target);
  throw wrongTarget('something else; several connectors go through libraryHost({ … })');
}

function wrongTarget(got: string): ConnectorError<'invalid_config'> {
  const message = `must be a connector, a client or a host, got ${got}`;
  return wrongOptions([{ field: 'target', errorCode: 'wrong_type', message }]);
}
