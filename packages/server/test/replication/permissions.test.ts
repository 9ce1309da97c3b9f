import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import {
  DATABASE,
  makeReplicationGround,
  type ReplicatingService,
  type ReplicationGround,
  startReplicating,
  upstreamsOf,
} from './support/replicating.ts';
import { startProxy, type TamperingProxy } from './support/tampering-proxy.ts';

const KIND = 'chat-workspace';

describe('what the credentials may not read', () => {
  let ground: ReplicationGround;
  let running: ReplicatingService;
  /** Has a subdomain in its address, as the upstream's own. */
  let proxy: TamperingProxy;
  before(async () => {
    ground = await makeReplicationGround(DATABASE);
    proxy = await startProxy(ground.sandbox.urls.zendeskChat);
    proxy.tamper = ({ url }, answer) => {
      url.pathname = url.pathname.replace('/acme/', '/');
      return answer();
    };
    running = await startReplicating(ground, {
      upstreams: {
        ...upstreamsOf(ground.sandbox),
        'support-chat': { baseUrl: `${proxy.url}/{subdomain}` },
      },
    });
  });
  afterEach(() => ground.sandbox.faults.clear());
  after(async () => {
    await running[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
    await ground[Symbol.asyncDispose]();
  });

  /** A service that reaches Slack through a proxy. */
  const startBehind = ({ url }: TamperingProxy) =>
    startReplicating(ground, {
      upstreams: { ...upstreamsOf(ground.sandbox), [KIND]: { baseUrl: url, limits: 'reactive' } },
    });

  test('a forbidden entity is none of the failures of a sync', async () => {
    const { faults } = ground.sandbox;
    faults.add({ kind: 'upstreamError', method: 'users.list', error: 'missing_scope' });
    const id = await running.create(KIND);
    assert.equal((await running.settled(id)).state, 'succeeded');
    assert.equal(await running.status(id), 'active');
    const users = await running.entity(id, 'users');
    assert.equal(users.isForbidden, true);
    assert.equal(users.problem?.code, 'upstream_forbidden');
    assert.equal(users.hasPage, false);
    assert.equal((await running.entity(id, 'threads')).isComplete, true);
    faults.clear();
    assert.equal((await running.sync(id)).state, 'succeeded');
    assert.equal((await running.entity(id, 'users')).isForbidden, false);
    await running.assertExact(id, KIND);
  });

  test('an entity of which every list is refused is forbidden, and nothing of it is deleted', async () => {
    const id = await running.create(KIND);
    await running.settled(id);
    const earlier = await running.copy(id, KIND, 'channel_messages');
    assert.ok(earlier.size > 0);
    const { faults } = ground.sandbox;
    faults.add({ kind: 'upstreamError', method: 'conversations.history', error: 'not_in_channel' });
    await running.patch(id, { replication_config: { start_date: '2025-12-02T00:00:00Z' } });
    assert.equal((await running.settled(id)).state, 'succeeded');
    const messages = await running.entity(id, 'channel_messages');
    assert.equal(messages.isForbidden, true);
    assert.equal(messages.isComplete, true);
    assert.deepEqual(await running.copy(id, KIND, 'channel_messages'), earlier);
  });

  test('an increment of which every list is refused says so, and goes on from before it', async () => {
    const id = await running.create(KIND);
    await running.settled(id);
    const { asOf } = await running.entity(id, 'channel_messages');
    const { faults } = ground.sandbox;
    faults.add({ kind: 'upstreamError', method: 'conversations.history', error: 'missing_scope' });
    assert.equal((await running.sync(id)).state, 'succeeded');
    const refused = await running.entity(id, 'channel_messages');
    assert.equal(refused.isForbidden, true);
    assert.deepEqual(refused.asOf, asOf);
    faults.clear();
    assert.equal((await running.sync(id)).state, 'succeeded');
    const messages = await running.entity(id, 'channel_messages');
    assert.equal(messages.isForbidden, false);
    assert.ok(asOf !== null && messages.asOf !== null && messages.asOf > asOf);
    await running.assertExact(id, KIND);
  });

  test('what they may not read any more from the middle of a read on is not taken for gone', async () => {
    await using slack = await startProxy(ground.sandbox.urls.slack);
    await using service = await startBehind(slack);
    const id = await service.create(KIND);
    await service.settled(id);
    const earlier = await service.copy(id, KIND, 'channel_messages');
    let lists = 0;
    slack.tamper = async ({ url }, answer) =>
      url.pathname.endsWith('/conversations.history') && lists++ > 0
        ? { status: 200, body: JSON.stringify({ ok: false, error: 'missing_scope' }) }
        : answer();
    await service.patch(id, { replication_config: { start_date: '2025-12-02T00:00:00Z' } });
    assert.equal((await service.settled(id)).state, 'succeeded');
    assert.equal((await service.entity(id, 'channel_messages')).isForbidden, true);
    assert.deepEqual(await service.copy(id, KIND, 'channel_messages'), earlier);
    // Of lists that were refused all along, such as those of another kind of channel, others say nothing.
    let first: string | undefined;
    slack.tamper = async ({ url }, answer) => {
      if (!url.pathname.endsWith('/conversations.history')) return answer();
      const channel = url.searchParams.get('channel') ?? '';
      first ??= channel;
      return channel === first
        ? answer()
        : { status: 200, body: JSON.stringify({ ok: false, error: 'not_in_channel' }) };
    };
    assert.equal((await service.sync(id)).state, 'succeeded');
    const messages = await service.entity(id, 'channel_messages');
    assert.deepEqual([messages.isForbidden, messages.isComplete], [false, true]);
  });

  test('one list that is forbidden does not keep the others out', async () => {
    await using slack = await startProxy(ground.sandbox.urls.slack);
    await using service = await startBehind(slack);
    let first: string | undefined;
    slack.tamper = async ({ url }, answer) => {
      if (!url.pathname.endsWith('/conversations.history')) return answer();
      const channel = url.searchParams.get('channel') ?? '';
      first ??= channel;
      return channel === first ? { status: 403, body: '' } : answer();
    };
    const id = await service.create(KIND);
    assert.equal((await service.settled(id)).state, 'succeeded');
    const messages = await service.entity(id, 'channel_messages');
    assert.deepEqual([messages.isForbidden, messages.isComplete], [false, true]);
    assert.ok((await service.copy(id, KIND, 'channel_messages')).size > 0);
  });

  test('what cannot be read without another entity fails with it, the rest does not', async () => {
    const { faults } = ground.sandbox;
    const fault = { kind: 'upstreamError', method: 'conversations.list', error: 'broken' } as const;
    faults.add(fault);
    const id = await running.create(KIND);
    assert.equal((await running.settled(id)).state, 'failed');
    for (const entity of ['channels', 'channel_messages', 'threads']) {
      const { state, problem } = await running.entity(id, entity);
      assert.deepEqual([state, problem?.code], ['failed', 'upstream_rejected'], entity);
    }
    const { problem } = await running.entity(id, 'channel_messages');
    assert.match(problem?.message ?? '', /channel_messages are read for each of channels/);
    assert.equal((await running.entity(id, 'users')).isComplete, true);
    faults.clear();
    assert.equal((await running.sync(id)).state, 'succeeded');
    await running.assertExact(id, KIND);
    // Now there is a copy of channels, and an old one does as well.
    faults.add(fault);
    assert.equal((await running.sync(id)).state, 'failed');
    assert.equal((await running.entity(id, 'channels')).state, 'failed');
    assert.equal((await running.entity(id, 'threads')).state, 'idle');
    assert.equal(await running.status(id), 'degraded');
  });

  test('a config that is missing is told with the request that mends it', async () => {
    const id = await running.create('support-chat');
    assert.equal((await running.settled(id)).state, 'failed');
    const { problem } = await running.entity(id, 'agents');
    assert.equal(problem?.code, 'config_required');
    assert.match(problem.message, new RegExp(`PATCH .*${id}.*subdomain`));
    await running.patch(id, { config: { subdomain: 'acme' } });
    assert.equal((await running.settled(id)).cause, 'definition');
    assert.equal(await running.status(id), 'active');
    await running.assertExact(id, 'support-chat');
  });
});
