import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Retry } from '@patchbay/connectors';
import { isJsonObject } from '@patchbay/connectors/engine';
import type { Call, Json } from '../call.ts';
import { hitsValue, type Failure, type WireFault } from '../outcome.ts';
import type { World } from '../world/world.ts';
import type { Surface } from './surface.ts';

/** No answer of these calls is longer. */
const MAX_BYTES = 1_048_576;

/** The tools of the service's `/mcp`, through the official client. */
export async function mcpSurface(world: World): Promise<Surface & AsyncDisposable> {
  const clients = {
    read: await connect(world, 'read'),
    write: await connect(world, 'write'),
  };
  /** How each list goes on, by the name of its call. */
  const nextParams = new Map<string, Json>();
  return {
    name: 'mcp',
    run: async (call) => {
      const params = call.after === undefined ? call.params : nextParams.get(call.after);
      if (call.after !== undefined) assert.ok(params !== undefined, `${call.after} goes nowhere`);
      const tool = toolCallOf({ ...call, params });
      const id = world.connectorId('mcp', call);
      const { content, structuredContent, isError } = await clients[
        call.access ?? 'write'
      ].callTool({ name: tool.name, arguments: { connector: id, ...tool.arguments } });
      const [text] = content;
      assert.ok(text?.type === 'text' && isJsonObject(structuredContent));
      assert.deepEqual(structuredContent, JSON.parse(text.text));
      if (isError === true) return failure(structuredContent);
      assert.equal(structuredContent['truncated'], undefined);
      const next = structuredContent['next_params'];
      if (isJsonObject(next)) nextParams.set(call.name, next);
      return { ok: true, value: valueOf(call, structuredContent) };
    },
    [Symbol.asyncDispose]: async () => {
      await clients.read.close();
      await clients.write.close();
    },
  };
}

async function connect(
  { service, user: { externalUserId } }: World,
  access: 'read' | 'write',
): Promise<Client> {
  const token = await service.mintScopedToken({ externalUserId, access });
  const client = new Client({ name: 'contract', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', service.url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  return client;
}

interface ToolCall {
  readonly name: string;
  readonly arguments: Json;
}

function toolCallOf(call: Call): ToolCall {
  if (isSearchToolCall(call))
    return {
      name: 'search',
      arguments: { entity: call.entity, max_bytes: MAX_BYTES, ...(call.params as Json) },
    };
  const { entity, action, params, selectFields, idempotencyKey } = call;
  return {
    name: 'execute',
    arguments: {
      entity,
      action,
      ...(params === undefined ? {} : { params }),
      ...(selectFields === undefined ? {} : { select_fields: selectFields }),
      ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
      max_bytes: MAX_BYTES,
    },
  };
}

const SEARCH_ARGUMENTS = ['query', 'limit', 'cursor', 'fields'];

/**
 * Whether a call is made with the tool `search`, whose arguments are checked by their types. What
 * that refuses goes to the service by `execute`, as a search too.
 */
export function isSearchToolCall({ action, params }: Call): boolean {
  if (action !== 'search' || !isJsonObject(params)) return false;
  const { query, limit = 1, cursor = '', fields = [] } = params;
  return (
    Object.keys(params).every((name) => SEARCH_ARGUMENTS.includes(name)) &&
    isJsonObject(query) &&
    Number.isInteger(limit) &&
    Number(limit) > 0 &&
    typeof cursor === 'string' &&
    Array.isArray(fields) &&
    fields.every((field) => typeof field === 'string')
  );
}

function valueOf({ action }: Call, content: Json): unknown {
  const { data, meta, next_params, warnings = [] } = content;
  if (action === 'search') return hitsValue(content);
  if (action === 'list') return { data, meta, next_params, warnings };
  return action === 'download' ? fileValueOf(data as Json) : data;
}

/** Text comes as text, anything else as base64. */
function fileValueOf(file: Json): Json {
  const { content_type, size, content_range = null, content_text: text, content_base64 } = file;
  return {
    content_type,
    size,
    content_range,
    content_base64:
      typeof text === 'string' ? Buffer.from(text).toString('base64') : content_base64,
  };
}

interface ToldError {
  readonly code: string;
  readonly retry: Retry;
  readonly message: string;
  readonly faults?: readonly WireFault[];
  readonly allowed?: unknown;
  readonly did_you_mean?: unknown;
  readonly details?: Json;
}

function failure(content: Json): Failure {
  // The form of every error of the tools, or the comparison will tell.
  const { code, retry, message, faults = [], ...told } = content['error'] as ToldError;
  const { request_id: _, ...details } = told.details ?? {};
  return {
    ok: false,
    code,
    retry,
    message,
    faults,
    details: {
      ...('allowed' in told ? { allowed: told.allowed } : {}),
      ...('did_you_mean' in told ? { did_you_mean: told.did_you_mean } : {}),
      ...details,
    },
  };
}
