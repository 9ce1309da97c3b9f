import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { KindName } from '@patchbay/connectors';
import { sizeOf } from '@patchbay/connectors/testing';
import { openStore, type Store } from '@patchbay/store';
import { queryOnce, SHARED } from '@patchbay/store/testing';
import { startCuttingProxy } from './support/cutting-proxy.ts';
import { atRandomMoment } from './support/random-moments.ts';
import {
  makeReplicationGround,
  startReplicating,
  waitUntilSettled,
  type ReplicationGround,
} from './support/replicating.ts';

const KINDS: readonly KindName[] = ['chat-workspace', 'support-ticketing'];
const LOSSES = sizeOf('lost connections');
/** Connections of the service that a test opens beside those of the test itself. */
const SERVICE = `the service under test ${process.pid}`;

describe('database connections that are lost during syncs', { skip: SHARED.skip }, () => {
  let ground: ReplicationGround;
  before(async () => {
    ground = await makeReplicationGround(SHARED, { scale: 60 });
  });
  after(() => ground[Symbol.asyncDispose]());

  /** Syncs connectors by a service on that store, while `lose` is called again and again. */
  const syncWhile = async (store: Store, lose: () => Promise<void> | void) => {
    await using running = await startReplicating(
      { ...ground, store },
      { replication: { leaseTtlMs: 1_500 } },
    );
    // Slow enough for all of them to find a sync under way.
    const slowness = ground.sandbox.faults.add({ kind: 'delay', delayMs: 10 + LOSSES });
    const ids: string[] = [];
    for (const kind of KINDS) ids.push(await running.create(kind));
    for (let losses = 0; losses < LOSSES; losses++) {
      await atRandomMoment(150);
      await lose();
    }
    slowness.release();
    for (const [index, id] of ids.entries()) {
      const run = await waitUntilSettled(ground.store, id);
      assert.equal(run.state, 'succeeded', JSON.stringify(run));
      const kind = KINDS[index];
      if (kind !== undefined) await running.assertExact(id, kind);
    }
  };

  test(`after ${LOSSES} times that the server ended all of them, the copies equal the upstream`, async () => {
    const url = new URL(ground.place.options.databaseUrl ?? '');
    url.searchParams.set('application_name', SERVICE);
    await using store = await openStore({ databaseUrl: url.href });
    const connection = await ground.place.connection();
    let ended = 0;
    await syncWhile(store, async () => {
      const rows = await queryOnce(
        connection,
        'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1',
        [SERVICE],
      );
      ended += rows.length;
    });
    assert.ok(ended >= LOSSES, `${ended} connections`);
  });

  test(`after ${LOSSES} cuts of the network the copies equal the upstream`, async () => {
    const url = new URL(ground.place.options.databaseUrl ?? '');
    await using proxy = await startCuttingProxy(url.hostname, Number(url.port || 5432));
    url.hostname = '127.0.0.1';
    url.port = String(proxy.port);
    await using store = await openStore({ databaseUrl: url.href });
    let cut = 0;
    await syncWhile(store, () => {
      cut += proxy.cutAfterBytes();
    });
    assert.ok(cut >= LOSSES / 2, `${cut} cuts`);
  });
});
