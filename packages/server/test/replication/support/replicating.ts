import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { ConnectorKind, KindName } from '@patchbay/connectors';
import { findKind } from '@patchbay/connectors/engine';
import { startSandbox, type Sandbox, type SandboxOptions } from '@patchbay/sandbox';
import { openStore, type EntitySync, type Store, type SyncRun } from '@patchbay/store';
import { CHOSEN_DATABASE, type TestDatabase, type TestPlace } from '@patchbay/store/testing';
import type { ReplicationSettings, ServiceOptions, UpstreamSettings } from '../../../src/index.ts';
import { textAt } from '../../support/http-client.ts';
import {
  connectorBody,
  startServiceOn,
  type TestGround,
  type TestService,
} from '../../support/start-test-service.ts';
import {
  assertCopies,
  copiedEntitiesOf,
  readCopy,
  readUpstream,
  type CopyContents,
} from './expected-copies.ts';

/** `npm run test:postgres` runs the same suites on a server, `npm run test:citus` on a cluster. */
export const DATABASE = CHOSEN_DATABASE;

/** Waits are short, but nothing is due by itself within a test. */
export const QUICK: Partial<ReplicationSettings> = {
  intervalMs: 3_600_000,
  firstRetryMs: 3_600_000,
  leaseTtlMs: 5_000,
  lookEveryMs: 100,
  patienceMs: 30_000,
  waits: { firstMs: 5, longestMs: 50 },
};

/** Messages before it are not copied; the sandbox's end with 2025. */
export const CHAT_SETTINGS = {
  start_date: '2025-12-01T00:00:00Z',
  lookback_window: 1,
  join_channels: false,
};

/** What connectors of a kind are made with in these tests. */
const ACCOUNTS: Readonly<
  Record<KindName, { credentials: Readonly<Record<string, string>>; replicationConfig?: unknown }>
> = {
  'chat-workspace': { credentials: { api_token: 'xoxb-test' }, replicationConfig: CHAT_SETTINGS },
  'support-chat': { credentials: { access_token: 'test' } },
  'customer-messaging': { credentials: { access_token: 'test' } },
  'support-ticketing': { credentials: { access_token: 'test' } },
};

/** A database and a sandbox that services come and go on. */
export interface ReplicationGround extends TestGround {
  readonly place: TestPlace;
}

/** A service that replicates, and what tests ask of it. */
export interface ReplicatingService extends TestService {
  /** Creates a connector and returns its id; its first sync begins at once. */
  create(kind: KindName, changes?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Asks for a sync and waits until it has ended. */
  sync(connectorId: string): Promise<SyncRun>;
  /** Waits until nothing is queued or running; the run that ended last. */
  settled(connectorId: string): Promise<SyncRun>;
  patch(connectorId: string, body: Readonly<Record<string, unknown>>): Promise<void>;
  status(connectorId: string): Promise<unknown>;
  entity(connectorId: string, entity: string): Promise<EntitySync>;
  copy(connectorId: string, kind: KindName, entity: string): Promise<CopyContents>;
  /** Asserts that all copies of a connector equal what the sandbox has now. */
  assertExact(connectorId: string, kind: KindName): Promise<void>;
}

export async function makeReplicationGround(
  database: TestDatabase,
  sandboxOptions: SandboxOptions = { scale: 30 },
): Promise<ReplicationGround> {
  const sandbox = await startSandbox(sandboxOptions);
  const place = await database.makeMigrated();
  const store = await openStore(place.options);
  return {
    sandbox,
    store,
    place,
    dataFolder: place.options.dataFolder ?? '',
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await sandbox.close();
      await place.remove();
    },
  };
}

/** The addresses of a sandbox, for all kinds; limits are what its answers say. */
export function upstreamsOf({ urls }: Pick<Sandbox, 'urls'>): UpstreamSettings {
  const limits = 'reactive' as const;
  return {
    'chat-workspace': { baseUrl: urls.slack, limits },
    'support-chat': { baseUrl: urls.zendeskChat, limits },
    'customer-messaging': { baseUrl: urls.intercom, limits },
    'support-ticketing': { baseUrl: urls.zendeskSupport, limits },
  };
}

/** Starts a service on a ground that outlives it. */
export async function startReplicating(
  ground: TestGround,
  options: Partial<ServiceOptions> = {},
): Promise<ReplicatingService> {
  const { store, sandbox } = ground;
  const upstreams = options.upstreams ?? upstreamsOf(sandbox);
  const running = await startServiceOn(ground, {
    role: 'all',
    quotas: { demandApartMs: 0 },
    ...options,
    upstreams,
    replication: { ...QUICK, ...options.replication },
  });
  const settled = (id: string) => waitUntilSettled(store, id);
  return {
    ...running,
    create: async (kind, changes = {}) => {
      const body = connectorBody({ connector_type: kind, ...bodyOf(kind), ...changes });
      const token = await running.applicationToken();
      const answer = await running.send('POST', '/v1/integrations/connectors', { token, body });
      assert.equal(answer.status, 201, answer.text);
      return textAt(answer, 'id');
    },
    sync: async (id) => {
      const token = await running.applicationToken();
      const answer = await running.send('POST', path(id, '/sync'), { token });
      assert.equal(answer.status, 202, answer.text);
      return settled(id);
    },
    settled,
    patch: async (id, body) => {
      const token = await running.applicationToken();
      const answer = await running.send('PATCH', path(id), { token, body });
      assert.equal(answer.status, 200, answer.text);
    },
    status: async (id) => {
      const token = await running.applicationToken();
      return textAt(await running.send('GET', path(id), { token }), 'status');
    },
    entity: (id, entity) => entityOf(store, id, entity),
    copy: (id, kind, entity) => readCopy(store, id, findKind(kind), entityNamed(kind, entity)),
    assertExact: async (id, kind) => {
      const expected = await readUpstream(accountOf(kind, sandbox));
      await assertCopies(store, id, findKind(kind), expected);
    },
  };
}

function path(id: string, more = ''): string {
  return `/v1/integrations/connectors/${id}${more}`;
}

/** The account of a kind in a sandbox, as connectors of these tests see it. */
export function accountOf(kind: KindName, sandbox: Pick<Sandbox, 'urls'>) {
  const baseUrl = upstreamsOf(sandbox)[kind]?.baseUrl ?? '';
  return { kind: findKind(kind), baseUrl, ...ACCOUNTS[kind] };
}

export async function entityOf(
  store: Pick<Store, 'syncs'>,
  connectorId: string,
  entity: string,
): Promise<EntitySync> {
  const [sync] = await store.syncs.entities(connectorId, [entity]);
  assert.ok(sync !== undefined);
  return sync;
}

export async function waitUntilSettled(
  store: Pick<Store, 'syncs'>,
  connectorId: string,
): Promise<SyncRun> {
  const ended = await poll(async () => {
    const { current, last } = await store.syncs.runs(connectorId);
    return current === undefined ? last : undefined;
  });
  return ended;
}

/** Asks until there is an answer; the test's own timeout is the end. */
export async function poll<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await wait(10);
  }
}

export function bodyOf(kind: KindName): Readonly<Record<string, unknown>> {
  const { credentials, replicationConfig } = ACCOUNTS[kind];
  return { credentials, replication_config: replicationConfig };
}

function entityNamed(kindName: KindName, name: string) {
  const kind: ConnectorKind = findKind(kindName);
  const entity = copiedEntitiesOf(kind).find((each) => each.name === name);
  assert.ok(entity !== undefined, `${kindName} has no copy of ${name}`);
  return entity;
}
