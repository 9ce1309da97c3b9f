import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { connectPageRoutes } from '../../../server/src/http/connect-page-routes.ts';
import type { Call } from '../../../server/src/http/route.ts';
import { loadStaticPage } from '../../../server/src/http/static-page.ts';
import type { ConnectPageSession } from '@patchbay/connectors/wire';
import { BUILT } from './build.ts';

type Json = Readonly<Record<string, unknown>>;

/** What the service says to a request of the page, instead of the session. */
export interface Said {
  readonly status: number;
  readonly body: unknown;
}

/** A connect session, which tests change while the page looks at it. */
export interface FakeSession {
  readonly secret: string;
  view: ConnectPageSession;
  /** The kind that consent was asked for; the page is not told before there is a connector. */
  consentTo: string;
  /** The browser that has opened it. */
  cookie: string | undefined;
  /** What becomes of credentials; unless said, they are good. */
  onCredentials: (entry: Json) => Said | Promise<Said>;
  /** Says something else to whoever reads the session. */
  instead: Said | undefined;
}

/** A request, as it came. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly referrer: string | undefined;
  readonly body: Json | undefined;
}

/**
 * The page as the service serves it, the routes that it calls, a vendor and an application. The last
 * two are of another site: what cookies and opener policies make of that is the browser's.
 */
export interface FakeService {
  readonly url: string;
  readonly elsewhere: string;
  readonly seen: readonly Seen[];
  /** No answer comes while this is set. */
  isAway: boolean;
  /** How the vendor keeps pages of other origins off itself. */
  vendorPolicy: string;
  addSession(view: ConnectPageSession): FakeSession;
  linkOf(session: FakeSession): string;
  close(): Promise<void>;
}

