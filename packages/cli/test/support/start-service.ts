import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Patchbay } from '@patchbay/client';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { startService, type Service } from '@patchbay/server';
import { openStore } from '@patchbay/store';
import { EMBEDDED } from '@patchbay/store/testing';
import { sandboxUpstreams } from '../../src/service/sandbox-upstreams.ts';
import { callCli } from './call-cli.ts';
import { startCli, temporaryFolder, type Finished } from './run-cli.ts';

type Environment = Readonly<Record<string, string>>;

/** A service with the sandbox behind it, and the settings that lead `patchbay` to it. */
export interface CliService extends AsyncDisposable {
  readonly service: Service;
  readonly sandbox: Sandbox;
  readonly credentials: { readonly clientId: string; readonly clientSecret: string };
  /** Settings of an external user nobody else is, with a configuration folder of its own. */
  settings(): Environment;
  /** Runs `patchbay` to its end. */
  run(args: readonly string[], environment: Environment, input?: string): Promise<Finished>;
  /** Makes a connector of the sandbox's Slack through `patchbay`, and gives its id. */
  createSlack(environment: Environment): Promise<string>;
  /** The same of its Zendesk Support, which has files. */
  createZendesk(environment: Environment): Promise<string>;
  /** The client, for the external user of these settings. */
  client(environment: Environment): Patchbay;
}

/** Of every service of these tests. */
export const OPERATOR_KEY = 'operator-key-of-the-cli-test-services';

/** What `connector create slack` needs besides the credentials. */
export const SLACK_REPLICATION = [
  ['--replication', 'start_date=2026-01-01T00:00:00Z'],
  ['--replication', 'lookback_window=0'],
  ['--replication', 'join_channels=false'],
].flat();

const run: CliService['run'] = (args, environment, input) =>
  startCli(args, environment, input).finished;

/** The same settings without an external user. */
export function withoutUser(settings: Environment): Environment {
  const { PATCHBAY_EXTERNAL_USER_ID: _, ...others } = settings;
  return others;
}

/** It replicates nothing unless told to. */
export async function startCliService(role: 'all' | 'api' = 'api'): Promise<CliService> {
  const folder = await temporaryFolder();
  const sandbox = await startSandbox({ scale: 30 });
  const place = await EMBEDDED.make();
  const store = await openStore(place.options);
  const service = await startService({
    // The command waits for as long as it must before it asks again.
    quotas: { demandApartMs: 1_000 },
    store,
    masterKey: new Uint8Array(32).fill(7),
    operatorKey: OPERATOR_KEY,
    port: 0,
    upstreams: sandboxUpstreams(sandbox),
    logger: { level: 'silent' },
    role,
  });
  const credentials = {
    clientId: `client-${randomUUID()}`,
    clientSecret: `secret-${randomUUID()}`,
  };
  await service.ensureFirstApplication(credentials);
  const credentialsFile = async (text: string): Promise<string> => {
    const path = join(folder.path, `${randomUUID()}.json`);
    await writeFile(path, text);
    return path;
  };
  return {
    service,
    sandbox,
    credentials,
    run,
    settings: () => ({
      PATCHBAY_BASE_URL: service.url,
      PATCHBAY_CLIENT_ID: credentials.clientId,
      PATCHBAY_CLIENT_SECRET: credentials.clientSecret,
      PATCHBAY_EXTERNAL_USER_ID: `user-${randomUUID()}`,
      XDG_CONFIG_HOME: join(folder.path, randomUUID()),
    }),
    createSlack: async (environment) => {
      const args = ['slack', '--credentials', await credentialsFile('{"api_token":"xoxb-test"}')];
      return await createConnector([...args, ...SLACK_REPLICATION], environment);
    },
    createZendesk: async (environment) => {
      const path = await credentialsFile('{"email":"agent@example.com","api_token":"test"}');
      const args = ['zendesk-support', '--credentials', path, '--config', 'subdomain=acme'];
      return await createConnector(args, environment);
    },
    client: (environment) =>
      new Patchbay({
        baseUrl: service.url,
        ...credentials,
        externalUserId: environment['PATCHBAY_EXTERNAL_USER_ID'] ?? '',
      }),
    [Symbol.asyncDispose]: async () => {
      await service.close();
      await store.close();
      await sandbox.close();
      await place.remove();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function createConnector(args: readonly string[], environment: Environment): Promise<string> {
  const { code, out, err } = await callCli(['connector', 'create', ...args, '--json'], environment);
  if (code !== 0) throw new Error(err);
  return (JSON.parse(out) as { readonly id: string }).id;
}
