import {
  allKinds,
  checkMembers,
  ConnectorError,
  faultsText,
  describeKind,
  isConnectorError,
  isJsonObject,
  nearestName,
  quote,
  type ErrorCode,
  type Fault,
  type KindDescription,
  type Member,
} from '@patchbay/connectors/definitions';
import type { HostCallOptions, JsonObject, ToolHost } from './host.ts';
import { correctedCall } from './results/corrected-call.ts';
import { errorContent } from './results/error-content.ts';
import type { ToolCallText } from './results/tool-call.ts';
import { CheckingHost } from './tools/checking-host.ts';
import { describeTool } from './tools/describe.ts';
import { executeTool } from './tools/execute.ts';
import { listConnectors } from './tools/list-connectors.ts';
import { withNamesThereAre, withSearchable } from './tools/names-there-are.ts';
import { searchTool } from './tools/search.ts';
import { syncStatus } from './tools/sync-status.ts';
import {
  TOOL_NAMES,
  type Scene,
  type Tool,
  type ToolDefinition,
  type ToolName,
} from './tools/tool.ts';

const TOOLS: Readonly<Record<ToolName, Tool>> = {
  list_connectors: listConnectors,
  describe: describeTool,
  execute: executeTool,
  search: searchTool,
  sync_status: syncStatus,
};

/** Longest wait for the host's connectors; after it, definitions name every kind. */
const SCENE_TIMEOUT_MS = 5_000;

/** What may be wrong with a call before anything is sent. */
const OF_THE_CALL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'connector_not_found',
  'unknown_connector_type',
  'unknown_entity',
  'unsupported_action',
  'invalid_request',
  'invalid_params',
  'invalid_query',
]);

export interface ToolboxOptions {
  readonly host: ToolHost;
  /** Whether create and update are let through; false by default. */
  readonly allowWrites?: boolean | undefined;
  /** Called with unexpected errors; models only learn that there was one. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Told of every call that has an answer, for logs and counters; never of contents. */
  readonly onCall?: ((call: CalledTool) => void) | undefined;
}

/** What was called, and how it ended. */
export interface CalledTool {
  /** `undefined` where there is no tool of the name that was called. */
  readonly tool: ToolName | undefined;
  readonly code: ErrorCode | 'ok';
}

/** How it is found out what is wrong with a call. */
interface Asking {
  readonly host: CheckingHost;
  readonly signal: AbortSignal | undefined;
}

/** What a tool answers: the same object as text and as JSON. */
export interface ToolResult {
  readonly isError: boolean;
  readonly content: JsonObject;
  /** JSON, without spaces. */
  readonly text: string;
}

/**
 * The five tools over one host. MCP and the agent frameworks show the same ones, in their own forms.
 */
export class Toolbox {
  readonly mode: ToolHost['mode'];
  readonly allowWrites: boolean;
  readonly #host: ToolHost;
  readonly #onError: (error: unknown) => void;
  readonly #onCall: (call: CalledTool) => void;

  constructor(options: ToolboxOptions) {
    const { host, allowWrites = false } = options;
    this.mode = host.mode;
    this.allowWrites = allowWrites;
    this.#host = host;
    this.#onError = options.onError ?? (() => undefined);
    this.#onCall = options.onCall ?? (() => undefined);
  }

