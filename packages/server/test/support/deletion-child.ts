import { openStore } from '@patchbay/store';
import { createApplication, startService } from '../../src/index.ts';
import { makeClient } from './http-client.ts';
import { connectorBody, logIn, MASTER_KEY, OPERATOR_KEY } from './start-test-service.ts';

/**
 * A service in a process of its own that deletes an application, and is killed when so many of its
 * connectors have gone: `<data folder> <connectors> <gone>`. It sends the application's id before.
 */
const [dataFolder = '', connectors, gone] = process.argv.slice(2);

const store = await openStore({ dataFolder });
const service = await startService({
  store: {
    ...store,
    connectors: {
      ...store.connectors,
      deleteSome: async (filter, jobId, options) => {
        await store.connectors.deleteSome(filter, jobId, { ...options, limit: Number(gone) });
        process.kill(process.pid, 'SIGKILL');
        throw new Error('a killed process went on');
      },
    },
  },
  masterKey: MASTER_KEY,
  operatorKey: OPERATOR_KEY,
  port: 0,
  logger: { level: 'silent' },
  role: 'api',
});
const send = makeClient(service.url);
const application = await createApplication(store, 'Doomed');
const token = await logIn(send, application);
for (let count = 0; count < Number(connectors); count++)
  await send('POST', '/v1/integrations/connectors', { token, body: connectorBody() });
const { applicationId } = application;
process.send?.(applicationId, () => {
  void send('DELETE', `/v1/applications/${applicationId}`, { token: OPERATOR_KEY });
});
