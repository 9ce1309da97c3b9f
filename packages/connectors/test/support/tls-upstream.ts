import { constants } from 'node:crypto';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { selfSigned } from './certificates.ts';

/** A server that speaks TLS, and how many requests have reached it. */
export interface TlsUpstream extends AsyncDisposable {
  readonly url: string;
  readonly requests: () => number;
}

/** Starts one; `answer` says what it does with the requests that come through. */
export async function startTlsUpstream(
  options: ServerOptions,
  answer: RequestListener = (_request, response) => void response.end('{"ok":true}'),
): Promise<TlsUpstream> {
  let requests = 0;
  const server = createServer(options, (request, response) => {
    requests += 1;
    answer(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // Proven: it listens on a port, not on a pipe.
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    requests: () => requests,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Of a server that can `showAnotherCertificate`: before TLS 1.3 one may ask for a handshake at any time. */
export const RENEGOTIATES: ServerOptions = {
  maxVersion: 'TLSv1.2',
  secureOptions:
    constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_SESSION_RESUMPTION_ON_RENEGOTIATION,
};

/** Has the request, then shows a certificate that nobody trusts, on the same connection. */
export const showAnotherCertificate: RequestListener = ({ socket }, response) => {
  if (!(socket instanceof TLSSocket)) throw new Error('no TLS');
  socket.setKeyCert(createSecureContext(selfSigned('127.0.0.1')));
  socket.renegotiate({ rejectUnauthorized: false }, () => response.end('{"ok":true}'));
};
