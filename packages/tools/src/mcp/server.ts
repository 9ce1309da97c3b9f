import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { isToolName, type Toolbox } from '../toolbox.ts';
import { TOOL_NAMES } from '../tools/tool.ts';

const NAME = 'patchbay';
const VERSION = '0.2.0';

/** Tools seldom change; a client may keep them this long. */
const TOOLS_TTL_MS = 60_000;

/**
 * An MCP server with the five tools. It keeps nothing between calls, so each connection or request
 * may have one of its own.
 *
 * The low-level server is used because arguments are checked by the tools themselves, whose errors
 * tell a model how to mend its call.
 */
export function makeMcpServer(toolbox: Toolbox): Server {
  const server = new Server(
    { name: NAME, title: 'Patchbay', version: VERSION },
    {
      capabilities: { tools: {} },
      instructions: instructionsFor(toolbox),
      cacheHints: { 'tools/list': { ttlMs: TOOLS_TTL_MS, cacheScope: 'private' } },
    },
  );
  server.setRequestHandler('tools/list', async (_, { mcpReq: { signal } }) => {
    const tools = await toolbox.definitions({ signal });
    // Plain JSON, whose arrays the SDK has no reason to change.
    return JSON.parse(JSON.stringify({ tools })) as { tools: [] };
  });
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq: { signal } }) => {
    const { name, arguments: args } = params;
    if (!isToolName(name))
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Unknown tool ${JSON.stringify(name.slice(0, 64))}; there are ${TOOL_NAMES.join(', ')}.`,
      );
    const { content, text, isError } = await toolbox.call(name, args, { signal });
    return { content: [{ type: 'text', text }], structuredContent: { ...content }, isError };
  });
  return server;
}

function instructionsFor({ mode, allowWrites }: Toolbox): string {
  return [
    'Patchbay reads from, searches and writes to business systems through connectors.',
    'Call describe before the first use of an entity, then execute (asks the system itself)',
    mode === 'hosted'
      ? 'or search (any field, in a synced copy; its answer says how fresh that is).'
      : '(search and sync_status need the hosted service).',
    'Ask for few records and fields: limit or per_page, select_fields.',
    'truncated in an answer says what was left out and how to get it; error.corrected_call is a call that would work.',
    allowWrites
      ? 'Writes are allowed: make sure that the user wants them, and never repeat one whose outcome is unknown.'
      : 'Nothing can be written.',
  ].join(' ');
}
