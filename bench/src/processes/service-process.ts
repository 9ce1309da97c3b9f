import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '@patchbay/server';
import { openStore } from '@patchbay/store';
import { serve } from './serve.ts';

/** The whole service on its embedded database, with one connector to the given upstream. */
const folder = await mkdtemp(join(tmpdir(), 'patchbay-bench-'));
const store = await openStore({ dataFolder: folder });
const service = await startService({
  store,
  masterKey: randomBytes(32),
  port: 0,
  upstreams: {
    'chat-workspace': { baseUrl: process.env['BENCH_UPSTREAM'] ?? '', limits: 'reactive' },
  },
});
await service.ensureFirstApplication();
const token = await service.mintScopedToken({ externalUserId: 'bench' });
const connectorId = await createConnector();
serve(
  {
    execute: `${service.url}/api/v1/connectors/sources/${connectorId}/execute`,
    sync: `${service.url}/v1/integrations/connectors/${connectorId}/sync/events`,
    token,
  },
  async () => {
    await service.close();
    await store.close();
    await rm(folder, { recursive: true });
  },
);

async function createConnector(): Promise<string> {
  const answer = await fetch(`${service.url}/v1/integrations/connectors`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({
      external_user_id: 'bench',
      connector_type: 'chat-workspace',
      name: 'Bench',
      credentials: { api_token: 'bench' },
      replication_config: {
        start_date: '2026-01-01T00:00:00Z',
        lookback_window: 0,
        join_channels: false,
      },
    }),
  });
  // The service answers 201 with the connector.
  return ((await answer.json()) as { id: string }).id;
}
