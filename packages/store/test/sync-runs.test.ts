import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { MIGRATIONS } from '../src/migrations/all.ts';
import { migrate } from '../src/migrations/migrate.ts';
import { openKysely } from './support/open-kysely.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { addApplication, addConnector, addOldConnector } from './support/sample-rows.ts';
import { LONG_MS, startRun, takeLease } from './support/sample-syncs.ts';
import { TEST_DATABASES } from './support/test-databases.ts';

const SUCCEEDED = { state: 'succeeded', nextInMs: LONG_MS } as const;
const FAILED = {
  state: 'failed',
  nextInMs: LONG_MS,
  problem: { entity: null, code: 'credentials_rejected', message: 'The token is of no use.' },
} as const;

/** The two ways to stop the copying of a connector. */
const STOPPED = {
  paused: (isPaused: boolean) => ({ isPaused }),
  disabled: (isDisabled: boolean) => ({ isDisabled }),
};

for (const database of TEST_DATABASES) {
  describe(`runs on ${database.name}`, { skip: database.skip }, () => {
    let store: TestStore;
    before(async () => {
      store = await openTestStore(database);
    });
    after(() => store.close());

    test('that are asked for at once become one', async () => {
      const { id } = await addConnector(store);
      const asked = Array.from({ length: 20 }, () => randomUUID());
      const ids = await Promise.all(
        asked.map((run) => store.syncs.requestRun(id, { id: run, cause: 'demand' })),
      );
      assert.equal(new Set(ids).size, 1);
      assert.ok(asked.some((run) => run === ids[0]));
      const { current, last } = await store.syncs.runs(id);
      assert.ok(current !== undefined);
      const { requestedAt, ...rest } = current;
      assert.deepEqual(rest, {
        id: ids[0],
        cause: 'demand',
        state: 'queued',
        startedAt: null,
        finishedAt: null,
        entities: [],
        recordsRead: 0,
        recordsWritten: 0,
        recordsDeleted: 0,
        problem: null,
      });
      assert.ok(requestedAt <= new Date(Date.now() + 1_000));
      assert.equal(last, undefined);
    });

    test('are demanded only so often, unless one is queued', async () => {
      const lease = await takeLease(store);
      const demand = (apartMs: number) =>
        store.syncs.demandRun(lease.connectorId, { id: randomUUID(), apartMs });
      const finish = (runId: string) => store.syncs.finishRun(lease, { ...SUCCEEDED, runId });
      // One that nobody demanded is in nobody's way.
      await store.syncs.requestRun(lease.connectorId, { id: randomUUID(), cause: 'creation' });
      await finish((await store.syncs.startRun(lease))?.id ?? '');
      const first = await demand(LONG_MS);
      assert.ok(first !== undefined && 'runId' in first);
      assert.deepEqual(await demand(LONG_MS), first);
      const assertRefused = async () => {
        const refused = await demand(LONG_MS);
        assert.ok(refused !== undefined && 'waitMs' in refused);
        assert.ok(refused.waitMs > LONG_MS - 60_000 && refused.waitMs <= LONG_MS);
      };
      assert.equal((await store.syncs.startRun(lease))?.id, first.runId);
      await assertRefused();
      await finish(first.runId);
      await assertRefused();
      const queued = await store.syncs.requestRun(lease.connectorId, {
        id: randomUUID(),
        cause: 'credentials',
      });
      assert.deepEqual(await demand(LONG_MS), { runId: queued });
      await store.syncs.startRun(lease);
      await store.query(
        `update patchbay.sync_runs set requested_at = to_timestamp(extract(epoch from requested_at - to_timestamp(0)) - 86400)
         where connector_id = $1`,
        [lease.connectorId],
      );
      const next = await demand(3_600_000);
      assert.ok(next !== undefined && 'runId' in next && next.runId !== queued);
      await store.query(
        `update patchbay.sync_runs set requested_at = to_timestamp(extract(epoch from requested_at - to_timestamp(0)) + 9 * 86400)
         where connector_id = $1 and state = 'queued'`,
        [lease.connectorId],
      );
      await finish(queued ?? '');
      await store.syncs.startRun(lease);
      assert.ok('runId' in ((await demand(LONG_MS)) ?? {}), 'a future demand counts');
    });

    test('that ended while the clock was ahead are not the last ones once another has ended', async () => {
      const lease = await takeLease(store);
      const id = lease.connectorId;
      const run = async (end: typeof SUCCEEDED | typeof FAILED) => {
        await store.syncs.requestRun(id, { id: randomUUID(), cause: 'creation' });
        const { id: runId = '' } = (await store.syncs.startRun(lease)) ?? {};
        await store.syncs.finishRun(lease, { ...end, runId });
        return runId;
      };
      const last = async () => (await store.syncs.runs(id)).last?.id;
      const ahead = await run(FAILED);
      await store.query(
        `update patchbay.sync_runs set finished_at = to_timestamp(extract(epoch from finished_at - to_timestamp(0)) + 3600)
         where connector_id = $1`,
        [id],
      );
      assert.equal(await last(), ahead);
      const right = await run(SUCCEEDED);
      assert.equal(await last(), right);
      const failed = await run(FAILED);
      assert.equal(await last(), failed);
      const [standing] = await store.syncs.standings({ connectorIds: [id], entities: [] });
      assert.equal(standing?.problem?.code, FAILED.problem.code);
    });

    test('demanded by many at once become one', async () => {
      const { id } = await addConnector(store);
      const ids = await Promise.all(
        Array.from({ length: 20 }, () =>
          store.syncs.demandRun(id, { id: randomUUID(), apartMs: LONG_MS }),
        ),
      );
      for (const each of ids) assert.deepEqual(each, ids[0]);
      assert.ok(ids[0] !== undefined && 'runId' in ids[0]);
    });

    test('cannot be asked for where there is no connector', async () => {
      const run = { id: randomUUID(), cause: 'demand' } as const;
      const { id } = await addConnector(store);
      await store.connectors.delete(id, randomUUID());
      for (const connectorId of [id, randomUUID(), 'nobody']) {
        assert.equal(await store.syncs.requestRun(connectorId, run), undefined);
        const demanded = { id: randomUUID(), apartMs: LONG_MS };
        assert.equal(await store.syncs.demandRun(connectorId, demanded), undefined);
        assert.deepEqual(await store.syncs.runs(connectorId), {
          current: undefined,
          last: undefined,
        });
      }
    });

    test('begin once; another may wait behind the one that runs', async () => {
      const lease = await takeLease(store);
      assert.equal(await store.syncs.startRun(lease), undefined);
      const run = await startRun(store, lease);
      assert.equal(run.state, 'running');
      assert.ok(run.startedAt !== null && run.startedAt >= run.requestedAt);
      const queued = await store.syncs.requestRun(lease.connectorId, {
        id: randomUUID(),
        cause: 'credentials',
      });
      assert.notEqual(queued, run.id);
      assert.deepEqual(await store.syncs.startRun(lease), run);
      assert.deepEqual((await store.syncs.runs(lease.connectorId)).current, run);

      await store.syncs.finishRun(lease, { ...SUCCEEDED, runId: run.id });
      assert.equal((await store.syncs.startRun(lease))?.id, queued);
    });

    test('that a former holder left are gone on with', async () => {
      const lost = await takeLease(store, { ttlMs: 0 });
      const run = await startRun(store, lost);
      const lease = await takeLease(store, { connectorId: lost.connectorId });
      assert.deepEqual(await store.syncs.startRun(lease), run);
    });

    for (const [what, change] of Object.entries(STOPPED))
      test(`do not begin while the connector is ${what}`, async () => {
        const lease = await takeLease(store);
        const id = randomUUID();
        await store.syncs.requestRun(lease.connectorId, { id, cause: 'demand' });
        await store.connectors.update(lease.connectorId, change(true));
        assert.equal(await store.syncs.startRun(lease), undefined);
        await store.connectors.update(lease.connectorId, change(false));
        assert.equal((await store.syncs.startRun(lease))?.id, id);
      });

    for (const [how, stop] of Object.entries(STOPPED))
      test(`that a former holder left end where the connector is ${how} meanwhile`, async () => {
        const lost = await takeLease(store);
        const { connectorId } = lost;
        const { id } = await startRun(store, lost);
        await store.syncs.renewLease(lost, 0);
        await store.connectors.update(connectorId, stop(true));
        const lease = await takeLease(store, { connectorId });
        assert.equal(await store.syncs.startRun(lease), undefined);
        await store.syncs.releaseLease(lease);
        const { current, last } = await store.syncs.runs(connectorId);
        assert.deepEqual([current, last?.id, last?.state], [undefined, id, 'cancelled']);
        assert.equal(await store.syncs.isDue(connectorId), false);
        await store.connectors.update(connectorId, stop(false));
        assert.equal(await store.syncs.isDue(connectorId), true);
      });

    test('that succeed tell when the connector was last synced, and others do not', async () => {
      const lease = await takeLease(store);
      const unsynced = await findConnector(lease.connectorId);
      for (const state of ['failed', 'cancelled'] as const) {
        const run = await startRun(store, lease);
        await store.syncs.finishRun(lease, { runId: run.id, state, nextInMs: null });
        assert.deepEqual(await findConnector(lease.connectorId), unsynced);
      }
      const run = await startRun(store, lease);
      await store.syncs.finishRun(lease, { ...SUCCEEDED, runId: run.id });
      const { last } = await store.syncs.runs(lease.connectorId);
      const synced = await findConnector(lease.connectorId);
      assert.ok(synced.lastSyncedAt !== null && synced.lastSyncedAt >= run.requestedAt);
      assert.deepEqual(synced, {
        ...unsynced,
        revision: unsynced.revision + 1,
        lastSyncedAt: synced.lastSyncedAt,
      });
      assert.ok(last?.finishedAt != null && last.finishedAt >= synced.lastSyncedAt);
    });

    test('end once', async () => {
      const lease = await takeLease(store);
      const first = await startRun(store, lease);
      await store.syncs.finishRun(lease, { ...SUCCEEDED, runId: first.id });
      const second = await startRun(store, lease);
      await store.syncs.finishRun(lease, { runId: second.id, ...SUCCEEDED, state: 'failed' });
      const { current, last } = await store.syncs.runs(lease.connectorId);
      assert.equal(current, undefined);
      assert.deepEqual([last?.id, last?.state], [second.id, 'failed']);
      await store.syncs.finishRun(lease, { ...SUCCEEDED, runId: second.id });
      assert.deepEqual((await store.syncs.runs(lease.connectorId)).last, last);
    });

    async function findConnector(id: string) {
      const connector = await store.connectors.find(id);
      assert.ok(connector !== undefined);
      return connector;
    }
  });

  describe(`the schedule on ${database.name}`, { skip: database.skip }, () => {
    let store: TestStore;
    before(async () => {
      store = await openTestStore(database);
    });
    beforeEach(() =>
      store.query('delete from patchbay.connector_syncs; delete from patchbay.sync_queue'),
    );
    after(() => store.close());

    test('has new connectors at once, oldest first, as many as asked for', async () => {
      const ids = [];
      for (let index = 0; index < 5; index += 1) ids.push((await addConnector(store)).id);
      await setDue(store, ids);
      const due = await store.syncs.dueConnectors(3);
      const connectorIds = due.map(({ connectorId }) => connectorId);
      assert.deepEqual(connectorIds, ids.slice(0, 3));
      assert.ok(due.every(({ isUrgent }) => !isUrgent));
      assert.equal((await store.syncs.dueConnectors(10)).length, 5);
    });

    test('has those of a run that was asked for, since when it was', async () => {
      const { id: scheduled } = await addConnector(store);
      const { id: both } = await addConnector(store);
      const demanded = await takeLease(store);
      await setDue(store, [scheduled, both]);
      await store.syncs.finishRun(demanded, { ...SUCCEEDED, runId: randomUUID() });
      await store.syncs.releaseLease(demanded);
      assert.deepEqual(await dueIds(store), [scheduled, both]);
      for (const connectorId of [demanded.connectorId, both]) {
        await store.syncs.requestRun(connectorId, { id: randomUUID(), cause: 'demand' });
      }
      assert.deepEqual(await duties(store), [
        [scheduled, 'scheduled'],
        [both, 'urgent'],
        [demanded.connectorId, 'urgent'],
      ]);
    });

    test('tells whose a connector is, and of what kind', async () => {
      const { id, applicationId } = await addConnector(store, { kind: 'support-chat' });
      await store.syncs.requestRun(id, { id: randomUUID(), cause: 'schedule' });
      assert.deepEqual(await store.syncs.dueConnectors(10), [
        {
          connectorId: id,
          applicationId,
          kind: 'support-chat',
          isUrgent: false,
        },
      ]);
    });

    test('of many that one application has due leaves another its turn', async () => {
      const crowd = await addApplication(store);
      const crowdIds = [];
      for (let index = 0; index < 300; index += 1)
        crowdIds.push((await addConnector(store, { applicationId: crowd.id })).id);
      const { id: single } = await addConnector(store);
      await setDue(store, [...crowdIds, single]);
      const due = await store.syncs.dueConnectors(100);
      assert.deepEqual(
        due.map(({ connectorId }) => connectorId),
        [crowdIds[0], single, ...crowdIds.slice(1, 99)],
      );
    });

    test('comes to an application however many of others are due before', async () => {
      const { id: crowded, applicationId } = await addConnector(store);
      const { id: single } = await addConnector(store);
      await setDue(store, [crowded, single]);
      await addDueLike(crowded, 1_500);
      const due = await store.syncs.dueConnectors(10);
      assert.equal(due.filter((each) => each.applicationId === applicationId).length, 9);
      assert.equal(due[1]?.connectorId, single);
    });

    test('comes to every one of many applications in turn', async () => {
      const asked = new Set<string>();
      for (let index = 0; index < 250; index += 1) {
        const { id } = await addConnector(store);
        await store.syncs.requestRun(id, { id: randomUUID(), cause: 'demand' });
        asked.add(id);
      }
      const found = new Set<string>();
      for (let look = 0; look < 3; look += 1)
        for (const { connectorId } of await store.syncs.dueConnectors(100, [...found]))
          found.add(connectorId);
      assert.deepEqual(found, asked);
    });

    test('of one application has first what somebody asked for', async () => {
      const { id: applicationId } = await addApplication(store);
      const ids = [];
      for (let index = 0; index < 3; index += 1)
        ids.push((await addConnector(store, { applicationId })).id);
      const [first = '', second = '', third = ''] = ids;
      await setDue(store, ids);
      await store.syncs.requestRun(second, { id: randomUUID(), cause: 'schedule' });
      await store.syncs.requestRun(third, { id: randomUUID(), cause: 'creation' });
      assert.deepEqual(await dueIds(store), [third, first, second]);
    });

    /** Adds connectors of the same application that have been due for longer. */
    async function addDueLike(id: string, count: number): Promise<void> {
      await store.query(
        `with added as (
          insert into patchbay.connectors (id, application_id, organization_id, external_user_id, kind,
            name, config, auth_method, sealed_credentials)
          select gen_random_uuid(), application_id, organization_id, external_user_id, kind, name,
            config, auth_method, sealed_credentials
          from patchbay.connectors, generate_series(1, $2) where id = $1
          returning id, application_id
        )
        insert into patchbay.sync_queue (connector_id, application_id, kind, look_at)
        select id, application_id, 'chat-workspace', now() - interval '1 day' from added`,
        [id, count],
      );
    }

    test('of a clock that was wrong, has what is due later than any schedule', async () => {
      const wake = () =>
        store.syncs.wakeMisdated({
          longestMs: LONG_MS / 2,
          dueInMs: () => 0,
          signal: new AbortController().signal,
        });
      await wake();
      const put = (id: string, ms: number) =>
        store.query(
          `with put as (
            update patchbay.connector_syncs set lease_owner = 'gone', due_at = patchbay.clock() + $2 * interval '1 ms',
              lease_expires_at = patchbay.clock() + $2 * interval '1 ms'
            where connector_id = $1 returning connector_id, due_at
          )
          update patchbay.sync_queue set look_at = due_at, is_taken = true
          from put where put.connector_id = sync_queue.connector_id`,
          [id, ms],
        );
      const { id: misdated } = await addConnector(store);
      const { id: dated } = await addConnector(store);
      // Nothing is scheduled for it; somebody has asked.
      const { id: asked } = await addConnector(store, { firstRunId: randomUUID() });
      await store.connectors.update(asked, { state: 'reauth_required' });
      await store.query(
        `update patchbay.sync_runs set requested_at = patchbay.clock() + interval '1 day' where connector_id = $1`,
        [asked],
      );
      await store.query(
        `update patchbay.sync_queue set look_at = patchbay.clock() + interval '1 day' where connector_id = $1`,
        [asked],
      );
      await put(misdated, LONG_MS);
      await put(dated, LONG_MS / 4);
      assert.equal(await wake(), 2);
      assert.equal(await wake(), 0);
      assert.deepEqual(
        await Promise.all([misdated, dated, asked].map((id) => store.syncs.isDue(id))),
        [true, false, true],
      );
      const take = (connectorId: string) =>
        store.syncs.takeLease({ connectorId, owner: 'another', ttlMs: 1_000 });
      const lease = await take(misdated);
      assert.ok(lease !== undefined);
      assert.equal((await store.syncs.startRun(lease, { id: randomUUID() }))?.cause, 'schedule');
      assert.equal(await take(dated), undefined);
    });

    test('leaves out what somebody works on, until the lease runs out', async () => {
      const lease = await takeLease(store);
      await startRun(store, lease);
      assert.deepEqual(await dueIds(store), []);
      await store.syncs.renewLease(lease, 0);
      assert.deepEqual(await duties(store), [[lease.connectorId, 'urgent']]);
    });

    test('follows what the last run said', async () => {
      const { id } = await addConnector(store);
      const outcomes = [
        { nextInMs: LONG_MS, due: [] },
        { nextInMs: 0, due: [id] },
        { nextInMs: null, due: [] },
      ];
      for (const { nextInMs, due } of outcomes) {
        const lease = await takeLease(store, { connectorId: id });
        const run = await startRun(store, lease);
        await store.syncs.finishRun(lease, { runId: run.id, state: 'failed', nextInMs });
        await store.syncs.releaseLease(lease);
        assert.deepEqual(await dueIds(store), due);
      }
    });

    for (const [what, change] of Object.entries(STOPPED))
      test(`leaves out ${what} connectors, whatever was asked for`, async () => {
        const { id } = await addConnector(store);
        await store.connectors.update(id, change(true));
        assert.deepEqual(await lookAtAll(), []);
        await store.syncs.requestRun(id, { id: randomUUID(), cause: 'demand' });
        assert.deepEqual(await lookAtAll(), []);
        await store.connectors.update(id, change(false));
        assert.deepEqual(await lookAtAll(), [id]);
      });

    test('leaves out refused credentials, but not a run that was asked for', async () => {
      const { id } = await addConnector(store);
      await store.connectors.update(id, { state: 'reauth_required' });
      assert.deepEqual(await lookAtAll(), []);
      await store.syncs.requestRun(id, { id: randomUUID(), cause: 'demand' });
      assert.deepEqual(await lookAtAll(), [id]);
    });

    test('has those again whose credentials are accepted again', async () => {
      const { id } = await addConnector(store);
      await store.connectors.update(id, { state: 'reauth_required' });
      assert.deepEqual(await lookAtAll(), []);
      await store.connectors.update(id, { state: 'pending' });
      assert.deepEqual(await lookAtAll(), [id]);
    });

    test('begins a run itself where it has one due, and none where nobody wants one', async () => {
      const lease = await takeLease(store);
      const id = randomUUID();
      assert.partialDeepStrictEqual(await store.syncs.startRun(lease, { id }), {
        id,
        cause: 'schedule',
        state: 'running',
      });
      await store.syncs.finishRun(lease, { ...SUCCEEDED, runId: id });
      assert.equal(await store.syncs.startRun(lease, { id: randomUUID() }), undefined);
    });

    /** As workers do: whoever finds nothing to do leaves the connector. Returns where something was. */
    async function lookAtAll(): Promise<readonly string[]> {
      const found: string[] = [];
      for (const { connectorId } of await store.syncs.dueConnectors(10)) {
        const lease = await takeLease(store, { connectorId });
        if ((await store.syncs.startRun(lease, { id: randomUUID() })) !== undefined)
          found.push(connectorId);
        await store.syncs.releaseLease(lease);
      }
      assert.deepEqual(await dueIds(store), found);
      return found;
    }

    test('leaves out deleted connectors', async () => {
      const { id } = await addConnector(store);
      await store.syncs.requestRun(id, { id: randomUUID(), cause: 'demand' });
      await store.connectors.delete(id, randomUUID());
      assert.deepEqual(await dueIds(store), []);
    });
  });

  test(
    `connectors that were there before replication become due on ${database.name}`,
    {
      skip: database.skip,
    },
    async () => {
      await using store = await openTestStore(database);
      const kysely = openKysely(store);
      await store.query('drop schema patchbay cascade');
      await migrate(kysely, MIGRATIONS.slice(0, 1));
      const id = randomUUID();
      await addOldConnector(store, id);
      await migrate(kysely);
      await kysely.destroy();
      assert.deepEqual(await duties(store), [[id, 'scheduled']]);
    },
  );
}

async function dueIds(store: TestStore): Promise<readonly string[]> {
  return (await store.syncs.dueConnectors(10)).map(({ connectorId }) => connectorId);
}

/** What is due, and whether somebody asked for it. */
async function duties(store: TestStore): Promise<readonly (readonly [string, string])[]> {
  const due = await store.syncs.dueConnectors(10);
  return due.map(({ connectorId, isUrgent }) => [connectorId, isUrgent ? 'urgent' : 'scheduled']);
}

/** Lets connectors have become due one after the other, a while ago. */
async function setDue(store: TestStore, ids: readonly string[]): Promise<void> {
  await store.query(
    `update patchbay.sync_queue as s
      set look_at = now() - interval '1 hour' + place * interval '1 second'
      from unnest($1::uuid[]) with ordinality as due (id, place)
      where s.connector_id = due.id`,
    [ids],
  );
}
