import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';
import { openStore, type Store } from '@patchbay/store';
import { until } from '../support/until.ts';
import {
  DATABASE,
  makeReplicationGround,
  poll,
  type ReplicatingService,
  type ReplicationGround,
  startReplicating,
} from './support/replicating.ts';
import { startProxy, type TamperingProxy } from './support/tampering-proxy.ts';

const KIND = 'customer-messaging';

describe(`several workers, ${DATABASE.name}`, () => {
  let ground: ReplicationGround;
  let proxies: readonly TamperingProxy[];
  before(async () => {
    ground = await makeReplicationGround(DATABASE, { scale: 160 });
    const { intercom } = ground.sandbox.urls;
    proxies = [await startProxy(intercom), await startProxy(intercom)];
  });
  afterEach(() => {
    for (const proxy of proxies) proxy.tamper = (_, answer) => answer();
  });
  after(async () => {
    for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
    await ground[Symbol.asyncDispose]();
  });

  /** A service that reaches the upstream by one of the proxies. */
  const startBehind = (
    index: number,
    store: Store = ground.store,
    replication: { readonly leaseTtlMs?: number; readonly intervalMs?: number } = {},
  ): Promise<ReplicatingService> =>
    startReplicating(
      { ...ground, store },
      { upstreams: { [KIND]: { baseUrl: proxies[index]?.url ?? '' } }, replication },
    );

  test('never work on one connector at once', async () => {
    // Two services on one database; where several processes may use it, each has a store of its own.
    const isShared = ground.store.profile.isExclusive;
    await using ownStore = isShared ? undefined : await openStore(ground.place.options);
    await using first = await startBehind(0);
    await using second = await startBehind(1, ownStore ?? ground.store);
    /** Which service has requests under way, by credentials, and how many. */
    const underWay = new Map<string, { readonly service: number; count: number }>();
    const served = new Set<number>();
    let isOverlapping = false;
    for (const [service, proxy] of proxies.entries())
      proxy.tamper = async ({ authorization }, answer) => {
        const present = underWay.get(authorization) ?? { service, count: 0 };
        isOverlapping ||= present.service !== service;
        present.count += 1;
        underWay.set(authorization, present);
        served.add(service);
        const answered = await answer();
        present.count -= 1;
        if (present.count === 0) underWay.delete(authorization);
        return answered;
      };
    const ids: string[] = [];
    for (let count = 0; count < 4; count++)
      ids.push(await first.create(KIND, { credentials: { access_token: `token-${count}` } }));
    for (let round = 0; round < 2 || served.size < 2; round++)
      await Promise.all(ids.map((id) => first.sync(id)));
    assert.equal(isOverlapping, false);
    for (const id of ids) await second.assertExact(id, KIND);
  });

  test('a connector passes to another worker when one stalls, and what that one still writes is refused', async () => {
    const { syncs } = ground.store;
    const stalled = Promise.withResolvers<void>();
    const stalling: Store = {
      ...ground.store,
      // It does not keep the lease, but does not know.
      syncs: { ...syncs, renewLease: () => stalled.promise },
    };
    await using first = await startBehind(0, stalling, { leaseTtlMs: 400 });
    const go = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const [proxy] = proxies;
    assert.ok(proxy !== undefined);
    proxy.tamper = async ({ url }, answer) => {
      const answered = await answer();
      if (!url.searchParams.has('starting_after')) return answered;
      reached.resolve();
      await go.promise;
      // What the stalled worker has is older than what the other one has read meanwhile.
      return { ...answered, body: answered.body.replaceAll('"name":"', '"name":"stale ') };
    };
    const id = await first.create(KIND);
    await reached.promise;
    await using second = await startBehind(1);
    assert.equal((await second.settled(id)).state, 'succeeded');
    go.resolve();
    const isStopped = () =>
      first.log.lines().some(({ msg, code, entity }) => {
        return msg === 'read' && code === 'stopped' && entity === 'contacts';
      });
    await until(isStopped);
    stalled.resolve();
    await second.assertExact(id, KIND);
  });

  test('what a clock that was ahead put off is due again once a worker starts, which warns of it', async () => {
    const { syncs } = ground.store;
    let id: string;
    {
      await using first = await startBehind(0);
      id = await first.create(KIND);
      await first.settled(id);
    }
    const lease = await syncs.takeLease({ connectorId: id, owner: 'ahead', ttlMs: 60_000 });
    assert.ok(lease !== undefined);
    await syncs.requestRun(id, { id: randomUUID(), cause: 'demand' });
    const run = await syncs.startRun(lease);
    assert.ok(run !== undefined);
    const nextInMs = 24 * 3_600_000;
    await syncs.finishRun(lease, { runId: run.id, state: 'succeeded', nextInMs });
    await syncs.releaseLease(lease);
    await using second = await startBehind(0, ground.store, { intervalMs: 500 });
    await poll(async () => ((await syncs.runs(id)).last?.cause === 'schedule' ? true : undefined));
    const warned = () =>
      second.log.lines().filter(({ msg }) => /a clock was ahead/.test(String(msg)));
    // Of some of them the sync may be over before the worker has woken all.
    const warnings = await poll(async () => (warned().length > 0 ? warned() : undefined));
    assert.deepEqual(
      warnings.map(({ level }) => level),
      [40],
    );
    // Those of the other tests wait for the end of a longer interval.
    assert.ok(Number(warnings[0]?.['connectors']) >= 1);
  });

  test('a service of the role api does no syncs, and one of the role worker answers no calls', async () => {
    await using api = await startReplicating(ground, { role: 'api' });
    const id = await api.create(KIND);
    const { current } = await ground.store.syncs.runs(id);
    assert.equal(current?.state, 'queued');
    const alone = await api.send('GET', '/readyz');
    assert.equal(alone.status, 200);
    assert.partialDeepStrictEqual(alone.body, {
      status: 'ready',
      role: 'api',
      workers: 0,
      warnings: [{ code: 'no_worker' }],
    });
    await using worker = await startReplicating(ground, { role: 'worker' });
    assert.equal((await worker.send('GET', '/healthz')).status, 200);
    const database = DATABASE.name === 'embedded PGlite' ? 'embedded' : 'postgresql';
    const known = { status: 'ready', version: '0.2.0', database, workers: 1, warnings: [] };
    assert.deepEqual((await worker.send('GET', '/readyz')).body, { ...known, role: 'worker' });
    assert.deepEqual((await api.send('GET', '/readyz')).body, { ...known, role: 'api' });
    const asked = await api.send('POST', `/v1/integrations/connectors/${id}/sync`, {
      token: await api.applicationToken(),
    });
    assert.equal(asked.status, 202, asked.text);
    assert.deepEqual(Object.keys(asked.body as object), ['run_id']);
    const calls = ['/v1/integrations/connectors', '/openapi.json', '/docs'];
    for (const path of calls) assert.equal((await worker.send('GET', path)).status, 404, path);
    assert.equal((await worker.settled(id)).state, 'succeeded');
    await worker.assertExact(id, KIND);
  });

  test('what a process was asked for that does no syncs is begun by another one', async () => {
    await using api = await startReplicating(ground, { role: 'api' });
    await using worker = await startReplicating(ground, { role: 'worker' });
    const id = await api.create(KIND);
    assert.equal((await worker.settled(id)).state, 'succeeded');
    await api.sync(id);
    const { last } = await ground.store.syncs.runs(id);
    assert.partialDeepStrictEqual(last, { cause: 'demand', state: 'succeeded' });
  });

  test('a connector is synced again by schedule', async () => {
    await using running = await startReplicating(ground, { replication: { intervalMs: 50 } });
    const id = await running.create(KIND);
    await poll(async () => {
      const { last } = await ground.store.syncs.runs(id);
      return last?.cause === 'schedule' && last.state === 'succeeded' ? true : undefined;
    });
    await running.patch(id, { paused: true });
  });
});
