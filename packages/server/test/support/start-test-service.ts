import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after } from 'node:test';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { openStore, type Store } from '@patchbay/store';
import { CHOSEN_DATABASE, queryOnce } from '@patchbay/store/testing';
import { startService, type Service, type ServiceOptions } from '../../src/index.ts';
import { contractOf } from './contract.ts';
import { at, makeClient, textAt, type TestAnswer, type TestClient } from './http-client.ts';
import { makeLogSink, type LogSink } from './log-sink.ts';
import { makeTestClock, type TestClock } from './test-clock.ts';

export const MASTER_KEY = new Uint8Array(32).fill(7);

/** Of every test service, unless it is given another. */
export const OPERATOR_KEY = 'operator-key-of-the-test-services';

/** A service on a fresh database, with the sandbox behind it. */
export interface TestService extends AsyncDisposable {
  readonly service: Service;
  readonly sandbox: Sandbox;
  readonly store: Store;
  readonly dataFolder: string;
  readonly clock: TestClock;
  readonly log: LogSink;
  readonly client: { readonly clientId: string; readonly clientSecret: string };
  readonly send: TestClient;
  /** A token of the first application, new at each call. */
  applicationToken(): Promise<string>;
  scopedToken(
    externalUserId: string,
    options?: { readonly access?: 'read' | 'write'; readonly connectorIds?: readonly string[] },
  ): Promise<string>;
  /** Creates a connector and returns its id. */
  connector(token: string, changes?: Readonly<Record<string, unknown>>): Promise<string>;
  execute(
    token: string,
    connectorId: string,
    body: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<TestAnswer>;
}

/** The body of a create call in which nothing is missing. */
export function connectorBody(
  changes: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return {
    external_user_id: 'user-1',
    connector_type: 'chat-workspace',
    name: 'Team chat',
    credentials: { api_token: 'xoxb-test' },
    replication_config: {
      start_date: '2026-01-01T00:00:00Z',
      lookback_window: 7,
      join_channels: false,
    },
    ...changes,
  };
}

/** The database and the upstream that services of one test file share. */
export interface TestGround extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly store: Store;
  readonly dataFolder: string;
}

/** A ground with a way into its database. */
export interface OpenGround extends TestGround {
  /** Runs SQL beside the store, for what it has no method for, such as letting time pass. */
  query(sql: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
}

/** `npm run test:postgres` runs the same suites on a server, `npm run test:citus` on a cluster. */
const DATABASE = CHOSEN_DATABASE;

/** Makes a fresh database and a sandbox. */
export async function makeTestGround(): Promise<OpenGround> {
  const sandbox = await startSandbox();
  const place = await DATABASE.makeMigrated();
  const store = await openStore(place.options);
  return {
    sandbox,
    store,
    dataFolder: place.options.dataFolder ?? '',
    query: async (sql, values) => queryOnce(await place.connection(), sql, values),
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await sandbox.close();
      await place.remove();
    },
  };
}

/** Starts a service on a fresh ground; disposing of it ends both. */
export async function startTestService(
  options: Partial<ServiceOptions> = {},
): Promise<TestService> {
  const ground = await makeTestGround();
  const running = await startServiceOn(ground, options);
  return {
    ...running,
    [Symbol.asyncDispose]: async () => {
      await running[Symbol.asyncDispose]();
      await ground[Symbol.asyncDispose]();
    },
  };
}

/** A service for the tests of the suite around, or of the file: with a token, until they have ended. */
export async function useTestService(
  options?: Partial<ServiceOptions>,
): Promise<{ readonly running: TestService; readonly token: string }> {
  const running = await startTestService(options);
  after(() => running[Symbol.asyncDispose]());
  return { running, token: await running.applicationToken() };
}

/**
 * Starts a service on a ground that outlives it. It replicates nothing unless told to, so that tests
 * have the upstream and its faults for themselves.
 */
export async function startServiceOn(
  { sandbox, store, dataFolder }: TestGround,
  options: Partial<ServiceOptions> = {},
): Promise<TestService> {
  const clock = makeTestClock();
  const log = makeLogSink();
  const service = await startService({
    store,
    masterKey: MASTER_KEY,
    operatorKey: OPERATOR_KEY,
    port: 0,
    clock,
    upstreams: {
      'chat-workspace': { baseUrl: sandbox.urls.slack, label: 'sandbox', limits: 'reactive' },
    },
    logger: { level: 'debug', destination: log },
    // Syncs in the background would meet the faults, and be among the requests, of other tests.
    role: 'api',
    ...options,
  });
  const send = makeClient(service.url, contractOf(service.routes));
  const client = { clientId: `client-${randomUUID()}`, clientSecret: `secret-${randomUUID()}` };
  await service.ensureFirstApplication(client);
  const applicationToken = () => logIn(send, client);
  return {
    service,
    sandbox,
    store,
    dataFolder,
    clock,
    log,
    client,
    send,
    applicationToken,
    scopedToken: async (externalUserId, { access, connectorIds } = {}) => {
      const answer = await send('POST', '/api/v1/account/applications/scoped-token', {
        token: await applicationToken(),
        body: { external_user_id: externalUserId, access, connector_ids: connectorIds },
      });
      return textAt(answer, 'token');
    },
    connector: async (token, changes) => {
      const body = connectorBody(changes);
      const answer = await send('POST', '/v1/integrations/connectors', { token, body });
      assert.equal(answer.status, 201, answer.text);
      return textAt(answer, 'id');
    },
    execute: (token, connectorId, body, headers = {}) =>
      send('POST', `/api/v1/connectors/sources/${connectorId}/execute`, { token, body, headers }),
    [Symbol.asyncDispose]: () => service.close(),
  };
}

/** An application token for a client id and secret. */
export async function logIn(
  send: TestClient,
  client: { readonly clientId: string; readonly clientSecret: string },
): Promise<string> {
  const answer = await send('POST', '/api/v1/account/applications/token', {
    body: { client_id: client.clientId, client_secret: client.clientSecret },
  });
  return textAt(answer, 'access_token');
}

/** How often the sandbox was asked for a method. */
export function countOf(sandbox: Sandbox, method: string): number {
  return sandbox.requests().filter((entry) => entry.method === method).length;
}

/** How often it was asked for anything but whose credentials are, which the service learns by itself. */
export function callCount(sandbox: Sandbox): number {
  return sandbox.requests().length - countOf(sandbox, 'auth.test');
}

/** The id of a channel that messages can be posted to. */
export async function someChannel(
  test: Pick<TestService, 'execute'>,
  token: string,
  connectorId: string,
): Promise<string> {
  const answer = await test.execute(token, connectorId, {
    entity: 'channels',
    action: 'list',
    params: { limit: 200, exclude_archived: true, types: 'public_channel' },
  });
  const channels = at(answer, 'result');
  assert.ok(Array.isArray(channels), answer.text);
  const index = channels.findIndex((_, each) => at(answer, `result.${each}.is_member`) === true);
  return textAt(answer, `result.${index}.id`);
}
