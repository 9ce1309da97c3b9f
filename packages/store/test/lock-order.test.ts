/** Of what waits for each other's rows, PostgreSQL ends one: so nothing may. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from 'pg';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { addApplication, sampleConnectSession } from './support/sample-rows.ts';
import { END, FULL, INCREMENT, page, startRun, takeLease, users } from './support/sample-syncs.ts';
import { SERVER } from './support/test-databases.ts';
import { until } from './support/until.ts';

describe('locks of several statements', { skip: SERVER.skip }, () => {
  let store: TestStore;
  before(async () => {
    store = await openTestStore(SERVER);
  });
  after(() => store.close());

  /** Until so many statements wait for locks, or one of those that should has ended. */
  const untilWaiting = async (count: number, work: readonly Promise<unknown>[]) => {
    let hasEnded = false;
    const note = () => (hasEnded = true);
    for (const each of work) each.then(note, note);
    await until(async () => {
      const waiting = await store.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return hasEnded || waiting.length === count;
    });
  };

  /** Holds rows of somebody else's until it is disposed of. */
  const hold = async (sql: string, values: readonly unknown[]): Promise<AsyncDisposable> => {
    const client = new Client(store.connection);
    await client.connect();
    await client.query('begin');
    await client.query(sql, [...values]);
    return {
      [Symbol.asyncDispose]: async () => {
        await client.query('rollback');
        await client.end();
      },
    };
  };

  test('a page that deletes a record and a write to that record share words', async () => {
    const lease = await takeLease(store);
    await startRun(store, lease);
    const { resumedAt: askedAt } = await store.syncs.beginRead(lease, FULL);
    await store.syncs.commitBatch(lease, page(1, { records: users(0, 2), askedAt }));
    await store.syncs.finishRead(lease, END);
    await store.syncs.beginRead(lease, INCREMENT);
    const { connectorId } = lease;
    const ours = { key: 'U0', values: { id: 'U0', name: 'aardvark zebra' } };
    const theirs = page(2, { records: users(2, 3, 'zebra'), deletedKeys: ['U0'], askedAt });
    const work: Promise<unknown>[] = [];
    {
      // Of the merge's words the first, so that it holds the record and waits.
      await using _ = await hold(
        `insert into patchbay.copy_words (connector_id, entity, word, letters, keys)
         values ($1, 'users', 'aardvark', 0, '{}')`,
        [connectorId],
      );
      work.push(store.copies.merge({ connectorId, ...END }, ours));
      await untilWaiting(1, work);
      work.push(store.syncs.commitBatch(lease, theirs));
      await untilWaiting(2, work);
    }
    await Promise.all(work);
  });

  test('what is over is deleted while its user is', async () => {
    const [{ id: applicationId }, { id: another }] = [
      await addApplication(store),
      await addApplication(store),
    ];
    // In this order on the disk, and of the user's the last one is the first by its id.
    const sessions = [
      sampleConnectSession({ applicationId, id: 'f0000000-0000-4000-8000-000000000000' }),
      sampleConnectSession({ applicationId: another }),
      sampleConnectSession({ applicationId, id: '00000000-0000-4000-8000-000000000000' }),
    ];
    for (const session of sessions)
      await store.connectSessions.create(session, {
        secretHash: session.id,
        livesMs: -60_000,
        most: { perExternalUser: 9, perApplication: 9 },
      });
    const { connectSessions } = store;
    const work: Promise<number>[] = [];
    {
      await using _ = await hold(
        'select from patchbay.connect_sessions where application_id = $1 for update',
        [another],
      );
      // It would hold the first one now, and wait.
      work.push(connectSessions.deleteOlderThan(0, 10));
      await untilWaiting(1, work);
      work.push(connectSessions.deleteOf({ applicationId, externalUserId: 'user-1' }));
      await untilWaiting(2, work);
    }
    await Promise.all(work);
    assert.equal(await connectSessions.deleteOlderThan(0, 10), 1);
    assert.equal(await connectSessions.find(sessions[2]?.id ?? ''), undefined);
  });
});
