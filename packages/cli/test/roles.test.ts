import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { SERVER } from '@patchbay/store/testing';
import { startSandbox } from '@patchbay/sandbox';
import { callCli } from './support/call-cli.ts';
import { startCli, temporaryFolder } from './support/run-cli.ts';

describe('patchbay start --role', () => {
  for (const [args, environment, says] of [
    [['--role', 'both'], {}, /all, api, worker/],
    [['--role', 'worker', '--no-sandbox'], {}, /PATCHBAY_ROLE worker needs DATABASE_URL/],
    [['--role', 'api'], { DATABASE_URL: 'postgres://x', ...masterKey() }, /--no-sandbox/],
    [[], { PATCHBAY_ROLE: 'api' }, /PATCHBAY_ROLE api needs DATABASE_URL/],
  ] as const)
    test(`${args.join(' ')} with ${Object.keys(environment).join()} ends with advice`, async () => {
      await using folder = await temporaryFolder();
      const data = { PATCHBAY_DATA: join(folder.path, 'data'), PORT: '0' };
      const { code, err } = await callCli(['start', ...args], { ...data, ...environment });
      assert.notEqual(code, 0);
      assert.match(err, says);
    });

  test('an api and a worker share a database', { skip: SERVER.skip }, async () => {
    await using folder = await temporaryFolder();
    await using sandbox = await startSandbox({ scale: 20 });
    const place = await SERVER.make();
    const environment = {
      DATABASE_URL: place.options.databaseUrl ?? '',
      PATCHBAY_DATA: join(folder.path, 'data'),
      PATCHBAY_SANDBOX: 'off',
      PATCHBAY_UPSTREAM_URL_CHAT_WORKSPACE: sandbox.urls.slack,
      PATCHBAY_CLIENT_ID: 'me',
      PATCHBAY_CLIENT_SECRET: 'x'.repeat(40),
      PORT: '0',
      ...masterKey(),
    };
    const api = startCli(['start', '--role', 'api'], environment);
    const worker = startCli(['start', '--role', 'worker'], environment);
    try {
      const told = await worker.untilOut('/readyz');
      const readyz = /http\S+\/readyz/.exec(told)?.[0] ?? '';
      assert.equal((await fetch(readyz)).status, 200);
      assert.ok(!told.includes('Patchbay is ready'), 'a worker answers no calls');
      const url = /ready at (http\S+)/.exec(await api.untilOut('/docs'))?.[1] ?? '';
      assert.deepEqual(await syncOnce(url), { state: 'succeeded' });
    } finally {
      for (const { process, finished } of [api, worker]) {
        process.kill('SIGTERM');
        await finished;
      }
      await place.remove();
    }
  });
});

function masterKey() {
  return { PATCHBAY_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') };
}

/** Creates a connector and watches its first sync to the end, over HTTP. */
async function syncOnce(url: string): Promise<unknown> {
  const call = async (path: string, body: object | undefined, token?: string) => {
    const answer = await fetch(url + path, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
    });
    // Answers of this service are JSON objects.
    return (await answer.json()) as Readonly<Record<string, unknown>>;
  };
  const login = { client_id: 'me', client_secret: 'x'.repeat(40) };
  const { access_token } = await call('/api/v1/account/applications/token', login);
  const token = String(access_token);
  const connector = {
    external_user_id: 'user-1',
    connector_type: 'chat-workspace',
    name: 'Team chat',
    credentials: { api_token: 'xoxb-test' },
    replication_config: {
      start_date: '2026-01-01T00:00:00Z',
      lookback_window: 0,
      join_channels: false,
    },
  };
  const { id } = await call('/v1/integrations/connectors', connector, token);
  for (;;) {
    const sync = await call(`/v1/integrations/connectors/${String(id)}/sync`, undefined, token);
    if (sync['current'] === null) {
      // As docs/wire.md#status-of-syncs has it.
      const { state } = sync['last'] as { readonly state: string };
      return { state };
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
