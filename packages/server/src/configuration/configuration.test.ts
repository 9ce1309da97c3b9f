import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { readConfiguration } from './configuration.ts';
import { ServiceError } from '../service-error.ts';

test('without any variable, everything has a default', () => {
  assert.deepEqual(readConfiguration({}), {
    host: '127.0.0.1',
    port: 8080,
    databaseUrl: undefined,
    connections: {},
    dataFolder: resolve('data'),
    masterKey: {
      from: 'file',
      path: resolve('data.key'),
      mayCreate: true,
      isNamedByOperator: false,
    },
    oldMasterKey: undefined,
    operatorKey: {
      from: 'file',
      path: resolve('data.operator.key'),
      mayCreate: true,
      isNamedByOperator: false,
    },
    upstreams: {},
    distributions: {},
    oauthApps: {},
    publicUrl: undefined,
    quotas: {},
    limits: {},
    trustedProxies: undefined,
    metrics: { port: undefined, token: undefined },
    logLevel: 'info',
    role: 'all',
    drainMs: 0,
    renews: true,
    replication: {},
    client: undefined,
  });
  assert.deepEqual(readConfiguration({ PORT: '', HOST: '' }), readConfiguration({}));
});

test('every variable is read', () => {
  const key = Buffer.alloc(32, 9);
  const configuration = readConfiguration({
    HOST: '0.0.0.0',
    PORT: '0',
    DATABASE_URL: 'postgres://x',
    PATCHBAY_CONNECTIONS_CALLS: '10',
    PATCHBAY_CONNECTIONS_REPLICATION: '3',
    PATCHBAY_DATA: '/srv/data',
    PATCHBAY_MASTER_KEY: key.toString('base64'),
    PATCHBAY_UPSTREAM_URL_CHAT_WORKSPACE: 'http://127.0.0.1:9/api',
    PATCHBAY_UPSTREAM_LIMITS_CHAT_WORKSPACE: '0.5',
    PATCHBAY_OAUTH_CHAT_WORKSPACE_DISTRIBUTION: 'distributed',
    PATCHBAY_RATE_LIMIT: '600',
    PATCHBAY_SEARCHES_AT_ONCE_PER_USER: '7',
    PATCHBAY_MAX_CONNECTORS_PER_USER: '5',
    PATCHBAY_DOWNLOADS_PER_CONNECTOR: '4',
    PATCHBAY_UNREAD_MIB_PER_CALLER: '2',
    PATCHBAY_UNREAD_MIB: '3',
    PATCHBAY_LOG_LEVEL: 'warn',
    PATCHBAY_ROLE: 'worker',
    PATCHBAY_DRAIN_SECONDS: '15',
    PATCHBAY_RENEWAL: 'off',
    PATCHBAY_PUBLIC_URL: 'https://patchbay.example.com/',
    PATCHBAY_OAUTH_SUPPORT_TICKETING_CLIENT_ID: 'app',
    PATCHBAY_OAUTH_SUPPORT_TICKETING_CLIENT_SECRET: 'app-secret',
    PATCHBAY_OAUTH_SUPPORT_TICKETING_SCOPES: 'read, tickets:write',
    PATCHBAY_OAUTH_SUPPORT_TICKETING_SUBDOMAIN: 'acme',
    PATCHBAY_SYNC_INTERVAL_MINUTES: '5',
    PATCHBAY_SYNC_CONCURRENCY: '2',
    PATCHBAY_CLIENT_ID: 'me',
    PATCHBAY_CLIENT_SECRET: 'x'.repeat(32),
  });
  assert.equal(configuration.port, 0);
  assert.equal(configuration.drainMs, 15_000);
  assert.equal(configuration.renews, false);
  assert.equal(configuration.publicUrl, 'https://patchbay.example.com');
  assert.deepEqual(configuration.oauthApps, {
    'support-ticketing': {
      clientId: 'app',
      clientSecret: 'app-secret',
      scopes: ['read', 'tickets:write'],
      subdomain: 'acme',
    },
  });
  assert.deepEqual(configuration.masterKey, { from: 'environment', key });
  assert.deepEqual(configuration.upstreams, {
    'chat-workspace': { baseUrl: 'http://127.0.0.1:9/api', label: 'custom', limits: 0.5 },
  });
  assert.deepEqual(configuration.distributions, { 'chat-workspace': 'distributed' });
  assert.deepEqual(configuration.connections, { calls: 10, replication: 3 });
  assert.deepEqual(configuration.quotas, { connectorsPerUser: 5 });
  assert.deepEqual(configuration.limits, {
    callsPerMinute: 600,
    searchesOfUser: 7,
    downloadsOfConnector: 4,
    unreadBytesOfCaller: 2_097_152,
    unreadBytes: 3_145_728,
  });
  assert.equal(configuration.role, 'worker');
  assert.deepEqual(configuration.replication, { intervalMs: 300_000, concurrency: 2 });
  assert.deepEqual(configuration.client, { clientId: 'me', clientSecret: 'x'.repeat(32) });
});

