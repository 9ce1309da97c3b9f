import { openStore } from '@patchbay/store';
import { startService } from '../../src/index.ts';
import { MASTER_KEY } from './start-test-service.ts';

/** A service in a process of its own, to be killed: `<data folder> <upstream> <id> <secret>`. */
const [dataFolder = '', upstream = '', clientId = '', clientSecret = ''] = process.argv.slice(2);

const store = await openStore({ dataFolder });
const service = await startService({
  store,
  masterKey: MASTER_KEY,
  port: 0,
  upstreams: { 'chat-workspace': { baseUrl: upstream, limits: 'reactive' } },
  logger: { level: 'silent' },
  role: 'api',
});
await service.ensureFirstApplication({ clientId, clientSecret });
process.send?.(service.url);
