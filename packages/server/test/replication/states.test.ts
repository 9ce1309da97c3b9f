import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';
import {
  DATABASE,
  entityOf,
  makeReplicationGround,
  poll,
  type ReplicatingService,
  type ReplicationGround,
  startReplicating,
  upstreamsOf,
} from './support/replicating.ts';
import { startProxy, type PassingRequest, type TamperingProxy } from './support/tampering-proxy.ts';

const KIND = 'customer-messaging';
/** Pages of contacts are of 150, so there are two. */
const SCALE = 160;

describe(`a connector that changes during a sync, ${DATABASE.name}`, () => {
  let ground: ReplicationGround;
  let running: ReplicatingService;
  let proxy: TamperingProxy;
  before(async () => {
    ground = await makeReplicationGround(DATABASE, { scale: SCALE });
    proxy = await startProxy(ground.sandbox.urls.intercom);
    running = await startReplicating(ground, { upstreams: upstreams() });
  });
  afterEach(() => {
    ground.sandbox.faults.clear();
    proxy.tamper = (_, answer) => answer();
  });
  after(async () => {
    await running[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
    await ground[Symbol.asyncDispose]();
  });

  const upstreams = () => ({
    ...upstreamsOf(ground.sandbox),
    [KIND]: { baseUrl: proxy.url, limits: 'reactive' as const },
  });

  /** Creates a connector whose second page of contacts does not come before `go`. */
  const createHeld = async (changes = {}, service = running) => {
    const go = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    proxy.tamper = async (request, answer) => {
      if (isLaterPage(request)) {
        reached.resolve();
        await go.promise;
      }
      return answer();
    };
    const id = await service.create(KIND, changes);
    await reached.promise;
    await untilPages(id, 1);
    return { id, go: () => go.resolve() };
  };
  const untilPages = (id: string, pages: number) =>
    poll(async () => {
      const { progress } = await entityOf(ground.store, id, 'contacts');
      return (progress?.pages ?? 0) >= pages ? true : undefined;
    });
  /** The cursors that contacts are asked for with from now on. */
  const noteCursors = () => {
    const cursors: (string | null)[] = [];
    proxy.tamper = ({ url }, answer) => {
      if (url.pathname.endsWith('/contacts')) cursors.push(url.searchParams.get('starting_after'));
      return answer();
    };
    return cursors;
  };

  test('refused credentials end a sync half way; new ones go on with it, and nothing is lost', async () => {
    const held = await createHeld({ credentials: { access_token: 'old' } });
    ground.sandbox.faults.add({ kind: 'revokeToken', token: 'old' });
    held.go();
    const { state, problem } = await running.settled(held.id);
    assert.deepEqual([state, problem?.code, problem?.entity], ['failed', 'reauth_required', null]);
    assert.equal(await running.status(held.id), 'reauth_required');
    const row = await ground.store.connectors.find(held.id);
    assert.match(row?.stateReason ?? '', /Intercom answered/);
    const contacts = await running.entity(held.id, 'contacts');
    assert.equal(contacts.progress?.pages, 1);
    assert.equal(contacts.recordCount, 150);
    const cursors = noteCursors();
    await running.patch(held.id, { credentials: { access_token: 'new' } });
    const run = await running.settled(held.id);
    assert.deepEqual([run.cause, run.state], ['credentials', 'succeeded']);
    assert.equal(await running.status(held.id), 'active');
    assertWentOn(cursors.slice(0, 1));
    assert.ok(!cursors.includes(null), 'the same person reaches the same: nothing is read twice');
    await running.assertExact(held.id, KIND);
  });

  test('a check that passes goes on with a sync that was refused', async () => {
    const held = await createHeld();
    const revoked = ground.sandbox.faults.add({ kind: 'revokeToken' });
    held.go();
    await running.settled(held.id);
    revoked.release();
    const path = `/v1/integrations/connectors/${held.id}/check`;
    const token = await running.applicationToken();
    assert.equal((await running.send('POST', path, { token })).status, 200);
    assert.equal((await running.settled(held.id)).state, 'succeeded');
    await running.assertExact(held.id, KIND);
  });

  test('a revocation ends a sync within 5 seconds, and no other comes', async () => {
    await using other = await startReplicating(ground, { upstreams: upstreams() });
    const { id } = await createHeld({}, other);
    const { applications, syncs } = ground.store;
    const application = await applications.findByClientId(other.client.clientId);
    // By another process: nothing here is told of it.
    await applications.revoke(application?.id ?? '');
    const revokedAt = performance.now();
    assert.equal((await other.settled(id)).state, 'cancelled');
    assert.ok(performance.now() - revokedAt < 5_000);
    await syncs.requestRun(id, { id: randomUUID(), cause: 'demand' });
    // A worker looks at it once, finds nothing to do, and leaves it alone.
    await poll(async () => ((await syncs.isDue(id)) ? undefined : true));
    const lease = await poll(() =>
      syncs.takeLease({ connectorId: id, owner: 'test', ttlMs: 60_000 }),
    );
    assert.equal(await syncs.startRun(lease), undefined);
  });

  for (const member of ['paused', 'disabled'])
    test(`a ${member} connector stops, keeps its progress, and goes on afterwards`, async () => {
      const held = await createHeld();
      await running.patch(held.id, { [member]: true });
      assert.equal((await running.settled(held.id)).state, 'cancelled');
      held.go();
      const contacts = await running.entity(held.id, 'contacts');
      assert.equal(contacts.progress?.pages, 1);
      const cursors = noteCursors();
      assert.equal(cursors.length, 0);
      await running.patch(held.id, { [member]: false });
      assert.equal((await running.settled(held.id)).state, 'succeeded');
      assertWentOn(cursors);
      await running.assertExact(held.id, KIND);
    });

  test('other settings end a sync, and the next one reads by them', async () => {
    const held = await createHeld();
    proxy.tamper = (_, answer) => answer();
    await running.patch(held.id, {
      replication_config: { start_date: '2025-06-01T00:00:00Z' },
    });
    const run = await poll(async () => {
      const { last } = await ground.store.syncs.runs(held.id);
      return last?.cause === 'definition' ? last : undefined;
    });
    held.go();
    assert.equal(run.state, 'succeeded');
    const conversations = await running.copy(held.id, KIND, 'conversations');
    const since = Date.UTC(2025, 5, 1) / 1000;
    for (const { updated_at: updatedAt } of conversations.values())
      assert.ok(Number(updatedAt) >= since);
  });

  test('a deleted connector is worked on no more, and all of its records go', async () => {
    const held = await createHeld();
    let wasAskedAgain = false;
    const token = await running.applicationToken();
    const path = `/v1/integrations/connectors/${held.id}`;
    assert.equal((await running.send('DELETE', path, { token })).status, 202);
    proxy.tamper = (_, answer) => {
      wasAskedAgain = true;
      return answer();
    };
    held.go();
    await poll(async () => {
      const left = await ground.store.syncs.uncleared(10);
      return left.some(({ connectorId }) => connectorId === held.id) ? undefined : true;
    });
    assert.equal((await running.copy(held.id, KIND, 'contacts')).size, 0);
    assert.equal((await running.copy(held.id, KIND, 'companies')).size, 0);
    assert.equal(wasAskedAgain, false);
  });

  test('a service that stops leaves a sync to the next one, which goes on with its page', async () => {
    const held = await createHeld();
    const { service } = running;
    await service.close();
    held.go();
    const { current } = await ground.store.syncs.runs(held.id);
    assert.equal(current?.state, 'running');
    const cursors = noteCursors();
    running = await startReplicating(ground, { upstreams: upstreams() });
    const run = await running.settled(held.id);
    assert.deepEqual([run.id, run.state], [current.id, 'succeeded']);
    assertWentOn(cursors);
    await running.assertExact(held.id, KIND);
  });
});

function isLaterPage({ url }: PassingRequest): boolean {
  return url.pathname.endsWith('/contacts') && url.searchParams.has('starting_after');
}

/** The first page has no cursor, and none of these was it. */
function assertWentOn(cursors: readonly (string | null)[]): void {
  assert.ok(cursors.length > 0);
  assert.ok(!cursors.includes(null), 'the list began anew');
}
