/**
 * Writes `version-0.1.sql.gz`, a small database as version 0.1 left it. It is run in a checkout of that
 * version, with this file copied into it at the same place:
 *
 *     git worktree add --detach ../old a7ef452 && cd ../old && npm ci
 *     createdb old && node --conditions=patchbay-source \
 *       packages/server/test/upgrade/make-old-database.ts postgres://postgres@127.0.0.1:5432/old FILE
 *
 * Its secrets were made for it, and open nothing but it.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { setTimeout as wait } from 'node:timers/promises';
import { startSandbox } from '@patchbay/sandbox';
import { openStore } from '@patchbay/store';
import { startService } from '../../src/index.ts';

const [databaseUrl = '', file = ''] = process.argv.slice(2);
const sandbox = await startSandbox({ scale: 10 });
const store = await openStore({ databaseUrl });
const masterKey = randomBytes(32);
const client = { clientId: 'client-of-0.1', clientSecret: 'a-made-up-secret-of-version-0.1-' };
const service = await startService({
  store,
  masterKey,
  port: 0,
  upstreams: {
    'chat-workspace': { baseUrl: sandbox.urls.slack, label: 'sandbox', limits: 'reactive' },
  },
  logger: { level: 'silent' },
  role: 'all',
});
await service.ensureFirstApplication(client);

const post = async (
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
) => {
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
};

const login = await post('/api/v1/account/applications/token', {
  client_id: client.clientId,
  client_secret: client.clientSecret,
});
const token = String(login['access_token']);
const authorization = `Bearer ${token}`;
const scoped = await post(
  '/api/v1/account/applications/scoped-token',
  { external_user_id: 'user-1' },
  { authorization },
);
const connector = await post(
  '/v1/integrations/connectors',
  {
    external_user_id: 'user-1',
    connector_type: 'slack',
    name: 'Made by 0.1',
    credentials: { api_token: 'demo-of-0.1' },
    replication_config: {
      start_date: '2025-12-20T00:00:00Z',
      lookback_window: 0,
      join_channels: false,
    },
  },
  { authorization },
);
const id = String(connector['id']);
for (;;) {
  const { current, last } = await store.syncs.runs(id);
  if (current === undefined && last !== undefined) {
    if (last.state !== 'succeeded') throw new Error(`the sync has ${last.state}`);
    break;
  }
  await wait(50);
}
const execute = (body: unknown, headers = {}) =>
  post(`/api/v1/connectors/sources/${id}/execute`, body, { authorization, ...headers });
const search = {
  entity: 'users',
  action: 'search',
  params: { query: { filter: { not: { eq: { id: '' } } }, sort: [{ id: 'asc' }] }, limit: 100 },
};
const found = await execute(search);
const channels = await execute({ entity: 'channels', action: 'list', params: { limit: 1 } });
const [channel] = channels['result'] as readonly { readonly id: string }[];
const write = {
  entity: 'messages',
  action: 'create',
  params: { channel: channel?.id, text: 'Posted by 0.1' },
};
const written = await execute(write, { 'idempotency-key': 'key-of-0.1' });
// What a write makes known is copied, too.
await wait(2_000);
await service.close();
await store.close();
await sandbox.close();

const facts = {
  madeAt: new Date().toISOString(),
  masterKey: masterKey.toString('base64'),
  client,
  token,
  scopedToken: scoped['token'],
  connectorId: id,
  search,
  found: found['result'],
  write,
  written: written['result'],
};
/** Lines for no program but psql. */
const PSQL_ONLY = /^\\(un)?restrict .*\n/gm;
const dump = execFileSync(
  'pg_dump',
  ['--no-owner', '--no-privileges', '--inserts', '--rows-per-insert=100', databaseUrl],
  { encoding: 'utf8', maxBuffer: 2 ** 28 },
);
writeFileSync(
  file,
  gzipSync(`-- ${JSON.stringify(facts)}\n${dump.replaceAll(PSQL_ONLY, '')}`, { level: 9 }),
);