test('every fault is told at once, and no secret is quoted', () => {
  assert.throws(
    () =>
      readConfiguration({
        PORT: '70000',
        DATABASE_URL: 'postgres://user:planted@host',
        PATCHBAY_UPSTREAM_URL_CHAT_WORKSPACE: 'ftp://x',
        PATCHBAY_UPSTREAM_URL_CHAT_WORKSPCE: 'http://x',
        PATCHBAY_UPSTREAM_LIMITS_CHAT_WORKSPACE: 'none',
        PATCHBAY_UPSTREAM_URL_SUPPORT_CHAT: 'https://{tenant}.example.com',
        PATCHBAY_UPSTREAM_URL_SUPPORT_TICKETING: 'https://:planted@example.com',
        PATCHBAY_OAUTH_CHAT_WORKSPACE_DISTRIBUTION: 'public',
        PATCHBAY_OAUTH_SUPPORT_CHAT_DISTRIBUTION: 'internal',
        PATCHBAY_PUBLIC_URL: 'http://patchbay.example.com',
        PATCHBAY_OAUTH_CHAT_WORKSPACE_CLIENT_SECRET: 'planted',
        PATCHBAY_OAUTH_CHAT_WORKSPACE_SUBDOMAIN: 'acme',
        PATCHBAY_OAUTH_SUPPORT_CHAT_CLIENT_ID: 'app',
        PATCHBAY_OAUTH_SUPPORT_CHAT_SCOPES: ',',
        PATCHBAY_OAUTH_SUPPORT_CHT_CLIENT_ID: 'app',
        PATCHBAY_RATE_LIMIT: '-1',
        PATCHBAY_MAX_CONNECTORS_PER_APPLICATION: '0',
        PATCHBAY_UNREAD_MIB: '0',
        PATCHBAY_LOG_LEVEL: 'loud',
        PATCHBAY_ROLE: 'worker,api',
        PATCHBAY_SYNC_INTERVAL_MINUTES: '0',
        PATCHBAY_SYNC_CONCURRENCY: '1.5',
        PATCHBAY_CLIENT_SECRET: 'planted',
      }),
    (error) => {
      assert.ok(error instanceof ServiceError);
      const lines = error.message.split('\n').slice(1);
      assert.deepEqual(lines.map((line) => line.split(' ')[1] ?? '').toSorted(byText), [
        'PATCHBAY_CLIENT_ID',
        'PATCHBAY_CLIENT_SECRET',
        'PATCHBAY_LOG_LEVEL',
        'PATCHBAY_MASTER_KEY',
        'PATCHBAY_MAX_CONNECTORS_PER_APPLICATION',
        'PATCHBAY_OAUTH_CHAT_WORKSPACE_CLIENT_ID',
        'PATCHBAY_OAUTH_CHAT_WORKSPACE_DISTRIBUTION',
        'PATCHBAY_OAUTH_CHAT_WORKSPACE_SUBDOMAIN',
        'PATCHBAY_OAUTH_SUPPORT_CHAT_CLIENT_SECRET',
        'PATCHBAY_OAUTH_SUPPORT_CHAT_DISTRIBUTION',
        'PATCHBAY_OAUTH_SUPPORT_CHAT_SCOPES',
        'PATCHBAY_OAUTH_SUPPORT_CHT_CLIENT_ID',
        'PATCHBAY_PUBLIC_URL',
        'PATCHBAY_RATE_LIMIT',
        'PATCHBAY_ROLE',
        'PATCHBAY_SYNC_CONCURRENCY',
        'PATCHBAY_SYNC_INTERVAL_MINUTES',
        'PATCHBAY_UNREAD_MIB',
        'PATCHBAY_UPSTREAM_LIMITS_CHAT_WORKSPACE',
        'PATCHBAY_UPSTREAM_URL_CHAT_WORKSPACE',
        'PATCHBAY_UPSTREAM_URL_CHAT_WORKSPCE',
        'PATCHBAY_UPSTREAM_URL_SUPPORT_CHAT',
        'PATCHBAY_UPSTREAM_URL_SUPPORT_TICKETING',
        'PORT',
      ]);
      assert.ok(!error.message.includes('planted'));
      return true;
    },
  );
});

test("the operator's key is given, or in a file; with a server nobody makes one", () => {
  const operatorKey = 'k'.repeat(32);
  const server = { DATABASE_URL: 'postgres://x', PATCHBAY_MASTER_KEY: 'x'.repeat(32) };
  assert.equal(keyOf(server), undefined);
  assert.deepEqual(keyOf({ ...server, PATCHBAY_OPERATOR_KEY: ` ${operatorKey}\n` }), {
    from: 'environment',
    key: operatorKey,
  });
  const file = { from: 'file', path: '/run/key', mayCreate: false, isNamedByOperator: true };
  assert.deepEqual(keyOf({ ...server, PATCHBAY_OPERATOR_KEY_FILE: '/run/key' }), file);
  assert.deepEqual(keyOf({ PATCHBAY_OPERATOR_KEY_FILE: '/run/key' }), file);
  for (const wrong of ['k'.repeat(31), `${operatorKey}.`, `${operatorKey} ${operatorKey}`])
    assert.throws(() => keyOf({ PATCHBAY_OPERATOR_KEY: wrong }), {
      message: new RegExp(`PATCHBAY_OPERATOR_KEY must be 32(?!.*${operatorKey})`),
    });
  const both = { PATCHBAY_OPERATOR_KEY: operatorKey, PATCHBAY_OPERATOR_KEY_FILE: '/run/key' };
  assert.throws(() => keyOf(both), /exclude each other/);
  assert.throws(() => keyOf({ PATCHBAY_OPERATOR_KEY_FILE: '/srv/data/key' }), /outside the data/);
});