export async function startFakeService(): Promise<FakeService> {
  const routes = connectPageRoutes(await loadStaticPage(BUILT));
  const sessions = new Map<string, FakeSession>();
  const seen: Seen[] = [];

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = request.method === 'POST' ? await text(request) : undefined;
    const { method = '', url = '' } = request;
    seen.push({
      method,
      url,
      referrer: request.headers.referer,
      // The page sends JSON objects only; what it sends is what is tested.
      body: body === undefined ? undefined : (JSON.parse(body) as Json),
    });
    const { pathname, searchParams } = new URL(url, 'http://fake');
    const [, , area = '', id = '', part = ''] = pathname.split('/');
    if (service.isAway) response.destroy();
    else if (pathname === '/vendor') showVendor(response, searchParams);
    else if (pathname.startsWith('/application')) showApplication(response, searchParams);
    else if (pathname === '/connect/oauth/callback') receive(response, searchParams);
    else if (area === 'sessions') await answerPage(request, response, { id, part, body });
    else await serve(response, area === 'assets' ? id : undefined);
  };

  const serve = async (response: ServerResponse, file: string | undefined): Promise<void> => {
    const route = routes.find(({ path }) => path.endsWith(':file') === (file !== undefined));
    // The handlers of static files look at nothing but this.
    const call = { params: { file } } as unknown as Call;
    const said = await route?.handle(call);
    const sent = await said?.shared?.encodedFor(undefined);
    response
      .writeHead(said?.status ?? 404, { ...said?.headers, 'content-type': said?.type ?? '' })
      .end(sent?.bytes);
  };

  const answerPage = async (
    request: IncomingMessage,
    response: ServerResponse,
    asked: { readonly id: string; readonly part: string; readonly body: string | undefined },
  ): Promise<void> => {
    const entry = asked.body === undefined ? {} : (JSON.parse(asked.body) as Json);
    const session =
      asked.id === 'open'
        ? [...sessions.values()].find(({ secret }) => secret === entry['secret'])
        : sessions.get(asked.id);
    if (session === undefined)
      return say(response, problem(404, 'connect_session_not_found', 'There is no such session.'));
    const name = `__Host-patchbay-connect-${session.view.id}`;
    const isOwn =
      session.cookie !== undefined &&
      request.headers.cookie?.includes(`${name}=${session.cookie}`) === true;
    if (asked.id === 'open' && session.cookie === undefined) {
      session.cookie = randomBytes(8).toString('hex');
      response.setHeader(
        'set-cookie',
        `${name}=${session.cookie}; Path=/; Secure; HttpOnly; SameSite=Strict`,
      );
    } else if (!isOwn) return say(response, TAKEN);
    if (asked.part === 'credentials') return say(response, await session.onCredentials(entry));
    if (asked.part === 'consent') {
      session.view = { ...session.view, error: null };
      session.consentTo = String(entry['connector_type']);
      return say(response, {
        status: 200,
        body: { authorize_url: `${service.elsewhere}/vendor?state=${session.view.id}` },
      });
    }
    say(response, session.instead ?? { status: 200, body: session.view });
  };

  const showVendor = (response: ServerResponse, query: URLSearchParams): void => {
    const back = `${service.url}/connect/oauth/callback?state=${query.get('state') ?? ''}`;
    response
      .writeHead(200, {
        'content-type': 'text/html',
        'cross-origin-opener-policy': service.vendorPolicy,
      })
      .end(`<a href="${back}&code=1">Allow</a> <a href="${back}&error=access_denied">Deny</a>`);
  };

  const receive = (response: ServerResponse, query: URLSearchParams): void => {
    const session = sessions.get(query.get('state') ?? '');
    if (session !== undefined)
      session.view = query.has('error')
        ? {
            ...session.view,
            error: { code: 'access_denied', message: 'Whoever was asked did not allow it.' },
          }
        : {
            ...session.view,
            status: 'succeeded',
            connector_id: 'connector-1',
            connector_type: session.consentTo,
          };
    response.writeHead(303, { location: `/connect?session=${session?.view.id ?? ''}` }).end();
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // It listens on TCP, so it has a port.
  const { port } = server.address() as AddressInfo;
  const service: FakeService = {
    url: `http://127.0.0.1:${port}`,
    elsewhere: `http://localhost:${port}`,
    seen,
    isAway: false,
    vendorPolicy: 'unsafe-none',
    addSession: (view) => {
      const session: FakeSession = {
        secret: randomBytes(32).toString('base64url'),
        view,
        cookie: undefined,
        consentTo: '',
        instead: undefined,
        onCredentials: (entry) => {
          const type = String(entry['connector_type']);
          session.view = {
            ...session.view,
            status: 'succeeded',
            connector_type: type,
            connector_id: 'connector-1',
          };
          return { status: 200, body: session.view };
        },
      };
      sessions.set(view.id, session);
      return session;
    },
    linkOf: ({ secret }) => `${service.url}/connect#${secret}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return service;
}

/** A refusal in the words of the service. */
export function problem(
  status: number,
  code: string,
  detail: string,
  errors: readonly Json[] = [],
): Said {
  const retry = status > 500 ? 'backoff' : 'never';
  return { status, body: { code, title: detail, status, detail, message: detail, retry, errors } };
}

const TAKEN = problem(
  409,
  'connect_session_taken',
  'Another browser has opened this link first. Ask for a new one if that was not you.',
);

function say(response: ServerResponse, { status, body }: Said): void {
  const type = status < 400 ? 'application/json' : 'application/problem+json';
  response
    .writeHead(status, { 'content-type': type, 'cache-control': 'no-store' })
    .end(JSON.stringify(body));
}

/** Opens the page as a pop-up, and keeps what it is told. */
function showApplication(response: ServerResponse, query: URLSearchParams): void {
  const link = JSON.stringify(query.get('link') ?? '');
  response.writeHead(200, { 'content-type': 'text/html' }).end(
    `<button>Connect</button><script>
      window.told = [];
      addEventListener('message', ({ data, origin }) => told.push({ data, origin }));
      document.querySelector('button').onclick = () => open(${link}, 'connect', 'popup,width=480,height=640');
    </script>`,
  );
}
