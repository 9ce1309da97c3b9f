import { mayWrite } from '../access/access.ts';
import { requireBody } from './require-body.ts';
import type { Answer, Call, Route } from './route.ts';
import { object } from './schemas.ts';
import type { Logger } from '../log.ts';
import { CallAbortedError } from '../operations/active-calls.ts';
import { refusalOfLarge } from '../mcp/message-size.ts';
import { ServiceHost, type Operations } from '../mcp/service-host.ts';
import { answerKeeper, writeOfKept } from './kept-answer.ts';
import { requireTrustedOrigin } from './trusted-origin.ts';

export interface McpRouteParts extends Operations {
  readonly logger: Logger;
}

/** The headers that the protocol reads; above all, the token is none of them. */
const PROTOCOL_HEADERS = [
  'accept',
  'content-type',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
] as const;

const MESSAGE = { ...object({ jsonrpc: { const: '2.0' } }), additionalProperties: true };
const REQUEST = { ...MESSAGE, examples: [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }] };

/**
 * The tools over MCP's Streamable HTTP, without sessions: any process answers any request.
 *
 * @see docs/wire.md#mcp
 */
export function mcpRoutes(parts: McpRouteParts): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/mcp',
      reach: 'mcp',
      doc: {
        summary: 'Model Context Protocol (Streamable HTTP): five tools over the connectors',
        tag: 'MCP',
        headers: [
          {
            name: 'MCP-Protocol-Version',
            doc: 'The revision that client and service have agreed on.',
            schema: { type: 'string' },
          },
        ],
        accept: 'application/json, text/event-stream',
        body: REQUEST,
        answer: MESSAGE,
        // Of a notification there is none, and what is wrong with a message is told as the protocol has it.
        further: {
          '200': { 'text/event-stream': undefined },
          '202': {},
          default: { 'application/json': MESSAGE },
        },
      },
      handle: (call) => answer(parts, call),
    },
  ];
}

async function answer({ logger, ...operations }: McpRouteParts, call: Call): Promise<Answer> {
  requireTrustedOrigin(call.header('origin'));
  const parsedBody = requireBody(call);
  const { access, requestId, log, onDisconnect } = call;
  const refusal = refusalOfLarge(parsedBody);
  if (refusal !== undefined) {
    log.code = 'invalid_request';
    return { status: 400, body: refusal };
  }
  // Loaded by the first call: the protocol's modules take longer than the start of the service.
  const { answerMcp } = await import('@patchbay/tools');
  const told: { aborted?: CallAbortedError; protocolError?: Error } = {};
  const response = await answerMcp(requestOf(call), {
    parsedBody,
    host: new ServiceHost(operations, {
      access,
      requestId,
      log,
      logger,
      onDisconnect,
      keeper: answerKeeper(requestId),
      writeOfKept,
    }),
    allowWrites: mayWrite(access),
    onCall: (called) => Object.assign(log, called),
    onError: (error) => {
      if (error instanceof CallAbortedError) told.aborted = error;
      else logger.error({ err: error, request_id: requestId }, 'A tool failed.');
    },
    onProtocolError: (error) => {
      told.protocolError = error;
    },
  });
  // Read to its end, which is the end of the call, so that its line in the log tells how that went.
  const text = await response.text();
  if (told.aborted !== undefined) throw told.aborted;
  if (response.status >= 500)
    throw new Error('MCP could not be served', { cause: told.protocolError });
  // What is wrong with a message is told as the protocol has it: clients negotiate by that.
  if (response.status >= 400) log.code = 'invalid_request';
  const type = response.headers.get('content-type');
  return { status: response.status, text, ...(type === null ? {} : { type }) };
}

function requestOf(call: Call): Request {
  const headers = PROTOCOL_HEADERS.flatMap((name): [string, string][] => {
    const value = call.header(name);
    return value === undefined ? [] : [[name, value]];
  });
  // Nobody looks at the address.
  return new Request('http://localhost/mcp', { method: 'POST', headers });
}