const metricsOf = (env: Readonly<Record<string, string>>) => readConfiguration(env).metrics;

test('metrics have a port, a token, or neither', () => {
  assert.deepEqual(metricsOf({}), { port: undefined, token: undefined });
  const token = 'm'.repeat(32);
  assert.deepEqual(metricsOf({ PATCHBAY_METRICS_PORT: '9464', PATCHBAY_METRICS_TOKEN: token }), {
    port: 9464,
    token: { from: 'environment', token },
  });
  assert.deepEqual(metricsOf({ PATCHBAY_METRICS_TOKEN_FILE: '/run/token' }).token, {
    from: 'file',
    path: '/run/token',
  });
  const wrong = `${token}.`;
  assert.throws(() => metricsOf({ PATCHBAY_METRICS_TOKEN: wrong }), {
    message: new RegExp(`PATCHBAY_METRICS_TOKEN must be 32(?!.*${token})`),
  });
  const both = { PATCHBAY_METRICS_TOKEN: token, PATCHBAY_METRICS_TOKEN_FILE: '/run/token' };
  assert.throws(() => metricsOf(both), /exclude each other/);
  assert.throws(() => metricsOf({ PATCHBAY_METRICS_PORT: '65536' }), /PATCHBAY_METRICS_PORT must/);
});

test('a key file lies outside the data folder, and excludes a key', () => {
  const data = { PATCHBAY_DATA: '/srv/data' };
  const inside = { ...data, PATCHBAY_MASTER_KEY_FILE: '/srv/data/key' };
  assert.throws(() => readConfiguration(inside), /outside/);
  const both = { PATCHBAY_MASTER_KEY_FILE: '/x', PATCHBAY_MASTER_KEY: 'y'.repeat(32) };
  assert.throws(() => readConfiguration(both), /exclude/);
  assert.throws(() => readConfiguration({ PATCHBAY_MASTER_KEY: 'planted' }), /32 random bytes/);
  const old = { PATCHBAY_OLD_MASTER_KEY_FILE: '/x' };
  assert.deepEqual(readConfiguration(old).oldMasterKey, {
    from: 'file',
    path: '/x',
    mayCreate: false,
    isNamedByOperator: true,
  });
  const bothOld = { ...old, PATCHBAY_OLD_MASTER_KEY: 'y'.repeat(32) };
  assert.throws(() => readConfiguration(bothOld), /OLD_MASTER_KEY and .* exclude/);
  assert.throws(() => readConfiguration({ PATCHBAY_OLD_MASTER_KEY: 'planted' }), /32 random bytes/);
  const server = { DATABASE_URL: 'postgres://x', PATCHBAY_MASTER_KEY_FILE: '/run/secrets/key' };
  assert.deepEqual(readConfiguration(server).masterKey, {
    from: 'file',
    path: '/run/secrets/key',
    mayCreate: false,
    isNamedByOperator: true,
  });
});

test('trusted proxies are a count, or addresses and networks', () => {
  assert.equal(trustedProxiesOf('2'), 2);
  assert.deepEqual(trustedProxiesOf('10.0.0.0/8, 192.168.1.7,fd00::/8'), [
    '10.0.0.0/8',
    '192.168.1.7',
    'fd00::/8',
  ]);
  assert.deepEqual(trustedProxiesOf('::ffff:10.0.0.0/104'), ['::ffff:10.0.0.0/104']);
  for (const wrong of [
    '0',
    '10',
    'true',
    '*',
    '10.0.0.0/33',
    '0.0.0.0/0',
    '::/1',
    '::ffff:0:0/96',
    'proxy.example.com',
    ',',
  ])
    assert.throws(() => trustedProxiesOf(wrong), /PATCHBAY_TRUSTED_PROXIES must be/, wrong);
});

test('an embedded database is for one process, which has both roles', () => {
  for (const role of ['api', 'worker'])
    assert.throws(() => readConfiguration({ PATCHBAY_ROLE: role }), /DATABASE_URL/);
});

function trustedProxiesOf(text: string): unknown {
  return readConfiguration({ PATCHBAY_TRUSTED_PROXIES: text }).trustedProxies;
}

function byText(a: string, b: string): number {
  return a < b ? -1 : 1;
}

function keyOf(variables: Readonly<Record<string, string>>) {
  return readConfiguration({ PATCHBAY_DATA: '/srv/data', ...variables }).operatorKey;
}
