import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { handleMcp, type HttpOptions } from '@patchbay/tools';
import { listen } from './listen.ts';

/** An HTTP server with MCP on it, as a service would have it. */
export interface McpHttp extends AsyncDisposable {
  readonly url: URL;
}

/** @param open What a request gets, by its token; `undefined` is a 401. */
export async function startMcpHttp(
  open: (token: string) => HttpOptions | undefined,
): Promise<McpHttp> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const options = open(token);
    if (options === undefined) response.writeHead(401).end();
    else await handleMcp(request, response, options);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => server.emit('error', error));
  });
  const { url, ...listening } = await listen(server);
  return { ...listening, url: new URL('/mcp', url) };
}
