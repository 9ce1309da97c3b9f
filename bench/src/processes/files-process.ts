import { createServer, type ServerResponse } from 'node:http';
import { serve } from './serve.ts';

/**
 * Serves one file, larger than all buffers between it and who reads it. Its process does nothing
 * else: what sending costs here is taken from no one whose calls are measured.
 */
const FILE_CHUNKS = 4_096;
const FILE_CHUNK = Buffer.alloc(65_536, 'patchbay ');

const server = createServer((_, outgoing) => sendFile(outgoing));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  // A listening TCP server has an address with a port.
  const { port } = address as { port: number };
  serve({ origin: `http://127.0.0.1:${port}` }, () => {
    server.closeAllConnections();
    server.close();
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