  /**
   * The tools as models see them, with the names that make sense for the connectors at hand. Where
   * the host does not answer, with all names: calls will tell what is wrong with it.
   */
  async definitions(options: HostCallOptions = {}): Promise<readonly ToolDefinition[]> {
    const { mode, allowWrites } = this;
    const scene = { mode, allowWrites, kinds: await this.#kindsAtHand(options) };
    return TOOL_NAMES.map((name) => definitionOf(TOOLS[name], scene));
  }

  /**
   * Runs a tool. Whatever goes wrong comes as a result that tells how to mend the call.
   *
   * @param args What the model gave; checked here.
   * @throws only the reason of the signal, when it aborts.
   */
  async call(name: string, args: unknown, options: HostCallOptions = {}): Promise<ToolResult> {
    const { signal } = options;
    const called = isToolName(name) ? name : undefined;
    try {
      const tool = findTool(name);
      const checked = checkArguments(tool.argumentsOf(this), args);
      const { allowWrites } = this;
      const content = await tool.run(checked, { host: this.#host, allowWrites, signal });
      this.#onCall({ tool: called, code: 'ok' });
      return resultOf(content, false);
    } catch (error) {
      signal?.throwIfAborted();
      const known = this.#connectorErrorOf(error);
      this.#onCall({ tool: called, code: known.code });
      const call = { tool: name, arguments: isJsonObject(args) ? args : {} };
      // What both ask the host is asked once.
      const asking = { host: new CheckingHost(this.#host), signal };
      const told = await this.#withNames(known, call, asking);
      const corrected = await this.#corrected(known, call, asking);
      return resultOf(errorContent(told, call, corrected), true);
    }
  }

  /** The error, with the entities or actions there are where none was given, or where what was given cannot be searched. */
  async #withNames(
    error: ConnectorError,
    { tool, arguments: args }: ToolCallText,
    { host, signal }: Asking,
  ): Promise<ConnectorError> {
    if (!isToolName(tool)) return error;
    const context = { host, allowWrites: this.allowWrites, signal };
    try {
      if (tool === 'search' && isOfEntity(error)) return await withSearchable(error, args, context);
      if (!isConnectorError(error, 'invalid_request')) return error;
      const faults = await withNamesThereAre(error.details.faults, { tool, args }, context);
      if (faults === error.details.faults) return error;
      const { message, retry } = error;
      return new ConnectorError(
        'invalid_request',
        { ...error.details, faults },
        { message, retry },
      );
    } catch (failure) {
      signal?.throwIfAborted();
      // The error is told all the same.
      this.#onError(failure);
      return error;
    }
  }

  /** The call as it would work; `undefined` where what is wrong is not with the call. */
  async #corrected(
    { code }: ConnectorError,
    call: ToolCallText,
    { host: checking, signal }: Asking,
  ): Promise<ToolCallText | undefined> {
    if (!OF_THE_CALL.has(code)) return undefined;
    const { allowWrites } = this;
    try {
      return await correctedCall(call, ({ tool: name, arguments: args }) =>
        checking.judge(async (host) => {
          const tool = findTool(name);
          const checked = checkArguments(tool.argumentsOf(this), args);
          return tool.run(checked, { host, allowWrites, signal });
        }),
      );
    } catch (error) {
      signal?.throwIfAborted();
      // The error is told all the same.
      this.#onError(error);
      return undefined;
    }
  }

  #connectorErrorOf(error: unknown): ConnectorError {
    if (isConnectorError(error) && error.code !== 'internal') return error;
    this.#onError(error);
    return isConnectorError(error) ? error : new ConnectorError('internal', {}, { cause: error });
  }

  async #kindsAtHand({ signal }: HostCallOptions): Promise<readonly KindDescription[]> {
    const options = { timeoutMs: SCENE_TIMEOUT_MS, ...(signal === undefined ? {} : { signal }) };
    try {
      const connectors = await this.#host.connectors(options);
      const kinds = [...new Set(connectors.map(({ kind }) => kind))];
      const firsts = kinds.flatMap((kind) => connectors.find((each) => each.kind === kind) ?? []);
      if (firsts.length > 0)
        return await Promise.all(firsts.map(({ id }) => this.#host.describe(id, options)));
    } catch (error) {
      signal?.throwIfAborted();
      this.#onError(error);
    }
    return allKinds().map(describeKind);
  }
}

/** Whether there is a tool of that name. */
export function isToolName(name: string): name is ToolName {
  return (TOOL_NAMES as readonly string[]).includes(name);
}

function isOfEntity(
  error: ConnectorError,
): error is ConnectorError<'unknown_entity' | 'unsupported_action'> {
  return isConnectorError(error, 'unknown_entity') || isConnectorError(error, 'unsupported_action');
}

function findTool(name: string): Tool {
  if (isToolName(name)) return TOOLS[name];
  const allowed = TOOL_NAMES.join(', ');
  const didYouMean = nearestName(name, TOOL_NAMES);
  const message = `There is no tool ${quote(name)}; there are ${allowed}.`;
  const fault: Fault = {
    field: 'tool',
    errorCode: 'unknown',
    message,
    allowed,
    ...(didYouMean === undefined ? {} : { didYouMean }),
  };
  throw new ConnectorError('invalid_request', { faults: [fault] }, { message });
}

function definitionOf(tool: Tool, scene: Scene): ToolDefinition {
  const members = tool.argumentsOf(scene);
  const hints = tool.hintsOf?.(scene) ?? {};
  return {
    name: tool.name,
    title: tool.title,
    description: tool.describe(scene),
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        // Schemas are plain JSON.
        Object.entries(members).map(([name, { schema }]) => [
          name,
          { ...(schema as JsonObject), ...hints[name] },
        ]),
      ),
      required: Object.keys(members).filter((name) => members[name]?.isRequired === true),
      additionalProperties: false,
    },
    annotations: tool.annotate(scene),
  };
}

/** @throws `invalid_request` with every fault. */
function checkArguments(declared: Readonly<Record<string, Member>>, given: unknown): JsonObject {
  const input = given ?? {};
  if (!isJsonObject(input)) {
    const message = `must be an object, got ${quote(given)}`;
    throw new ConnectorError(
      'invalid_request',
      { faults: [{ field: 'arguments', errorCode: 'wrong_type', message }] },
      { message: `arguments ${message}` },
    );
  }
  const { values, faults } = checkMembers(declared, input, '');
  if (faults.length === 0) return values;
  throw new ConnectorError('invalid_request', { faults }, { message: faultsText(faults) });
}

function resultOf(content: JsonObject, isError: boolean): ToolResult {
  const text = withoutHalves(JSON.stringify(content));
  // Without the members that are undefined, as the text is.
  return { isError, content: JSON.parse(text) as JsonObject, text };
}

/**
 * JSON text in which U+FFFD stands for every half of a surrogate pair, as upstreams leave them that cut texts anywhere.
 * Interfaces of models take no JSON that has one, and with it refuse everything that is said after it.
 */
function withoutHalves(json: string): string {
  // Whole pairs are written as they are; only halves are escaped like this.
  if (!json.includes(String.raw`\ud`)) return json;
  return json.replace(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (escape) =>
    escape.startsWith(String.raw`\ud`) ? '\ufffd' : escape,
  );
}
