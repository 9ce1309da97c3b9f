import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { startSandbox } from '@patchbay/sandbox';
import { Agent, request, type Dispatcher } from 'undici';
import { serve } from './serve.ts';

/**
 * One upstream with a large account and a small one, which tokens that begin with `small` reach.
 * Both give the conversations of the small account, since only contacts are searched.
 */
const large = await startSandbox({ scale: Number(process.env['BENCH_SCALE']) });
const small = await startSandbox({ scale: Number(process.env['BENCH_SMALL_SCALE']), seed: 2 });
const dispatcher = new Agent({ connections: 128 });

const server = createServer((incoming, outgoing) => {
  forward(incoming, outgoing).catch(() => outgoing.destroy());
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  // A listening TCP server has an address with a port.
  const { port } = address as { port: number };
  serve({ intercom: `http://127.0.0.1:${port}` }, () => {
    server.closeAllConnections();
    server.close();
    return Promise.all([large.close(), small.close(), dispatcher.close()]);
  });
});

async function forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { authorization, 'content-type': type, 'intercom-version': version } = incoming.headers;
  const url = incoming.url ?? '/';
  const isSmall = authorization?.startsWith('Bearer small') || url.startsWith('/conversations');
  const { intercom } = isSmall ? small.urls : large.urls;
  const chunks: Uint8Array[] = [];
  // Without an encoding a request is read in chunks of bytes.
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  const answer = await request(`${intercom}${url}`, {
    dispatcher,
    // Node's servers always set the method, and undici can send each one that they take.
    method: incoming.method as Dispatcher.HttpMethod,
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(typeof version === 'string' ? { 'intercom-version': version } : {}),
    },
    body: chunks.length === 0 ? null : Buffer.concat(chunks),
  });
  const answeredType = answer.headers['content-type'];
  outgoing.writeHead(answer.statusCode, {
    'content-type': typeof answeredType === 'string' ? answeredType : 'application/json',
  });
  outgoing.end(Buffer.from(await answer.body.arrayBuffer()));
}
