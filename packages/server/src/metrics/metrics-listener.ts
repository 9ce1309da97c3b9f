import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { RequestInPieces } from '../request-in-pieces.ts';
import { whenItsTurn } from '../pipeline.ts';
import type { Logger } from '../log.ts';
import { ServiceError } from '../service-error.ts';
import { METRICS_TYPE, type Metrics } from './metrics.ts';
import { bringsToken } from './metrics-token.ts';

interface MetricsListenerParts {
  readonly metrics: Pick<Metrics, 'text'>;
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** Without one, whoever reaches the port reads the metrics. */
  readonly token: string | undefined;
  readonly logger: Logger;
}

/** A port of its own, on which there is nothing but `/metrics`. */
export interface MetricsListener {
  /** For example `http://127.0.0.1:9464/metrics`. */
  readonly url: string;
  /** Cuts whoever is still reading. */
  close(): Promise<void>;
}

/** Whoever scrapes sends next to nothing, and at once. */
const REQUEST_TIMEOUT_MS = 5_000;
/** A connection on which nothing moves is closed, also where its client does not read. */
const IDLE_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 64;

/** @throws ServiceError `address_unusable`. */
export async function startMetricsListener(parts: MetricsListenerParts): Promise<MetricsListener> {
  const { host, port, logger } = parts;
  const options = { requestTimeout: REQUEST_TIMEOUT_MS, IncomingMessage: RequestInPieces };
  const server = createServer(options, (request, response) => {
    request.boundAsStrangers();
    whenItsTurn(request, response, () => {
      answer(parts, request, response).catch((err: unknown) => {
        logger.error({ err }, 'The metrics could not be told.');
        if (!response.headersSent) response.statusCode = 500;
        response.end();
      });
    });
  });
  server.setTimeout(IDLE_TIMEOUT_MS);
  server.maxConnections = MAX_CONNECTIONS;
  const address = await listen(server, host, port);
  // Too many open files, say: those that come later are taken.
  server.on('error', (err) => logger.error({ err }, 'A connection could not be taken.'));
  const shown = address.includes(':') ? `[${address}]` : address;
  return {
    url: `http://${shown}:${portOf(server)}/metrics`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function answer(
  { metrics, token }: MetricsListenerParts,
  { method, url, headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const isAsked = (method === 'GET' || method === 'HEAD') && url?.split('?')[0] === '/metrics';
  if (!isAsked || (token !== undefined && !bringsToken(headers.authorization, token))) {
    response.writeHead(404).end();
    return;
  }
  const text = await metrics.text();
  response.writeHead(200, { 'content-type': METRICS_TYPE, 'cache-control': 'no-store' }).end(text);
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return host;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServiceError(
      'address_unusable',
      `Cannot listen on ${host} port ${port} for metrics (${reason}); HOST and PATCHBAY_METRICS_PORT choose another address.`,
      { cause: error },
    );
  }
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address === 'object' && address !== null) return address.port;
  throw new Error('a listening server has no port');
}
