import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startService, type TrialSettings, type UpstreamSettings } from '@patchbay/server';
import { openStore } from '@patchbay/store';
import { EMBEDDED } from '@patchbay/store/testing';
import { consentOptions, smallSandbox } from '../../../server/test/support/consent.ts';
import { BUILT } from './build.ts';

type Json = Readonly<Record<string, unknown>>;

const OPERATOR_KEY = 'operator-key-of-the-tests-0123456789';

/** As the command line hands it over with its sandbox. */
const TRIAL: TrialSettings = {
  externalUserId: 'demo-user',
  name: 'Sandbox Slack',
  credentials: { api_token: 'demo' },
  replicationConfig: {
    start_date: '2025-12-01T00:00:00Z',
    lookback_window: 0,
    join_channels: false,
  },
};

/** The service with the built page and the sandbox behind it, and an application of another site. */
export interface RealService {
  readonly url: string;
  /** A page of the application, to which people come back. */
  readonly application: string;
  /** What the application logs in with. */
  readonly credentials: { readonly client_id: string; readonly client_secret: string };
  readonly operatorKey: string;
  /** A link that signs in to the console, once, as a start on a terminal prints it. */
  makeConsoleLink(): string;
  /** Calls the API as the application. */
  call(method: string, path: string, body?: Json): Promise<Json>;
  /** Ends every grant that people have given at the vendors. */
  revokeGrants(): void;
  /** Has the upstreams take so long for each answer; calling what it returns ends that. */
  slowUpstreams(delayMs: number): () => void;
  /** Has their records come with fields that nobody knows; likewise. */
  sendUnknownFields(): () => void;
  /** Ends the service, and starts it anew at another port once something is done without it. */
  restart(meanwhile: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** @param pages.consolePageFolder The built console, to be served too. */
export async function startRealService(
  pages: { readonly consolePageFolder?: string } = {},
): Promise<RealService> {
  const sandbox = await smallSandbox();
  const place = await EMBEDDED.make();
  const store = await openStore(place.options);
  const { upstreams, ...options } = consentOptions(sandbox);
  const start = () =>
    startService({
      ...options,
      upstreams: withTrial(upstreams),
      store,
      masterKey: new Uint8Array(32).fill(7),
      port: 0,
      operatorKey: OPERATOR_KEY,
      connectPageFolder: BUILT,
      ...pages,
      logger: { level: 'silent' },
    });
  let service = await start();
  const application = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>The application</h1>');
  });
  await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
  const { clientId, clientSecret } = await service.ensureFirstApplication();
  const send = async (method: string, path: string, body: Json | undefined, token?: string) => {
    const response = await fetch(service.url + path, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    // All answers of the API are JSON objects.
    return JSON.parse(text) as Json;
  };
  if (clientSecret === undefined) throw new Error('A new application has a secret.');
  const credentials = { client_id: clientId, client_secret: clientSecret };
  const login = await send('POST', '/api/v1/account/applications/token', credentials);
  // It listens on TCP, so it has a port.
  const { port } = application.address() as AddressInfo;
  return {
    get url() {
      return service.url;
    },
    application: `http://localhost:${port}/connected`,
    credentials,
    operatorKey: OPERATOR_KEY,
    makeConsoleLink: () => {
      const link = service.makeConsoleLink();
      if (link === undefined) throw new Error('The console is not served.');
      return link;
    },
    call: (method, path, body) => send(method, path, body, String(login['access_token'])),
    revokeGrants: () => {
      for (const { id } of sandbox.oauth.grants()) sandbox.oauth.revoke(id);
    },
    slowUpstreams: (delayMs) => {
      const slowness = sandbox.faults.add({ kind: 'delay', delayMs });
      return () => slowness.release();
    },
    sendUnknownFields: () => {
      const fault = sandbox.faults.add({ kind: 'unknownFields' });
      return () => fault.release();
    },
    restart: async (meanwhile) => {
      await service.close();
      await meanwhile();
      service = await start();
    },
    close: async () => {
      application.closeAllConnections();
      application.close();
      await service.close();
      await store.close();
      await sandbox.close();
      await place.remove();
    },
  };
}

function withTrial(upstreams: UpstreamSettings = {}): UpstreamSettings {
  const slack = upstreams['chat-workspace'];
  return slack === undefined
    ? upstreams
    : { ...upstreams, 'chat-workspace': { ...slack, trial: TRIAL } };
}
