import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
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
export function answerMcp(request: Request, options: HttpOptions): Promise<Response> {
  const { parsedBody } = options;
  return handlerFor(options).fetch(request, parsedBody === undefined ? {} : { parsedBody });
}

/** The same for Node's own HTTP server, and for frameworks that give its objects away. */
export async function handleMcp(
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpOptions,
): Promise<void> {
  const handle = toNodeHandler(handlerFor(options), { onerror: onProtocolErrorOf(options) });
  // Node's own type has optional members that may be undefined, and the SDK's has not.
  await handle(request as Parameters<typeof handle>[0], response, options.parsedBody);
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
