import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { openStore, type Store } from '@patchbay/store';
import {
  CLUSTER_SKIP,
  portOfConnector,
  startCluster,
  type CitusCluster,
  type PostgresNode,
} from '@patchbay/store/testing';
import { at, textAt, type TestAnswer } from '../support/http-client.ts';
import { countOf, someChannel } from '../support/start-test-service.ts';
import {
  poll,
  startReplicating,
  type ReplicatingService,
} from '../replication/support/replicating.ts';

const KIND = 'chat-workspace';
/** So many that both nodes surely have some: one in 16,000 times they do not. */
const CONNECTORS = 15;
const USERS = { query: { filter: { like: { real_name: '%' } } }, limit: 5 };

describe('a worker node is down', { skip: CLUSTER_SKIP }, () => {
  const resources = new AsyncDisposableStack();
  let cluster: CitusCluster;
  let sandbox: Sandbox;
  let store: Store & AsyncDisposable;
  let running: ReplicatingService;
  let token: string;
  let channel: string;
  /** The one that is to go down, and the connectors on it and elsewhere. */
  let node: PostgresNode;
  let there: readonly string[];
  let elsewhere: readonly string[];

  before(async () => {
    cluster = resources.use(await startCluster());
    sandbox = await startSandbox({ scale: 30 });
    resources.defer(() => sandbox.close());
    const { databaseUrl } = cluster;
    store = resources.use(await openStore({ databaseUrl, distribute: () => undefined }));
    const ground = { sandbox, store, dataFolder: '', [Symbol.asyncDispose]: nothing };
    running = resources.use(await startReplicating(ground));
    token = await running.applicationToken();
    const connectors: string[] = [];
    for (let count = 0; count < CONNECTORS; count++) connectors.push(await running.create(KIND));
    for (const id of connectors) assert.equal((await running.settled(id)).state, 'succeeded');
    channel = await someChannel(running, token, connectors[0] ?? '');
    const ports = await Promise.all(connectors.map((id) => portOfConnector(cluster, id)));
    const first = cluster.workers.find(({ port }) => port === ports[0]);
    assert.ok(first !== undefined);
    node = first;
    there = connectors.filter((_, index) => ports[index] === node.port);
    elsewhere = connectors.filter((_, index) => ports[index] !== node.port);
    assert.ok(elsewhere.length > 0);
    await node.kill();
  });
  after(() => resources.disposeAsync());

  const search = (id: string) =>
    running.execute(token, id, { entity: 'users', action: 'search', params: USERS });
  const write = (id: string, text: string) =>
    running.execute(
      token,
      id,
      { entity: 'messages', action: 'create', params: { channel, text } },
      { 'idempotency-key': `${id} ${text}` },
    );

  test('connectors on other nodes are served: calls, searches, writes and syncs', async () => {
    for (const id of elsewhere) {
      const read = await running.send('GET', `/v1/integrations/connectors/${id}`, { token });
      assert.equal(read.status, 200, read.text);
      const params = { limit: 5 };
      const list = await running.execute(token, id, { entity: 'users', action: 'list', params });
      assert.equal(list.status, 200, list.text);
      const found = await search(id);
      assert.equal(found.status, 200, found.text);
      const written = await write(id, 'meanwhile');
      assert.equal(written.status, 200, written.text);
      assert.equal(at(written, 'warnings'), undefined, written.text);
    }
    const [one = ''] = elsewhere;
    assert.equal((await running.sync(one)).state, 'succeeded');
    await running.assertExact(one, KIND);
  });

  test('a sync that was due by itself runs on other nodes', async () => {
    const [, other = elsewhere[0] ?? ''] = elsewhere;
    const earlier = (await store.syncs.runs(other)).last?.id;
    await store.syncs.requestRun(other, { id: crypto.randomUUID(), cause: 'schedule' });
    const ended = await poll(async () => {
      const { current, last } = await store.syncs.runs(other);
      return current === undefined && last?.id !== earlier ? last : undefined;
    });
    assert.equal(ended.state, 'succeeded');
  });

  test('connectors on that node, and lists, answer not_ready, to be asked again; nothing is sent', async () => {
    const sent = countOf(sandbox, 'chat.postMessage');
    for (const id of there) {
      assertNotReady(await search(id));
      assertNotReady(await write(id, 'too early'));
      const read = await running.send('GET', `/v1/integrations/connectors/${id}`, { token });
      assertNotReady(read);
    }
    assert.equal(countOf(sandbox, 'chat.postMessage'), sent);
    assertNotReady(await running.send('GET', '/v1/integrations/connectors', { token }));
  });

  test('once it is back, its connectors go on, and each write happens once', async () => {
    const sent = countOf(sandbox, 'chat.postMessage');
    await node.start();
    for (const id of there) {
      await poll(async () => ((await search(id)).status === 200 ? true : undefined));
      assert.equal((await write(id, 'too early')).status, 200);
      assert.equal((await write(id, 'too early')).status, 200);
    }
    assert.equal(countOf(sandbox, 'chat.postMessage'), sent + there.length);
    const [one = ''] = there;
    assert.equal((await running.sync(one)).state, 'succeeded');
    await running.assertExact(one, KIND);
  });
});

/** The parts of the ground end by themselves. */
function nothing(): Promise<void> {
  return Promise.resolve();
}

function assertNotReady(answer: TestAnswer): void {
  assert.equal(answer.status, 503, answer.text);
  assert.equal(textAt(answer, 'code'), 'not_ready');
  assert.equal(textAt(answer, 'retry'), 'backoff');
}
