import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { startSandbox } from '@patchbay/sandbox';
import { Agent } from 'undici';
import { forwardRequest } from './forward-request.ts';
import { serve } from './serve.ts';

/**
 * One upstream with a large account, a small one, which tokens that begin with `small` reach, and one
 * of a million contacts for those that begin with `huge`. All give the conversations of the small
 * account, since only contacts are searched. What comes with `hang` is never answered.
 */
const large = await startSandbox({ scale: Number(process.env['BENCH_SCALE']) });
const small = await startSandbox({ scale: Number(process.env['BENCH_SMALL_SCALE']), seed: 2 });
const huge = await startSandbox({ scale: 1_000_000, seed: 3 });
const dispatcher = new Agent({ connections: 128 });

const server = createServer((incoming, outgoing) => {
  const url = incoming.url ?? '/';
  const account = accountOf(incoming.headers.authorization ?? '', url);
  if (account === undefined) return;
  forward(incoming, outgoing, account.urls.intercom + url);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  // A listening TCP server has an address with a port.
  const { port } = address as { port: number };
  serve({ intercom: `http://127.0.0.1:${port}` }, () => {
    server.closeAllConnections();
    server.close();
    return Promise.all([large.close(), small.close(), huge.close(), dispatcher.close()]);
  });
});

function accountOf(authorization: string, url: string) {
  if (authorization.startsWith('Bearer hang')) return undefined;
  if (authorization.startsWith('Bearer small') || url.startsWith('/conversations')) return small;
  return authorization.startsWith('Bearer huge') ? huge : large;
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, url: string): void {
  forwardRequest([incoming, outgoing], url, dispatcher).catch(() => outgoing.destroy());
}
