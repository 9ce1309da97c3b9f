import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

import { answerControl, CONTROL_PREFIX } from './control-api.ts';
import { send, serveExchange } from './exchange.ts';
import type { Exchange, ExchangeContext } from './exchange.ts';
import { FaultBoard } from './fault-board.ts';
import type { FaultControl } from './faults.ts';
import { IntercomApi } from './intercom/intercom-api.ts';
import { intercomConsent } from './intercom/oauth-app.ts';
import { RequestLog } from './request-log.ts';
import type { RequestLogEntry } from './request-log.ts';
import { sandboxOAuth } from './sandbox-oauth.ts';
import type { SandboxOAuth } from './sandbox-oauth.ts';
import { slackConsent } from './slack/oauth-app.ts';
import { SlackApi } from './slack/slack-api.ts';
import { GRANTED_SCOPES } from './slack/slack-methods.ts';
import type { Upstream, UpstreamAnswer, UpstreamCall } from './upstream.ts';
import { zendeskUpstreams } from './zendesk-upstreams.ts';

/** How a sandbox is started; every option has a default. */
export interface SandboxOptions {
  /** The address to listen on; `127.0.0.1` by default. */
  readonly host?: string;
  /** The port to listen on; 0, the default, takes any free one. */
  readonly port?: number;
  /** Selects the data: the same seed and scale give the same records; 1 by default. */
  readonly seed?: number;
  /** Users, contacts, tickets, chats: 10 to 1,000,000; the rest derives from it; 200 by default. */
  readonly scale?: number;
  /** `vendor` enforces the vendor's rate limits on the sandbox's clock; `off` by default. */
  readonly limits?: 'off' | 'vendor';
  /** Milliseconds since 1970, for new records and limits; `Date.now` by default. */
  readonly clock?: () => number;
  /** When the seeded data ends, in milliseconds since 1970; the start of 2026 by default. */
  readonly dataEndsAt?: number;
  /** How the Slack app is distributed, which its limits on reading messages follow; `internal`. */
  readonly slackDistribution?: 'internal' | 'distributed' | 'marketplace';
  /** How long OAuth access tokens live that expire at all; by default as long as the vendor's. */
  readonly tokenTtlSeconds?: number;
  /** Where OAuth consent may lead back to, besides any address on this machine. */
  readonly redirectUris?: readonly string[];
  /** Told of every request once it is answered (or cut). */
  readonly onRequest?: (entry: RequestLogEntry) => void;
}

/** Base URLs of the simulated services. */
export interface SandboxUrls {
  /** Takes the place of `https://slack.com/api`. */
  readonly slack: string;
  /** Takes the place of `https://api.intercom.io`. */
  readonly intercom: string;
  /** Takes the place of `https://{subdomain}.zendesk.com/api/v2`. */
  readonly zendeskSupport: string;
  /** Takes the place of `https://{subdomain}.zendesk.com/api/v2/chat`. */
  readonly zendeskChat: string;
  /** The host that Zendesk's attachments lead to: an origin of its own. */
  readonly zendeskFiles: string;
}

