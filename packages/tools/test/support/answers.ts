import assert from 'node:assert/strict';
import type { JsonObject, Toolbox, ToolResult } from '@patchbay/tools';

/** Calls tools and checks what is true of every answer. */
export interface Caller {
  /** The content of an answer that is no error. */
  (name: string, args?: unknown): Promise<JsonObject>;
  /** The error that an answer tells of. */
  readonly error: (name: string, args?: unknown) => Promise<ErrorContent>;
}

/** What a dotted path leads to; `undefined` where it leads nowhere. */
export function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (inner, name) =>
        typeof inner === 'object' && inner !== null
          ? (inner as Readonly<Record<string, unknown>>)[name]
          : undefined,
      value,
    );
}

/** The array of objects that a path leads to. */
export function listAt(value: unknown, path: string): readonly JsonObject[] {
  const list = at(value, path);
  assert.ok(Array.isArray(list), `${path} is no array`);
  return list as readonly JsonObject[];
}

export interface ErrorContent {
  readonly code: string;
  readonly message: string;
  readonly retry: string;
  readonly faults?: readonly {
    readonly field: string;
    readonly message: string;
    readonly allowed?: string;
    readonly did_you_mean?: string;
  }[];
  readonly allowed?: readonly string[];
  readonly did_you_mean?: string;
  readonly details?: JsonObject;
  readonly advice?: string;
  readonly corrected_call?: { readonly tool: string; readonly arguments: JsonObject };
}

export function callerOf(toolbox: Pick<Toolbox, 'call'>): Caller {
  const run = async (name: string, args: unknown) => checked(await toolbox.call(name, args), args);
  const call = async (name: string, args: unknown = {}) => {
    const { isError, content, text } = await run(name, args);
    assert.equal(isError, false, text);
    return content;
  };
  const error = async (name: string, args: unknown = {}) => {
    const { isError, content, text } = await run(name, args);
    assert.equal(isError, true, text);
    return content['error'] as ErrorContent;
  };
  return Object.assign(call, { error });
}

function checked(result: ToolResult, args: unknown): ToolResult {
  assert.deepEqual(JSON.parse(result.text), result.content);
  const given = at(args, 'max_bytes') ?? 49_152;
  if (!result.isError)
    assert.ok(new TextEncoder().encode(result.text).length <= Number(given), 'over its budget');
  return result;
}
