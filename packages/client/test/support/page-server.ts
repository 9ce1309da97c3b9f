import { readFile } from 'node:fs/promises';
import { createServer, request as sendRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const SCRIPT = '/packages/client/test/support/browser-page.ts';
const MODULE =
  /^\/(?:packages\/(?:client|connectors)|node_modules\/typebox)\/[\w./-]+\.(?:ts|mjs)$/;

/** A page on 127.0.0.1, its backend, and a service behind the same origin. */
export interface PageServer {
  readonly url: string;
  /** What the page posted, parsed. */
  readonly report: Promise<unknown>;
  close(): Promise<void>;
}

/**
 * Serves a page whose script imports the packages from their sources, types taken out, as a
 * bundler would take them.
 */
export async function startPageServer(parts: {
  readonly serviceUrl: string;
  readonly mintToken: () => Promise<string>;
}): Promise<PageServer> {
  const report = Promise.withResolvers<unknown>();
  const page = pageWith(await importMap());
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    if (path === '/') respond(response, 'text/html', page);
    else if (path === '/token') respond(response, 'text/plain', await parts.mintToken());
    else if (path === '/report') {
      report.resolve(JSON.parse(await text(request)));
      respond(response, 'text/plain', '');
    } else if (MODULE.test(path)) respond(response, 'text/javascript', await moduleAt(path));
    else forward(request, response, parts.serviceUrl);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.destroy();
      report.reject(error);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // It listens on TCP, so it has a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    report: report.promise,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function respond(response: ServerResponse, type: string, body: string): void {
  response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body);
}

function pageWith(imports: Readonly<Record<string, string>>): string {
  return `<!doctype html><title>Patchbay</title>
<script type="importmap">${JSON.stringify({ imports })}</script>
<script type="module" src="${SCRIPT}"></script>`;
}

/** Where what the sources import by name is. */
async function importMap(): Promise<Readonly<Record<string, string>>> {
  const file = join(ROOT, 'node_modules/typebox/package.json');
  const typebox = JSON.parse(await readFile(file, 'utf8')) as {
    readonly exports: Readonly<Record<string, { readonly import: string }>>;
  };
  const imports: Record<string, string> = {
    '@patchbay/client': '/packages/client/src/index.ts',
    '@patchbay/connectors/definitions': '/packages/connectors/src/definitions.ts',
    '@patchbay/connectors/wire': '/packages/connectors/src/wire/index.ts',
  };
  for (const [name, target] of Object.entries(typebox.exports))
    imports[`typebox${name.slice(1)}`] = `/node_modules/typebox/${target.import.slice(2)}`;
  return imports;
}

async function moduleAt(path: string): Promise<string> {
  const source = await readFile(join(ROOT, path), 'utf8');
  return path.endsWith('.ts') ? stripTypeScriptTypes(source) : source;
}

/** Bytes go through as they come, so that events arrive one by one. */
function forward(request: IncomingMessage, response: ServerResponse, serviceUrl: string): void {
  const { method = 'GET', headers, url = '' } = request;
  const onward = sendRequest(new URL(url, serviceUrl), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}
