import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** An application's page, and a connect page and a vendor's page on another origin. */
export interface ConnectServers extends AsyncDisposable {
  readonly url: string;
  /** What the application's page posted, parsed. */
  readonly report: Promise<unknown>;
}

/**
 * @param script What the application's page runs: a module, with `CONNECT` the address of the connect
 * page, which does what the fragment says; `report(value)` ends it.
 */
export async function startConnectServers(script: string): Promise<ConnectServers> {
  const report = Promise.withResolvers<unknown>();
  const source = await readFile(join(import.meta.dirname, '../../src/connect.ts'), 'utf8');
  let isConnected = false;
  const vendor = await listen((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (url.pathname === '/connect') return respond(response, 'text/html', connectPage(app.origin));
    // As a vendor that lets no other site hold on to its windows.
    response.setHeader('cross-origin-opener-policy', 'same-origin');
    isConnected = true;
    respond(response, 'text/html', '<!doctype html><title>Consent</title>');
  });
  const page = `<!doctype html><title>Application</title><script type="module">
const CONNECT = '${vendor.origin}/connect';
const report = (value) => fetch('/report', { method: 'POST', body: JSON.stringify(value) });
const poll = async () => (await fetch('/session')).json();
try {
${script}
} catch (error) { await report({ problem: String(error), code: error.code }); }
</script>`;
  const app = await listen(async (request, response) => {
    const { url: path } = request;
    if (path === '/') respond(response, 'text/html', page);
    else if (path === '/connect.js')
      respond(response, 'text/javascript', stripTypeScriptTypes(source));
    else if (path === '/session')
      respond(
        response,
        'application/json',
        JSON.stringify(isConnected ? { id: 's', status: 'succeeded' } : { status: 'open' }),
      );
    else if (path === '/report') {
      report.resolve(JSON.parse(await text(request)));
      respond(response, 'text/plain', '');
    } else response.writeHead(404).end();
  });
  return {
    url: `${app.origin}/`,
    report: report.promise,
    [Symbol.asyncDispose]: async () => {
      await app.close();
      await vendor.close();
    },
  };
}

function connectPage(origin: string): string {
  return `<!doctype html><title>Connect</title><script>
const tell = () => window.opener.postMessage({ type: 'patchbay:connect', session_id: 's',
  status: 'unconfirmed', connector_id: 'c', error: null }, '${origin}');
if (location.hash === '#tell') tell();
if (location.hash === '#tell-and-close') { tell(); window.close(); }
if (location.hash === '#close') window.close();
if (location.hash === '#consent') location.replace('/vendor');
</script>`;
}

interface Listening {
  readonly origin: string;
  close(): Promise<void>;
}

async function listen(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void,
): Promise<Listening> {
  const server = createServer((request, response) => {
    Promise.resolve(answer(request, response)).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // It listens on TCP, so it has a port.
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function respond(response: ServerResponse, type: string, body: string): void {
  response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body);
}
