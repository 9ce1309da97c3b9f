import { createServer, type ServerResponse } from 'node:http';
import { startSandbox } from '@patchbay/sandbox';
import { Agent } from 'undici';
import { forwardRequest } from './forward-request.ts';
import { serve } from './serve.ts';

/**
 * The small accounts of Slack and Zendesk Support, and the files of the latter, on one origin: who
 * holds connections to the files holds connections to the lists as well. Each file is larger than
 * all buffers between it and who reads it.
 */
const FILE_CHUNKS = 4_096;
const FILE_CHUNK = Buffer.alloc(65_536, 'patchbay ');

const sandbox = await startSandbox({ scale: Number(process.env['BENCH_SMALL_SCALE']) });
const dispatcher = new Agent({ connections: 128 });
const server = createServer((incoming, outgoing) => {
  const url = incoming.url ?? '/';
  if (url === '/file') sendFile(outgoing);
  else
    forwardRequest([incoming, outgoing], sandbox.url + url, dispatcher).catch(() =>
      outgoing.destroy(),
    );
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  // A listening TCP server has an address with a port.
  const { port } = address as { port: number };
  const origin = `http://127.0.0.1:${port}`;
  const method = 'GET /attachments/token/{token}';
  sandbox.faults.add({ kind: 'redirect', method, to: `${origin}/file` });
  const here = (url: string) => origin + new URL(url).pathname;
  const { slack, zendeskSupport } = sandbox.urls;
  const ready = {
    slack: here(slack),
    zendeskSupport: here(zendeskSupport),
    fileOrigins: `${sandbox.url} ${origin}`,
  };
  serve(ready, () => {
    server.closeAllConnections();
    server.close();
    return Promise.all([sandbox.close(), dispatcher.close()]);
  });
});

function sendFile(outgoing: ServerResponse): void {
  outgoing.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': FILE_CHUNKS * FILE_CHUNK.length,
  });
  let left = FILE_CHUNKS;
  const sendSome = () => {
    while (left > 0) {
      left--;
      if (!outgoing.write(FILE_CHUNK)) return;
    }
    outgoing.end();
  };
  outgoing.on('drain', sendSome);
  sendSome();
}
