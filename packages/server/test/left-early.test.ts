import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startFileUpstream } from './support/file-upstream.ts';
import {
  logIn,
  makeTestGround,
  startServiceOn,
  type TestService,
} from './support/start-test-service.ts';
import { until } from './support/until.ts';

const FILES = {
  connector_type: 'support-ticketing',
  credentials: { access_token: 't' },
  replication_config: null,
  config: { subdomain: 'acme' },
};

/** Looks at the database that wait, once it is shut, until it is opened. */
class Gate {
  waiting = 0;
  #opened = Promise.resolve();
  open = (): void => undefined;

  shut(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#opened = promise;
    this.open = resolve;
  }

  async pass(): Promise<void> {
    this.waiting++;
    await this.#opened;
    this.waiting--;
  }
}

/** Asks, and has gone by the time that the database answers the service. */
async function askAndLeave(
  { service, log }: TestService,
  gate: Gate,
  { path, ...init }: RequestInit & { readonly path: string },
): Promise<void> {
  const leaving = new AbortController();
  const over = log.nextCall();
  gate.shut();
  const asked = fetch(service.url + path, { ...init, signal: leaving.signal });
  await until(() => gate.waiting > 0);
  leaving.abort();
  await assert.rejects(asked, { name: 'AbortError' });
  // The service may hear of it later than we do.
  await wait(50);
  gate.open();
  assert.equal(await over, 'client_disconnected');
}

test('whoever leaves before a file is opened keeps no place and no connection', async () => {
  await using files = await startFileUpstream('silent');
  await using ground = await makeTestGround();
  const gate = new Gate();
  const { store } = ground;
  const find: typeof store.connectors.find = async (id) => {
    await gate.pass();
    return store.connectors.find(id);
  };
  const upstreams = {
    'support-ticketing': { baseUrl: files.url, label: 'files', limits: 'reactive' },
  } as const;
  await using first = await startServiceOn(ground, { upstreams });
  const id = await first.connector(await first.applicationToken(), FILES);
  const slow = { ...ground, store: { ...store, connectors: { ...store.connectors, find } } };
  const limits = { downloadsOfConnector: 1 };
  const headers = { 'content-type': 'application/json' };
  const path = `/api/v1/connectors/sources/${id}/execute`;
  const params = { attachment_id: 1 };
  const body = JSON.stringify({ entity: 'attachments', action: 'download', params });
  for (let times = 0; times < 2; times++) {
    // One that has not had the connector yet, and so looks for it.
    await using running = await startServiceOn(slow, { upstreams, limits });
    const authorization = `Bearer ${await logIn(running.send, first.client)}`;
    const init = { method: 'POST', headers: { ...headers, authorization }, body };
    await askAndLeave(running, gate, { path, ...init });
    const leaving = new AbortController();
    const answer = await fetch(running.service.url + path, { ...init, signal: leaving.signal });
    assert.equal(answer.status, 200);
    leaving.abort();
    await until(() => files.openFiles() === 0);
  }
});

test('whoever leaves before the first event of a sync keeps no place', async () => {
  await using ground = await makeTestGround();
  const gate = new Gate();
  const { store } = ground;
  const runs: typeof store.syncs.runs = async (...asked) => {
    await gate.pass();
    return store.syncs.runs(...asked);
  };
  const slow = { ...ground, store: { ...store, syncs: { ...store.syncs, runs } } };
  await using running = await startServiceOn(slow, { limits: { watchersOfToken: 1 } });
  const token = await running.applicationToken();
  const path = `/v1/integrations/connectors/${await running.connector(token)}/sync/events`;
  const headers = { authorization: `Bearer ${token}` };
  for (let times = 0; times < 2; times++) await askAndLeave(running, gate, { path, headers });
  const leaving = new AbortController();
  const answer = await fetch(running.service.url + path, { headers, signal: leaving.signal });
  assert.equal(answer.status, 200);
  leaving.abort();
});
