import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { SERVER, silentProxyTo, type SilentProxy, type TestPlace } from '@patchbay/store/testing';
import { callCli } from './support/call-cli.ts';
import { startCli, temporaryFolder, type Finished, type RunningCli } from './support/run-cli.ts';

/** What supervisors grant. */
const GRANTED_MS = 10_000;
const CONNECTORS = '/v1/integrations/connectors';
const CONNECTOR = {
  external_user_id: 'demo-user',
  connector_type: 'slack',
  name: 'Team chat',
  credentials: { api_token: 'demo' },
  replication_config: {
    start_date: '2025-12-01T00:00:00Z',
    lookback_window: 0,
    join_channels: false,
  },
};

describe('patchbay start, its database silent,', { skip: SERVER.skip }, () => {
  let place: TestPlace;
  let proxy: SilentProxy;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let environment: Readonly<Record<string, string>>;
  before(async () => {
    place = await SERVER.make();
    const through = await silentProxyTo(place.options.databaseUrl ?? '');
    ({ proxy } = through);
    folder = await temporaryFolder();
    environment = {
      DATABASE_URL: through.url,
      PATCHBAY_DATA: `${folder.path}/data`,
      PATCHBAY_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      PORT: '0',
    };
  });
  after(async () => {
    await proxy[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
    await place.remove();
  });

  test('ends in time when told to, with a sync and calls under way', async () => {
    proxy.resume();
    const running = startCli(['start'], environment);
    const url = /ready at (http\S+)/.exec(await running.untilOut('/docs'))?.[1] ?? '';
    const send = caller(url, await tokenOf(url, environment));
    const created = (await (await send(CONNECTORS, CONNECTOR)).json()) as { readonly id: string };
    proxy.silence();
    const path = `/api/v1/connectors/sources/${created.id}/execute`;
    const calls = ['list', 'search'].map((action) =>
      // What becomes of them does not matter here.
      send(path, { entity: 'users', action, params: { query: {} } }).catch(() => undefined),
    );
    const [ready, health] = await Promise.all([send('/readyz'), send('/healthz')]);
    assert.deepEqual([ready.status, health.status], [503, 200]);
    const { code, err } = await stop(running);
    assert.ok(code === 0 || code === 8, err);
    await Promise.all(calls);
  });

  test('says what it waits for, and ends when told to', async () => {
    proxy.silence();
    const running = startCli(['start'], environment);
    const { promise: told, resolve } = Promise.withResolvers<void>();
    running.process.stderr?.on('data', (text: Buffer) => {
      if (String(text).includes('Still waiting for the database to answer')) resolve();
    });
    await told;
    const { code, err } = await stop(running);
    assert.equal(code, 0, err);
  });
});

async function stop(running: RunningCli): Promise<Finished> {
  const begun = performance.now();
  running.process.kill('SIGTERM');
  const finished = await running.finished;
  assert.ok(performance.now() - begun < GRANTED_MS, finished.err);
  return finished;
}

async function tokenOf(
  url: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const args = ['token', '--base-url', url, '--external-user', 'demo-user'];
  const { code, out, err } = await callCli(args, environment);
  assert.equal(code, 0, err);
  return out.trim();
}

/** Sends to a service a body with the token, or a plain GET. */
function caller(base: string, token: string): (path: string, body?: unknown) => Promise<Response> {
  const authorization = `Bearer ${token}`;
  return (path, body) => {
    if (body === undefined) return fetch(new URL(path, base));
    const headers = { authorization, 'content-type': 'application/json' };
    return fetch(new URL(path, base), { method: 'POST', headers, body: JSON.stringify(body) });
  };
}
