import { randomUUID } from 'node:crypto';
import { KINDS, type Clock } from '@patchbay/connectors';
import { systemClock } from '@patchbay/connectors/engine';
import { startSandbox, type Sandbox, type SandboxUrls } from '@patchbay/sandbox';
import {
  startService,
  type Service,
  type ServiceOptions,
  type UpstreamSettings,
} from '@patchbay/server';
import { openStore } from '@patchbay/store';
import { EMBEDDED } from '@patchbay/store/testing';
import { Patchbay, type ApplicationOptions, type TokenOptions } from '../../src/index.ts';

/** The real clock, and a hand to turn it forward. */
export interface TestClock extends Clock {
  advance(ms: number): void;
}

export function makeTestClock(): TestClock {
  let offsetMs = 0;
  return {
    now: () => Date.now() + offsetMs,
    monotonic: () => performance.now() + offsetMs,
    after: (ms, callback) => systemClock.after(ms, callback),
    advance: (ms) => {
      offsetMs += ms;
    },
  };
}

/** A clock that runs `factor` times as fast as the real one, timers included. */
export function makeFastClock(factor: number): Clock {
  const startedAt = Date.now();
  const zero = performance.now();
  return {
    now: () => startedAt + (performance.now() - zero) * factor,
    monotonic: () => performance.now() * factor,
    after: (ms, callback) => systemClock.after(ms / factor, callback),
  };
}

/** One request that a client sent, and what became of it. */
export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

/** A `fetch` that remembers what it sent. */
export interface WatchedFetch {
  readonly fetch: typeof fetch;
  readonly sent: SentRequest[];
  /** What it sent to paths with that ending, query left out. */
  to(pathEnding: string): readonly SentRequest[];
  /** Handles the next requests to such paths instead; the real `fetch` is the last argument. */
  instead: ((request: SentRequest, send: () => Promise<Response>) => Promise<Response>) | undefined;
}

export function watchFetch(): WatchedFetch {
  const sent: SentRequest[] = [];
  const watched: WatchedFetch = {
    sent,
    to: (ending) => sent.filter(({ path }) => (path.split('?')[0] ?? '').endsWith(ending)),
    instead: undefined,
    fetch: async (input, init) => {
      const { pathname, search } = new URL(input instanceof Request ? input.url : input);
      const request = {
        method: init?.method ?? 'GET',
        path: pathname + search,
        headers: new Headers(init?.headers),
        body: typeof init?.body === 'string' ? init.body : '',
      };
      sent.push(request);
      const send = () => fetch(input, init);
      return watched.instead === undefined ? send() : watched.instead(request, send);
    },
  };
  return watched;
}

/** A service with the sandbox behind it, and clients of it. */
export interface Hosted extends AsyncDisposable {
  readonly service: Service;
  readonly sandbox: Sandbox;
  readonly clock: TestClock;
  readonly credentials: { readonly clientId: string; readonly clientSecret: string };
  /** A client of an external user nobody else is, unless said. */
  client(options?: ApplicationOptions): Patchbay;
  /** A client with tokens that somebody else gets. */
  clientWithToken(options: TokenOptions): Patchbay;
  /** A scoped token, as a backend gets it. */
  mintToken(externalUserId: string): Promise<string>;
}

/** Which part of the sandbox stands for the upstream of a kind. */
export const UPSTREAM_OF: Readonly<Record<string, keyof SandboxUrls>> = {
  'chat-workspace': 'slack',
  'support-chat': 'zendeskChat',
  'customer-messaging': 'intercom',
  'support-ticketing': 'zendeskSupport',
};

/** It replicates nothing unless told to, so that tests have the upstream's faults for themselves. */
export async function startHosted(role: ServiceOptions['role'] = 'api'): Promise<Hosted> {
  const sandbox = await startSandbox();
  const place = await EMBEDDED.make();
  const store = await openStore(place.options);
  const clock = makeTestClock();
  const service = await startService({
    store,
    masterKey: new Uint8Array(32).fill(7),
    port: 0,
    clock,
    upstreams: upstreamsIn(sandbox),
    logger: { level: 'silent' },
    role,
  });
  const credentials = {
    clientId: `client-${randomUUID()}`,
    clientSecret: `secret-${randomUUID()}`,
  };
  await service.ensureFirstApplication(credentials);
  return {
    service,
    sandbox,
    clock,
    credentials,
    client: (options) =>
      new Patchbay({
        baseUrl: service.url,
        ...credentials,
        externalUserId: `user-${randomUUID()}`,
        clock,
        ...options,
      }),
    clientWithToken: (options) => new Patchbay({ baseUrl: service.url, clock, ...options }),
    mintToken: (externalUserId) => service.mintScopedToken({ externalUserId }),
    [Symbol.asyncDispose]: async () => {
      await service.close();
      await store.close();
      await sandbox.close();
      await place.remove();
    },
  };
}

/** A chat-workspace connector of the client's external user. */
export const TEAM_CHAT = {
  connector_type: 'chat-workspace',
  name: 'Team chat',
  credentials: { api_token: 'xoxb-test' },
  replication_config: {
    start_date: '2026-01-01T00:00:00Z',
    lookback_window: 7,
    join_channels: false,
  },
} as const;

function upstreamsIn(sandbox: Sandbox): UpstreamSettings {
  return Object.fromEntries(
    Object.keys(KINDS).map((kind) => {
      const part = UPSTREAM_OF[kind];
      if (part === undefined) throw new Error(`the sandbox has no upstream for ${kind}`);
      const fileOrigins = [new URL(sandbox.urls.zendeskFiles).origin];
      return [
        kind,
        { baseUrl: sandbox.urls[part], label: 'sandbox', limits: 'reactive', fileOrigins },
      ];
    }),
  );
}
