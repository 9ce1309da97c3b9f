import { startService } from '@patchbay/server';
import { openStore } from '@patchbay/store';
import { serve } from './serve.ts';

/**
 * The whole service with all kinds, for several tenants: an application for each of the first
 * `BENCH_APPLICATIONS`. Another process can go on with the same database and master key.
 */
const environment = (name: string) => process.env[name] ?? '';
/** Nothing listens there: connections are refused. */
const UNREACHABLE = 'http://127.0.0.1:9';

const databaseUrl = process.env['BENCH_DATABASE'];
const store = await openStore(
  databaseUrl === undefined ? { dataFolder: environment('BENCH_FOLDER') } : { databaseUrl },
);
const limits = 'reactive';
const service = await startService({
  store,
  masterKey: Buffer.from(environment('BENCH_MASTER_KEY'), 'hex'),
  port: 0,
  upstreams: {
    'chat-workspace': { baseUrl: environment('BENCH_SLACK'), limits },
    'customer-messaging': { baseUrl: environment('BENCH_INTERCOM'), limits },
    'support-ticketing': {
      baseUrl: environment('BENCH_ZENDESK'),
      limits,
      fileOrigins: environment('BENCH_FILE_ORIGINS').split(' '),
    },
    'support-chat': { baseUrl: UNREACHABLE, limits },
  },
  logger: { level: 'silent' },
});
const applications = [];
for (let made = 0; made < Number(environment('BENCH_APPLICATIONS')); made++)
  applications.push(await service.createApplication(`Tenant ${made}`));
serve({ url: service.url, applications: JSON.stringify(applications) }, async () => {
  await service.close();
  await store.close();
});
