import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { at } from '../support/http-client.ts';
import { countOf, someChannel } from '../support/start-test-service.ts';
import {
  DATABASE,
  makeReplicationGround,
  type ReplicatingService,
  type ReplicationGround,
  startReplicating,
  upstreamsOf,
} from './support/replicating.ts';

const KIND = 'chat-workspace';
const MESSAGES = ['channel_messages', 'threads'];

/** A service whose Slack app is installed by others, and not from the Marketplace. */
function startDistributed(ground: ReplicationGround): Promise<ReplicatingService> {
  return startReplicating(ground, {
    distributions: { [KIND]: 'distributed' },
    upstreams: {
      ...upstreamsOf(ground.sandbox),
      [KIND]: { baseUrl: ground.sandbox.urls.slack, limits: 'vendor' },
    },
  });
}

describe(`a service with a distributed app, ${DATABASE.name}`, { skip: DATABASE.skip }, () => {
  let ground: ReplicationGround;
  let running: ReplicatingService;
  let token: string;
  let id: string;
  before(async () => {
    ground = await makeReplicationGround(DATABASE, {
      scale: 1_000,
      slackDistribution: 'distributed',
      limits: 'vendor',
    });
    running = await startDistributed(ground);
    token = await running.applicationToken();
    id = await running.create(KIND, {
      replication_config: {
        start_date: '2020-01-01T00:00:00Z',
        lookback_window: 1,
        join_channels: true,
      },
    });
    await running.settled(id);
  });
  after(async () => {
    await running[Symbol.asyncDispose]();
    await ground[Symbol.asyncDispose]();
  });

  const get = (path: string) => running.send('GET', path, { token });

  test('copies what it may read at the usual rate, and asks for no messages', async () => {
    assert.equal((await running.settled(id)).state, 'succeeded');
    assert.equal((await running.entity(id, 'users')).isComplete, true);
    assert.equal((await running.entity(id, 'channels')).isComplete, true);
    for (const method of ['history', 'replies', 'join'])
      assert.equal(countOf(ground.sandbox, `conversations.${method}`), 0, method);
    const { entities } = (await get(`/v1/integrations/connectors/${id}/sync`)).body as {
      readonly entities: readonly { readonly entity: string }[];
    };
    assert.deepEqual(
      entities.map(({ entity }) => entity),
      ['users', 'channels'],
    );
  });

  test('says so wherever it describes the kind', async () => {
    for (const path of [
      `/api/v1/connector-kinds/slack`,
      `/v1/integrations/connectors/${id}/describe`,
    ]) {
      const answer = await get(path);
      assert.equal(at(answer, 'distributions.applies'), 'distributed', answer.text.slice(0, 300));
      const { entities } = answer.body as {
        readonly entities: readonly {
          readonly name: string;
          readonly actions: readonly { readonly name: string }[];
        }[];
      };
      const withSearch = entities.filter(({ actions }) =>
        actions.some(({ name }) => name === 'search'),
      );
      assert.deepEqual(
        withSearch.map(({ name }) => name),
        ['users', 'channels'],
      );
    }
  });

  test('says why messages cannot be searched', async () => {
    for (const entity of MESSAGES) {
      const call = { entity, action: 'context_store_search', params: { query: {} } };
      const answer = await running.execute(token, id, call);
      assert.equal(answer.status, 422, answer.text);
      assert.equal(at(answer, 'code'), 'unsupported_action');
      assert.equal(
        at(answer, 'detail'),
        `No ${entity} are copied with an app whose distribution is "distributed", so they cannot be searched; there is list.`,
      );
    }
    const call = { entity: 'users', action: 'search', params: { query: {} } };
    assert.equal((await running.execute(token, id, call)).status, 200);
  });

  test('lists 15 messages at a time, and then waits or says when', async () => {
    const channel = await someChannel(running, token, id);
    const call = { entity: 'channel_messages', action: 'list', params: { channel, limit: 200 } };
    const first = await running.execute(token, id, call);
    assert.equal(first.status, 200, first.text);
    assert.equal(at(first, 'warnings.0.code'), 'limit_clamped', first.text.slice(0, 400));
    const second = await running.execute(token, id, call, { 'patchbay-timeout-ms': '5000' });
    assert.equal(second.status, 429, second.text);
    assert.equal(at(second, 'code'), 'upstream_rate_limited');
    assert.ok(Number(second.headers.get('retry-after')) > 50);
    // Neither turned down by Slack, nor asked for at all.
    assert.equal(countOf(ground.sandbox, 'conversations.history'), 1);
  });

  test('takes written messages into no copy', async () => {
    const channel = await someChannel(running, token, id);
    const params = { channel, text: 'Nobody copies this' };
    const answer = await running.execute(token, id, {
      entity: 'messages',
      action: 'create',
      params,
    });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(at(answer, 'warnings.0'), undefined, answer.text);
    assert.equal((await running.copy(id, KIND, 'channel_messages')).size, 0);
  });
});

describe(`a service whose app becomes another, ${DATABASE.name}`, { skip: DATABASE.skip }, () => {
  test('leaves what it has copied alone, and goes on with it when it may', async () => {
    await using ground = await makeReplicationGround(DATABASE);
    let copied = 0;
    let id: string;
    {
      await using internal = await startReplicating(ground);
      id = await internal.create(KIND);
      await internal.settled(id);
      copied = (await internal.copy(id, KIND, 'channel_messages')).size;
      assert.ok(copied > 0);
    }
    // The application of the connector is that of the first service.
    const sync = async (running: ReplicatingService) => {
      await ground.store.syncs.demandRun(id, { id: randomUUID(), apartMs: 0 });
      assert.equal((await running.settled(id)).state, 'succeeded');
    };
    ground.sandbox.resetRequests();
    {
      await using distributed = await startDistributed(ground);
      await sync(distributed);
      assert.equal(countOf(ground.sandbox, 'conversations.history'), 0);
    }
    {
      await using internal = await startReplicating(ground);
      internal.log.clear();
      await sync(internal);
      const modes = internal.log
        .lines()
        .filter(({ msg, entity }) => msg === 'read' && entity === 'channel_messages')
        .map(({ mode }) => mode);
      assert.deepEqual(modes, ['increment']);
      await internal.assertExact(id, KIND);
    }
  });
});
