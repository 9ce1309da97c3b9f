import type { KindDescription, Member } from '@patchbay/connectors/definitions';
import { Type } from 'typebox';
import type { JsonObject, ToolHost } from '../host.ts';

export const TOOL_NAMES = [
  'list_connectors',
  'describe',
  'execute',
  'search',
  'sync_status',
] as const;

export type ToolName = (typeof TOOL_NAMES)[number];

/** What a tool may do to the world, in the words of MCP; hints for whoever asks for consent. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** A tool as models and their programs see it. */
export interface ToolDefinition {
  readonly name: ToolName;
  /** For people. */
  readonly title: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, JsonObject>>;
    readonly required: readonly string[];
    readonly additionalProperties: false;
  };
  readonly annotations: ToolAnnotations;
}

/** What the definitions of the tools are made from. */
export interface Scene {
  readonly mode: ToolHost['mode'];
  readonly allowWrites: boolean;
  /** The kinds of the connectors at hand; every kind where there are none. */
  readonly kinds: readonly KindDescription[];
}

/** What a tool runs with. */
export interface ToolContext {
  readonly host: ToolHost;
  readonly allowWrites: boolean;
  readonly signal: AbortSignal | undefined;
}

/** One of the five tools. */
export interface Tool {
  readonly name: ToolName;
  readonly title: string;
  readonly describe: (scene: Scene) => string;
  readonly annotate: (scene: Pick<Scene, 'allowWrites'>) => ToolAnnotations;
  /** The arguments, as they are checked. */
  readonly argumentsOf: (
    scene: Pick<Scene, 'mode' | 'allowWrites'>,
  ) => Readonly<Record<string, Member>>;
  /**
   * What the JSON Schema of an argument says besides what is checked here: the values that make sense
   * in this scene, and shapes. Models keep to it, and what comes otherwise is judged by the host, whose
   * errors tell more.
   */
  readonly hintsOf?: (scene: Scene) => Readonly<Record<string, JsonObject>>;
  /** @param args Checked arguments, nulls left out. */
  readonly run: (args: JsonObject, context: ToolContext) => Promise<JsonObject>;
}

/** Tools that change nothing, here or upstream. */
export const READS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** The check of an argument that is an object, whatever is in it. */
export const ANY_OBJECT = Type.Unsafe<JsonObject>({ type: 'object', additionalProperties: true });

/** The schema hint that only these values make sense; none where there are none. */
export function oneOf(words: readonly string[]): JsonObject {
  return words.length === 0 ? {} : { enum: words };
}

/** The options of host calls that a tool makes. */
export function callOptionsOf({ signal }: ToolContext): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