/** A running sandbox. */
export interface Sandbox {
  /** The origin, such as `http://127.0.0.1:40123`. */
  readonly url: string;
  /** Base URLs to use in place of the vendors' own. */
  readonly urls: SandboxUrls;
  readonly faults: FaultControl;
  /** The vendors' authorization servers: apps, people, consents and their renewals. */
  readonly oauth: SandboxOAuth;
  /** The last 1,000 requests, oldest first. */
  requests(): readonly RequestLogEntry[];
  resetRequests(): void;
  /** Stops at once: open connections are ended, also those with a request under way. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const MIN_SCALE = 10;
const MAX_SCALE = 1_000_000;
const DEFAULT_SCALE = 200;
const DEFAULT_SEED = 1;
const DEFAULT_DATA_ENDS_AT = Date.UTC(2026, 0, 1);
const MAX_BODY_BYTES = 1_048_576;
const KEEP_ALIVE_MS = 75_000;

/**
 * Starts the simulated upstreams on a real HTTP port.
 *
 * @throws RangeError when an option is out of range, before anything is opened.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = checkOptions(options);
  const closing = new AbortController();
  const board = new FaultBoard();
  const log = new RequestLog();
  const context: ExchangeContext = {
    board,
    log,
    clock: settings.clock,
    onRequest: options.onRequest,
    closing: closing.signal,
  };
  const server = newServer();
  const fileServer = newServer();
  const url = await listen(server, settings.host, settings.port);
  const zendeskFiles = await listen(fileServer, settings.host, 0);
  const zendesk = zendeskUpstreams({ ...settings, origin: url, fileHostUrl: zendeskFiles });
  const slack = new SlackApi(settings);
  const intercom = new IntercomApi({ ...settings, origin: url });
  const mounts = {
    slack: mount(slack, context),
    intercom: mount(intercom, context),
    // A request goes to the first mount whose path it begins with, so Chat, whose path begins with
    // Support's, stands before it.
    zendeskChat: mount(zendesk.chat.api, context),
    zendeskSupport: mount(zendesk.support.api, context),
  } satisfies Record<Exclude<keyof SandboxUrls, 'zendeskFiles'>, Mount>;
  const urls: SandboxUrls = {
    slack: `${url}${mounts.slack.basePath}`,
    intercom: `${url}${mounts.intercom.basePath}`,
    zendeskSupport: `${url}${mounts.zendeskSupport.basePath}`,
    zendeskChat: `${url}${mounts.zendeskChat.basePath}`,
    zendeskFiles,
  };
  const oauth = sandboxOAuth({
    slack: {
      server: slack.server,
      authorizeUrl: `${url}/slack/oauth/v2/authorize`,
      tokenUrl: `${urls.slack}/oauth.v2.access`,
      usualParams: { scope: GRANTED_SCOPES },
    },
    intercom: {
      server: intercom.server,
      authorizeUrl: `${urls.intercom}/oauth`,
      tokenUrl: `${urls.intercom}/auth/eagle/token`,
      usualParams: {},
    },
    zendeskChat: zendesk.chat.mounted,
    zendeskSupport: zendesk.support.mounted,
  });
  const describe = () => ({ seed: settings.seed, scale: settings.scale, urls });
  serve(server, [
    // Before the APIs whose paths theirs begin with.
    mount(slackConsent(slack.server), context),
    mount(intercomConsent(intercom.server), context),
    mount(zendesk.chat.oauth, context),
    mount(zendesk.chat.tokens, context),
    mount(zendesk.support.oauth, context),
    mount(zendesk.support.tokens, context),
    ...Object.values(mounts),
    mount(zendesk.fileAddresses, context),
  ]);
  serve(fileServer, [mount(zendesk.fileHost, context)]);

  function serve(on: Server, mounted: readonly Mount[]): void {
    on.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void answerRequest(request, response, mounted).catch((error: unknown) => {
        if (closing.signal.aborted || response.destroyed) return;
        return failLoudly(response, error);
      });
    });
  }

  async function answerRequest(
    request: IncomingMessage,
    response: ServerResponse,
    served: readonly Mount[],
  ): Promise<void> {
    const target = request.url ?? '/';
    const queryStart = target.indexOf('?');
    const path = queryStart === -1 ? target : target.slice(0, queryStart);
    const body = hasBody(request) ? await readBody(request) : NO_BODY;
    if (body === undefined) {
      const limit = String(MAX_BODY_BYTES);
      await send(response, plainText(413, `A request body may have at most ${limit} bytes.\n`));
      return;
    }
    const verb = request.method ?? 'GET';
    const contentType = request.headers['content-type'];
    if (path.startsWith(CONTROL_PREFIX)) {
      const controlPath = path.slice(CONTROL_PREFIX.length);
      await send(
        response,
        answerControl(
          { verb, path: controlPath, contentType, body },
          { board, log, oauth, describe },
        ),
      );
      return;
    }
    const mounted = served.find(
      ({ basePath }) => path === basePath || path.startsWith(`${basePath}/`),
    );
    if (mounted === undefined) {
      await send(
        response,
        plainText(404, `Nothing here. The simulated APIs: ${JSON.stringify(urls)}\n`),
      );
      return;
    }
    await mounted.serve({
      request: {
        verb,
        path: path.slice(mounted.basePath.length + 1),
        query: queryStart === -1 ? '' : target.slice(queryStart + 1),
        authorization: request.headers.authorization,
        contentType,
        headers: request.headers,
        body,
      },
      rawPath: path,
      rawHeaders: request.rawHeaders,
      response,
    });
  }

  async function close(): Promise<void> {
    if (closing.signal.aborted) return;
    closing.abort();
    board.close();
    await Promise.all([stop(server), stop(fileServer)]);
  }

  return {
    url,
    urls,
    faults: board,
    oauth,
    requests: () => log.list(),
    resetRequests: () => {
      log.clear();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

const NO_BODY = Buffer.alloc(0);

/** An upstream mounted at its path; the type of its calls is hidden from the server. */
interface Mount {
  readonly basePath: string;
  serve(exchange: Exchange): Promise<void>;
}

function mount<Call extends UpstreamCall>(
  upstream: Upstream<Call>,
  context: ExchangeContext,
): Mount {
  return {
    basePath: upstream.basePath,
    serve: (exchange) => serveExchange(upstream, exchange, context),
  };
}

function checkOptions(options: SandboxOptions) {
  const clock = options.clock ?? Date.now;
  const { tokenTtlSeconds, redirectUris = [] } = options;
  const settings = {
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
    seed: options.seed ?? DEFAULT_SEED,
    scale: options.scale ?? DEFAULT_SCALE,
    limits: options.limits ?? 'off',
    slackDistribution: options.slackDistribution ?? 'internal',
    clock,
    oauth: { clock, tokenTtlSeconds, redirectUris },
    dataEndsAt: options.dataEndsAt ?? DEFAULT_DATA_ENDS_AT,
  };
  const { scale, seed, dataEndsAt } = settings;
  if (!Number.isSafeInteger(scale) || scale < MIN_SCALE || scale > MAX_SCALE) {
    throw new RangeError(`scale must be a whole number from 10 to 1,000,000, not ${String(scale)}`);
  }
  if (!Number.isSafeInteger(seed) || seed < 0 || seed > 0xffff_ffff) {
    throw new RangeError(`seed must be a whole number from 0 to 4294967295, not ${String(seed)}`);
  }
  if (!Number.isSafeInteger(dataEndsAt) || dataEndsAt < Date.UTC(2015, 0, 1)) {
    throw new RangeError(
      `dataEndsAt must be milliseconds since 1970, of 2015 or later, not ${String(dataEndsAt)}`,
    );
  }
  if (
    tokenTtlSeconds !== undefined &&
    !(Number.isSafeInteger(tokenTtlSeconds) && tokenTtlSeconds > 0)
  ) {
    throw new RangeError(
      `tokenTtlSeconds must be a whole number from 1, not ${String(tokenTtlSeconds)}`,
    );
  }
  return settings;
}

function newServer(): Server {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
  // 0 is no limit: a client may send any number of requests over one connection.
  server.maxRequestsPerSocket = 0;
  return server;
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  // A string is the address of a pipe, and null that of a closed server; this one listens on TCP.
  if (address === null || typeof address === 'string') throw new Error('the sandbox has no port');
  const shownHost = host.includes(':') ? `[${host}]` : host;
  return `http://${shownHost}:${String(address.port)}`;
}

function hasBody(request: IncomingMessage): boolean {
  const { headers } = request;
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/**
 * Reads a body whole; undefined when it is larger than {@link MAX_BODY_BYTES}. Such a body is
 * still read to its end: cutting the connection could lose the refusal on its way to the client.
 */
function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) chunks = [];
      else chunks.push(chunk);
    });
    request.on('end', () => {
      const [only] = chunks;
      if (bytes > MAX_BODY_BYTES) resolve(undefined);
      else resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks));
    });
    request.on('error', reject);
  });
}

/** A mistake in the sandbox itself must not look like a simulated fault. */
async function failLoudly(response: ServerResponse, error: unknown): Promise<void> {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (response.headersSent) {
    response.destroy(error instanceof Error ? error : new Error(detail));
    return;
  }
  await send(
    response,
    plainText(500, `The sandbox itself failed; please report this.\n${detail}\n`),
  );
}

function plainText(status: number, text: string): UpstreamAnswer {
  return {
    status,
    headers: ['content-type', 'text/plain; charset=utf-8'],
    body: Buffer.from(text),
  };
}
