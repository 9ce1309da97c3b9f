import { openStore, type StoreOptions } from '@patchbay/store';
import { startService, type UpstreamSettings } from '../../../src/index.ts';
import { MASTER_KEY } from '../../support/start-test-service.ts';
import { QUICK } from './replicating.ts';

/** What the process is started with, as JSON. */
export interface ChildParts {
  readonly store: StoreOptions;
  readonly upstreams: UpstreamSettings;
  readonly client: { readonly clientId: string; readonly clientSecret: string };
}

// Proof: only start-child.ts starts this file.
const parts = JSON.parse(process.argv[2] ?? '') as ChildParts;
const store = await openStore(parts.store);
const service = await startService({
  store,
  masterKey: MASTER_KEY,
  port: 0,
  upstreams: parts.upstreams,
  logger: { level: 'silent' },
  replication: QUICK,
});
await service.ensureFirstApplication(parts.client);
process.send?.(service.url);
