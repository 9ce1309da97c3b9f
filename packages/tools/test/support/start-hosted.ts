import { randomUUID } from 'node:crypto';
import { Patchbay, type ApplicationOptions } from '@patchbay/client';
import type { KindName } from '@patchbay/connectors';
import { startSandbox, type Sandbox, type SandboxUrls } from '@patchbay/sandbox';
import { startService, type Service } from '@patchbay/server';
import { openStore } from '@patchbay/store';
import { EMBEDDED } from '@patchbay/store/testing';

/** A service that replicates, with the sandbox behind it, and clients of it. */
export interface Hosted extends AsyncDisposable {
  readonly service: Service;
  readonly sandbox: Sandbox;
  readonly credentials: { readonly clientId: string; readonly clientSecret: string };
  client(options?: ApplicationOptions): Patchbay;
}

const UPSTREAM_OF: Readonly<Record<KindName, keyof SandboxUrls>> = {
  'chat-workspace': 'slack',
  'support-chat': 'zendeskChat',
  'customer-messaging': 'intercom',
  'support-ticketing': 'zendeskSupport',
};

export async function startHosted(): Promise<Hosted> {
  const sandbox = await startSandbox();
  const place = await EMBEDDED.make();
  const store = await openStore(place.options);
  const fileOrigins = [new URL(sandbox.urls.zendeskFiles).origin];
  const service = await startService({
    store,
    masterKey: new Uint8Array(32).fill(7),
    port: 0,
    upstreams: Object.fromEntries(
      Object.entries(UPSTREAM_OF).map(([kind, part]) => [
        kind,
        { baseUrl: sandbox.urls[part], label: 'sandbox', limits: 'reactive', fileOrigins },
      ]),
    ),
    logger: { level: 'silent' },
  });
  const credentials = {
    clientId: `client-${randomUUID()}`,
    clientSecret: `secret-${randomUUID()}`,
  };
  await service.ensureFirstApplication(credentials);
  return {
    service,
    sandbox,
    credentials,
    client: (options) =>
      new Patchbay({ baseUrl: service.url, ...credentials, externalUserId: 'user-1', ...options }),
    [Symbol.asyncDispose]: async () => {
      await service.close();
      await store.close();
      await sandbox.close();
      await place.remove();
    },
  };
}

export const SLACK = {
  connector_type: 'chat-workspace',
  name: 'Team chat',
  credentials: { api_token: 'xoxb-test' },
  replication_config: {
    start_date: '2026-01-01T00:00:00Z',
    lookback_window: 7,
    join_channels: false,
  },
} as const;

export const INTERCOM = {
  connector_type: 'customer-messaging',
  name: 'Customers',
  credentials: { access_token: 'test' },
} as const;
