import { randomBytes } from 'node:crypto';
import { startService } from '@patchbay/server';
import { openStore } from '@patchbay/store';
import { serve } from './serve.ts';

/**
 * The whole service, replicating from the given upstream into the database at `BENCH_DATABASE`, or
 * else into an embedded one in the folder `BENCH_FOLDER`.
 */
const databaseUrl = process.env['BENCH_DATABASE'];
const place =
  databaseUrl === undefined ? { dataFolder: process.env['BENCH_FOLDER'] ?? '' } : { databaseUrl };
const store = await openStore(place);
const service = await startService({
  store,
  masterKey: randomBytes(32),
  port: 0,
  upstreams: {
    'customer-messaging': { baseUrl: process.env['BENCH_UPSTREAM'] ?? '', limits: 'reactive' },
  },
  logger: { level: 'warn' },
});
const client = { clientId: 'bench', clientSecret: randomBytes(32).toString('hex') };
await service.ensureFirstApplication(client);
serve({ url: service.url, ...client }, async () => {
  await service.close();
  await store.close();
});
