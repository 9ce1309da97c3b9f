import { randomBytes } from 'node:crypto';
import { startService, type ServiceRole } from '@patchbay/server';
import { openStore } from '@patchbay/store';
import { serve } from './serve.ts';

/**
 * The whole service, replicating from the given upstream into the database at `BENCH_DATABASE`, or
 * else into an embedded one in the folder `BENCH_FOLDER`. With the same secrets (in hex) another
 * process can go on with the same database.
 */
const secret = (name: string) => process.env[name] ?? randomBytes(32).toString('hex');
const databaseUrl = process.env['BENCH_DATABASE'];
const place =
  databaseUrl === undefined ? { dataFolder: process.env['BENCH_FOLDER'] ?? '' } : { databaseUrl };
const store = await openStore(place);
const service = await startService({
  store,
  masterKey: Buffer.from(secret('BENCH_MASTER_KEY'), 'hex'),
  port: 0,
  // As `startBenchFleet` and `benchSync` give it.
  role: (process.env['BENCH_ROLE'] ?? 'all') as ServiceRole,
  upstreams: {
    'customer-messaging': { baseUrl: process.env['BENCH_UPSTREAM'] ?? '', limits: 'reactive' },
  },
  logger: { level: 'warn' },
  // All the tenants are the connectors of one user.
  quotas: { connectorsPerUser: 10_000 },
});
const client = { clientId: 'bench', clientSecret: secret('BENCH_CLIENT_SECRET') };
await service.ensureFirstApplication(client);
serve({ url: service.url, ...client }, async () => {
  await service.close();
  await store.close();
});
