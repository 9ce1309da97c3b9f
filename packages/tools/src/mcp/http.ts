import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  isInitializeRequest,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { isJsonObject } from '@patchbay/connectors/definitions';
import { Toolbox, type ToolboxOptions } from '../toolbox.ts';
import { makeMcpServer } from './server.ts';

export interface HttpOptions extends ToolboxOptions {
  /** The body, where it has been read and parsed already. */
  readonly parsedBody?: unknown;
  /** Told of requests that are no valid MCP; their senders are told as well. */
  readonly onProtocolError?: ((error: Error) => void) | undefined;
}

/**
 * Answers one request of MCP's Streamable HTTP. Nothing is kept between requests, so any process
 * can answer any of them, with the host of whoever sent it. Who that is, and the `Origin` of browsers,
 * has to be checked before.
 *
 * Clients of the revisions before 2026-07-28 are answered too, without sessions: GET and DELETE are
 * 405 there.
 */
export async function answerMcp(request: Request, options: HttpOptions): Promise<Response> {
  const { parsedBody } = options;
  const refusal = refusalOfInitialize(parsedBody);
  if (refusal !== undefined) return Response.json(refusal);
  return handlerFor(options).fetch(request, parsedBody === undefined ? {} : { parsedBody });
}

/** The same for Node's own HTTP server, and for frameworks that give its objects away. */
export async function handleMcp(
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpOptions,
): Promise<void> {
  const refusal = refusalOfInitialize(options.parsedBody);
  if (refusal !== undefined) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(refusal));
    return;
  }
  const handle = toNodeHandler(handlerFor(options), { onerror: onProtocolErrorOf(options) });
  // Node's own type has optional members that may be undefined, and the SDK's has not.
  await handle(request as Parameters<typeof handle>[0], response, options.parsedBody);
}

/**
 * What is wrong with an `initialize` in few words, where the SDK tells of every value that is wrong, as an error of
 * the server; `undefined` for other messages.
 */
function refusalOfInitialize(message: unknown): object | undefined {
  if (!isJsonObject(message) || message['method'] !== 'initialize') return undefined;
  const { id } = message;
  const isRequest = typeof id === 'string' || typeof id === 'number';
  if (!isRequest || isInitializeRequest(message)) return undefined;
  return {
    jsonrpc: '2.0',
    id,
    error: {
      code: ProtocolErrorCode.InvalidParams,
      message:
        'Invalid params: initialize takes protocolVersion (a string), capabilities (an object) and clientInfo (an object with name and version), all their members as the protocol has them.',
    },
  };
}

function handlerFor(options: HttpOptions) {
  const toolbox = new Toolbox(options);
  return createMcpHandler(() => makeMcpServer(toolbox), {
    onerror: onProtocolErrorOf(options),
    // The tools never change while a client listens, so there is nothing to listen for.
    maxSubscriptions: 0,
  });
}

function onProtocolErrorOf({ onProtocolError = () => undefined }: HttpOptions) {
  return onProtocolError;
}
