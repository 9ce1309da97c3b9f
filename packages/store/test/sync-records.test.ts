import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { isStoreError, openStore } from '../src/index.ts';
import type { CopyRecord } from '../src/contract/copies.ts';
import type { EntitySync, Lease } from '../src/contract/syncs.ts';
import { openTestStore, queryOnce, type TestStore } from './support/open-test-store.ts';
import { addConnector } from './support/sample-rows.ts';
import {
  countRecords,
  END,
  FULL,
  INCREMENT,
  LONG_MS,
  numberedPage,
  page,
  PAGE_SIZE,
  startRun,
  takeLease,
  users,
} from './support/sample-syncs.ts';
import { startProcess } from './support/start-store-process.ts';
import { TEST_DATABASES, type TestDatabase, type TestPlace } from './support/test-databases.ts';
import { until } from './support/until.ts';

const KIND = 'chat-workspace';

function posted(channel: string, ts: string): CopyRecord {
  return { key: `${channel}:${ts}`, values: { channel, ts, text: 'x' } };
}

/** A number in letters: words of digits are no words. */
function letters(number: number): string {
  return String(number).replaceAll(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)));
}

/** More than what is deleted in one step. */
const MANY = 2_500;

for (const database of TEST_DATABASES) {
  describe(`records of reads on ${database.name}`, { skip: database.skip }, () => {
    let store: TestStore;
    before(async () => {
      store = await openTestStore(database);
    });
    after(() => store.close());

    test('are committed with the position, and counted', async () => {
      const lease = await takeLease(store);
      const { resumedAt: askedAt } = await store.syncs.beginRead(lease, FULL);
      const first = page('first', { records: users(0, 3), pages: 2, askedAt });
      const { committedAt, ...written } = await store.syncs.commitBatch(lease, first);
      assert.deepEqual(written, { added: 3, changed: 0, deleted: 0 });
      const again = page('second', { records: users(2, 5, 'Bob'), askedAt: committedAt });
      const rewritten = await store.syncs.commitBatch(lease, again);
      assert.deepEqual([rewritten.added, rewritten.changed], [2, 1]);
      const entity = await find(lease);
      assert.equal(entity.recordCount, 5);
      const { startedAt, ...progress } = entity.progress ?? {};
      assert.ok(startedAt !== undefined);
      assert.deepEqual(progress, { mode: 'full', records: 6, pages: 3, position: 'second' });
      assert.equal(await countUsers(lease.connectorId), 5);
    });

    test('stay out together with the position', async () => {
      const lease = await takeLease(store);
      await store.syncs.beginRead(lease, FULL);
      await store.syncs.commitBatch(lease, page('first', { records: users(0, 3) }));
      const first = await find(lease);
      const unstorable = page('second', {
        records: [...users(3, 6), { key: 'U6', values: { updated: 'no number' } }],
      });
      await assert.rejects(store.syncs.commitBatch(lease, unstorable));
      assert.deepEqual(await find(lease), first);
      const circular: Record<string, unknown> = {};
      circular['self'] = circular;
      await assert.rejects(
        store.syncs.commitBatch(lease, page(circular, { records: users(3, 6) })),
        /circular/,
      );
      assert.deepEqual(await find(lease), first);
      assert.equal(await countUsers(lease.connectorId), 3);
    });

    test('go where the upstream says that they are deleted', async () => {
      const lease = await takeLease(store);
      await readAll(lease, users(0, 5));
      const { resumedAt: askedAt } = await store.syncs.beginRead(lease, INCREMENT);
      const deletedKeys = ['U1', 'U3', 'unknown'];
      const { added, changed } = await store.syncs.commitBatch(
        lease,
        page('end', { records: users(5, 6), deletedKeys, askedAt }),
      );
      assert.deepEqual([added, changed], [1, 0]);
      assert.equal((await find(lease)).recordCount, 4);
      assert.deepEqual(await store.syncs.finishRead(lease, END), { deleted: 0 });
      assert.equal((await find(lease)).recordCount, 4);
      assert.equal(await countUsers(lease.connectorId), 4);
    });

    test('that our own writes add are counted, once', async () => {
      const lease = await takeLease(store);
      const { resumedAt: askedAt } = await store.syncs.beginRead(lease, FULL);
      await store.syncs.commitBatch(lease, page('first', { records: users(0, 2), askedAt }));
      const copy = { connectorId: lease.connectorId, kind: KIND, entity: 'users' };
      for (const record of users(1, 3, 'Ours')) await store.copies.merge(copy, record);
      assert.equal((await find(lease)).recordCount, 3);
      await store.syncs.commitBatch(lease, page('end', { records: users(1, 4), askedAt }));
      assert.equal((await find(lease)).recordCount, 4);
      assert.equal(await countUsers(lease.connectorId), 4);
    });

    test('that our own writes add wait for no page, nor a page for them', async () => {
      const lease = await takeLease(store);
      await store.syncs.beginRead(lease, FULL);
      const copy = { connectorId: lease.connectorId, kind: KIND, entity: 'users' };
      for (let round = 0; round < 20; round++) {
        // Words that nobody had before, which whoever is first holds to the end.
        const name = ['one', 'two', 'three'].map((word) => `${word}${letters(round)}`).join(' ');
        const named = (key: string) => ({ key, values: { id: key, name, real_name: name } });
        const records = Array.from({ length: 20 }, (_, nth) => named(`P${round}-${nth}`));
        await Promise.all([
          store.syncs.commitBatch(lease, page(round, { records })),
          ...['a', 'b', 'c'].map((each) => store.copies.merge(copy, named(`W${round}-${each}`))),
        ]);
      }
      const counted = (await find(lease)).recordCount;
      assert.deepEqual([counted, await countUsers(lease.connectorId)], [460, 460]);
    });

    test('of which no parent is left go, but for what we wrote meanwhile', async () => {
      const lease = await takeLease(store);
      const kind = KIND;
      const { connectorId } = lease;
      const read = async (entity: string, records: readonly CopyRecord[]) => {
        const reading = { entity, mode: 'full', definitionHash: 'x' } as const;
        const { resumedAt: askedAt } = await store.syncs.beginRead(lease, reading);
        await waitForTick();
        await store.syncs.commitBatch(lease, { ...page('end', { records, askedAt }), entity });
        await store.syncs.finishRead(lease, { entity, kind });
      };
      const long = 'C'.repeat(301);
      await read('channel_messages', [posted('C1', '1'), posted(`${long}1`, '1')]);
      await read('threads', [
        ...['1', '2'].map((ts) => posted('C1', ts)),
        ...['1', '2'].map((ts) => posted('C2', ts)),
        posted(`${long}1`, '2'),
        posted(`${long}2`, '2'),
      ]);
      const begun = new Date(await readClock());
      await waitForTick();
      const copy = { connectorId, kind, entity: 'threads' };
      await store.copies.merge(copy, posted('C3', '3'));
      assert.equal(await countRecords(store, copy), 7);
      const link = { field: 'channel', of: 'channel' };
      const orphans = { kind, entity: 'threads', parent: 'channel_messages', link, losses: 5 };
      const deleted = async (of: Date | null) =>
        (await store.syncs.deleteOrphans(lease, { ...orphans, before: of })).deleted;
      assert.equal(await deleted(null), 3);
      assert.equal(await deleted(begun), 0);
      await waitForTick();
      assert.equal(await deleted(new Date(await readClock())), 1);
      assert.equal(await countRecords(store, copy), 3);
      const [threads] = await store.syncs.entities(connectorId, ['threads']);
      assert.deepEqual([threads?.losses, threads?.settledLosses], [4, 5]);
    });

    test('are counted as lost, however they go', async () => {
      const lease = await takeLease(store);
      await readAll(lease, users(0, MANY));
      assert.equal((await find(lease)).losses, 0);
      await waitForTick();
      await readAll(lease, users(0, 15));
      assert.equal((await find(lease)).losses, MANY - 15);
      const { resumedAt: askedAt } = await store.syncs.beginRead(lease, INCREMENT);
      const deletedKeys = ['U1', 'U3', 'unknown'];
      await store.syncs.commitBatch(lease, page('end', { records: [], deletedKeys, askedAt }));
      assert.equal((await find(lease)).losses, MANY - 13);
    });

    test('that a full read has not seen go, in steps', async () => {
      const lease = await takeLease(store);
      const other = await takeLease(store);
      await readAll(lease, users(0, MANY));
      await readAll(other, users(0, 10));
      assert.equal((await find(lease)).recordCount, MANY);
      await waitForTick();
      assert.deepEqual(await readAll(lease, users(5, 15)), { deleted: MANY - 10 });
      assert.equal((await find(lease)).recordCount, 10);
      assert.equal(await countUsers(lease.connectorId), 10);
      assert.equal(await countUsers(other.connectorId), 10);
    });

    test('go even if the reader changes half way', async () => {
      const stalled = await takeLease(store, { ttlMs: 0 });
      const { connectorId } = stalled;
      await readAll(stalled, users(0, MANY));
      await waitForTick();
      const { resumedAt: askedAt } = await store.syncs.beginRead(stalled, FULL);
      await store.syncs.commitBatch(stalled, page('end', { records: users(0, 10), askedAt }));
      const [late, lease] = await Promise.all([
        store.syncs.finishRead(stalled, END).catch((error: unknown) => error),
        takeLease(store, { connectorId }),
      ]);
      // On a server it may be through with all steps before the other one gets its turn.
      if (late instanceof Error) {
        assert.ok(isStoreError(late, 'lease_lost'));
        assert.equal((await store.syncs.beginRead(lease, FULL)).position, 'end');
        await store.syncs.finishRead(lease, END);
      }
      const entity = await find(lease);
      assert.deepEqual([entity.recordCount, entity.isComplete], [10, true]);
      assert.equal(await countUsers(connectorId), 10);
    });

    test('that an abandoned full read has seen do not count as seen by the next', async () => {
      const lease = await takeLease(store);
      await readAll(lease, users(0, 5));
      const { resumedAt: askedAt } = await store.syncs.beginRead(lease, FULL);
      await store.syncs.commitBatch(lease, page('half way', { records: users(0, 5), askedAt }));
      await store.syncs.failRead(lease, {
        entity: 'users',
        problem: { code: 'upstream_failed', message: 'It failed.' },
        keepsPosition: false,
      });
      await waitForTick();
      assert.deepEqual(await readAll(lease, users(0, 2)), { deleted: 3 });
    });

    test('of a deleted connector are cleared in steps, and with them all else', async () => {
      const lease = await takeLease(store);
      const other = await takeLease(store);
      await readAll(lease, users(0, MANY));
      await readAll(other, users(0, 10));
      const connector = { connectorId: lease.connectorId, kind: KIND };
      await assert.rejects(store.syncs.clearSome(connector, 10), /is not deleted/);

      await store.connectors.delete(lease.connectorId, randomUUID());
      assert.deepEqual(await listUncleared(), [connector]);
      let steps = 0;
      while (await store.syncs.clearSome(connector, 1_000)) {
        steps += 1;
        assert.equal((await listUncleared()).length, 1);
      }
      assert.ok(steps >= 3);
      assert.deepEqual(await listUncleared(), []);
      assert.equal(await store.syncs.clearSome(connector, 1_000), false);
      for (const table of await copyTables()) {
        const [row] = await store.query(
          `select count(*)::int as count from ${table} where connector_id = $1`,
          [lease.connectorId],
        );
        assert.deepEqual([table, row?.['count']], [table, 0]);
      }
      assert.equal(await countUsers(other.connectorId), 10);
      await assert.rejects(store.syncs.commitBatch(lease, numberedPage(1)), (error) =>
        isStoreError(error, 'lease_lost'),
      );
      assert.equal(await countUsers(lease.connectorId), 0);
    });

    test('of deleted connectors are listed by the age of the deletion', async () => {
      const ids: string[] = [];
      for (let index = 0; index < 3; index += 1) ids.push((await addConnector(store)).id);
      for (const [index, id] of ids.entries()) {
        await store.connectors.delete(id, randomUUID());
        await store.query(
          `update patchbay.connector_syncs
            set deleted_at = now() - interval '1 hour' + $2 * interval '1 second'
            where connector_id = $1`,
          [id, index],
        );
      }
      const listed = await store.syncs.uncleared(2);
      assert.deepEqual(
        listed.map(({ connectorId }) => connectorId),
        ids.slice(0, 2),
      );
      for (const each of await store.syncs.uncleared(10)) {
        assert.equal(await store.syncs.clearSome(each, 10), false);
      }
    });

    test('stay away, whatever is under way when the connector is deleted', async () => {
      for (let round = 0; round < 20; round += 1) {
        const lease = await takeLease(store);
        const { connectorId } = lease;
        const connector = { connectorId, kind: KIND };
        const run = await startRun(store, lease);
        await store.syncs.beginRead(lease, FULL);
        const outcomes = await Promise.allSettled([
          store.syncs.commitBatch(lease, numberedPage(1)),
          store.syncs.renewLease(lease, LONG_MS),
          store.syncs.requestRun(connectorId, { id: randomUUID(), cause: 'demand' }),
          store.syncs.beginRead(lease, { ...FULL, entity: 'channels' }),
          store.connectors.delete(connectorId, randomUUID()),
          store.syncs.commitBatch(lease, numberedPage(2)),
          store.syncs.finishRun(lease, { runId: run.id, state: 'succeeded', nextInMs: 0 }),
          store.syncs.takeLease({ connectorId, owner: lease.owner, ttlMs: LONG_MS }),
          store.syncs.requestRun(connectorId, { id: randomUUID(), cause: 'demand' }),
          store.syncs.uncleared(10),
        ]);
        for (const outcome of outcomes) {
          if (outcome.status === 'fulfilled') continue;
          const { message } = outcome.reason as Error;
          assert.ok(isStoreError(outcome.reason, 'lease_lost'), message);
        }
        const late = store.syncs.commitBatch(lease, numberedPage(3)).catch(() => undefined);
        while (await store.syncs.clearSome(connector, 2));
        await late;
        assert.equal(await countUsers(connectorId), 0);
        assert.deepEqual(await store.syncs.runs(connectorId), {
          current: undefined,
          last: undefined,
        });
      }
    });

    async function readAll(lease: Lease, records: ReturnType<typeof users>) {
      const { resumedAt: askedAt } = await store.syncs.beginRead(lease, FULL);
      await store.syncs.commitBatch(lease, page('end', { records, askedAt }));
      return await store.syncs.finishRead(lease, END);
    }

    async function find(lease: Lease): Promise<EntitySync> {
      const [entity] = await store.syncs.entities(lease.connectorId, ['users']);
      assert.ok(entity !== undefined);
      return entity;
    }

    function countUsers(connectorId: string): Promise<number> {
      return countRecords(store, { connectorId, kind: KIND, entity: 'users' });
    }

    function listUncleared() {
      return store.syncs.uncleared(10);
    }

    /** Every table with something of a connector, but for the connectors themselves. */
    async function copyTables(): Promise<readonly string[]> {
      const rows = await store.query(
        `select format('%I.%I', table_schema, table_name) as name
          from information_schema.columns
          where table_schema = 'patchbay' and column_name = 'connector_id'`,
      );
      assert.ok(rows.length > 3);
      return rows.map(({ name }) => String(name));
    }

    /** A record that was written in the same millisecond as a read began counts as newer. */
    async function waitForTick(): Promise<void> {
      const now = await readClock();
      await until(async () => (await readClock()) > now);
    }

    async function readClock(): Promise<number> {
      const [row] = await store.query(
        'select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
      );
      return Number(row?.['ms']);
    }
  });

  test(
    `the position is never ahead of the records on ${database.name}`,
    { skip: database.skip },
    async () => {
      await using store = await openTestStore(database);
      const lease = await takeLease(store);
      const copy = { connectorId: lease.connectorId, kind: KIND, entity: 'users' };
      const { resumedAt: askedAt } = await store.syncs.beginRead(lease, FULL);
      const done = new AbortController();
      const committing = store.syncs
        .commitBatch(lease, page('end', { records: users(0, MANY), askedAt }))
        .finally(() => done.abort());
      const seen = new Set<number>();
      while (!done.signal.aborted) {
        const [row] = await store.query(
          `select s.record_count::int as counted, s.read_records::int as read, s.has_page,
            s.read_position #>> '{}' as position, (
              select count(*)::int from patchbay.copy_chat_workspace_users
              where connector_id = s.connector_id
            ) as present
          from patchbay.entity_syncs s where connector_id = $1`,
          [lease.connectorId],
        );
        const { counted, read, has_page: hasPage, position, present } = row ?? {};
        assert.equal(counted, present);
        const isWhole = present === MANY;
        const expected = isWhole ? [MANY, true, 'end'] : [0, false, null];
        assert.deepEqual([read, hasPage, position], expected);
        seen.add(Number(present));
      }
      const { added, changed, deleted } = await committing;
      assert.deepEqual([added, changed, deleted], [MANY, 0, 0]);
      assert.equal(await countRecords(store, copy), MANY);
      // Others are served in between only where they could not be at the same time.
      const between = [...seen].filter((count) => count > 0 && count < MANY);
      assert.equal(between.length > 0, store.profile.sharesOneSession);
    },
  );

  test(
    `a reader that is killed loses no page on ${database.name}`,
    {
      skip: database.skip,
    },
    async () => {
      await using place = await makePlace(database);
      const connectorId = await makeConnector(place);
      let acknowledged = 0;
      for (const pages of [1, 4]) {
        const reader = startProcess('sync-process.ts', place.options, connectorId);
        for (let count = 0; count < pages; count += 1) {
          const number = Number(await reader.nextLine());
          assert.ok(number > acknowledged, 'no page comes twice');
          acknowledged = number;
        }
        await reader.kill();
        await expireLease(place, connectorId);
      }
      await using store = await openStore(place.options);
      const lease = await takeLease(store, { connectorId });
      const { position, pages, records } = await store.syncs.beginRead(lease, FULL);
      assert.ok(Number(position) >= acknowledged);
      assert.deepEqual([pages, records], [position, pages * PAGE_SIZE]);
      const copy = { connectorId, kind: KIND, entity: 'users' };
      assert.equal(await countRecords(store, copy), records);
      assert.deepEqual(await store.syncs.finishRead(lease, END), { deleted: 0 });
      const [entity] = await store.syncs.entities(connectorId, ['users']);
      assert.equal(entity?.recordCount, records);
    },
  );

  test(
    `clearing goes on after a restart on ${database.name}`,
    {
      skip: database.skip,
    },
    async () => {
      await using place = await makePlace(database);
      const connectorId = await makeConnector(place);
      const connector = { connectorId, kind: KIND };
      {
        await using store = await openStore(place.options);
        const lease = await takeLease(store, { connectorId });
        const { resumedAt: askedAt } = await store.syncs.beginRead(lease, FULL);
        await store.syncs.commitBatch(lease, page('end', { records: users(0, 50), askedAt }));
        await store.connectors.delete(connectorId, randomUUID());
        assert.equal(await store.syncs.clearSome(connector, 20), true);
      }
      await using store = await openStore(place.options);
      assert.equal((await store.syncs.uncleared(10)).length, 1);
      while (await store.syncs.clearSome(connector, 20));
      assert.deepEqual(await store.syncs.uncleared(10), []);
      assert.equal(await countRecords(store, { ...connector, entity: 'users' }), 0);
    },
  );
}

async function makeConnector(place: TestPlace): Promise<string> {
  await using store = await openStore(place.options);
  return (await addConnector(store)).id;
}

/** On a server a killed process keeps its lease for a while. */
async function expireLease(place: TestPlace, connectorId: string): Promise<void> {
  if (place.options.databaseUrl === undefined) return;
  await queryOnce(
    await place.connection(),
    'update patchbay.connector_syncs set lease_expires_at = now() where connector_id = $1',
    [connectorId],
  );
}

async function makePlace(database: TestDatabase): Promise<TestPlace & AsyncDisposable> {
  const place = await database.makeMigrated();
  return { ...place, [Symbol.asyncDispose]: () => place.remove() };
}
