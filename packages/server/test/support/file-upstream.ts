import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';

/** A ticketing upstream whose files never end, and whose lists are as long as a test wants. */
export interface FileUpstream extends AsyncDisposable {
  readonly url: string;
  /** Files whose connections are open now. */
  openFiles(): number;
  /** Lists that were asked for so far. */
  lists(): number;
  /** Text that the records of its lists have in all; small unless said. */
  listBytes: number;
}

const CHUNK = Buffer.alloc(65_536, 'x');
const RECORD_BYTES = 1024 * 1024;

/** @param files Whether they bring bytes for as long as somebody takes them, or one byte only. */
export async function startFileUpstream(files: 'endless' | 'silent'): Promise<FileUpstream> {
  const open = new Set<ServerResponse>();
  let lists = 0;
  const upstream = { listBytes: 10 };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    if (pathname.startsWith('/files/')) {
      open.add(response);
      response.once('close', () => open.delete(response));
      response.on('drain', () => fill(response));
      if (files === 'endless') fill(response);
      else response.write('x');
      return;
    }
    response.setHeader('content-type', 'application/json');
    if (pathname.startsWith('/attachments/')) {
      const content_url = `http://${request.headers.host ?? ''}/files/1`;
      response.end(JSON.stringify({ attachment: { id: 1, content_url } }));
      return;
    }
    if (pathname.endsWith('/users/me')) {
      response.end(JSON.stringify({ user: { id: 1 } }));
      return;
    }
    lists += 1;
    response.end(JSON.stringify({ brands: brandsOf(upstream.listBytes), meta: {} }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return Object.assign(upstream, {
    url: `http://127.0.0.1:${address.port}`,
    openFiles: () => open.size,
    lists: () => lists,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

function fill(response: ServerResponse): void {
  while (response.write(CHUNK));
}

function brandsOf(bytes: number): readonly object[] {
  const count = Math.ceil(bytes / RECORD_BYTES);
  const name = 'x'.repeat(Math.min(bytes, RECORD_BYTES));
  return Array.from({ length: count }, (_, index) => ({ id: index + 1, name }));
}
