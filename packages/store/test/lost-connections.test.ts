import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { Client } from 'pg';
import { isStoreError } from '../src/index.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { SHARED } from './support/test-databases.ts';
import { until } from './support/until.ts';

describe('connections that are lost in the middle of a statement', { skip: SHARED.skip }, () => {
  let store: TestStore;
  let locker: Client;
  const ended: unknown[] = [];
  before(async () => {
    store = await openTestStore(SHARED);
    locker = new Client(store.connection);
    await locker.connect();
  });
  after(async () => {
    await locker.end();
    await store.close();
  });

  /** Ends the connection of a statement that waits for the lock, another one each time. */
  const endWaiting = async (): Promise<void> => {
    await until(async () => {
      const rows = await store.query(
        "select pid, pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and pid <> all($1)",
        [ended],
      );
      ended.push(...rows.map(({ pid }) => pid));
      return rows.length > 0;
    });
  };

  test('cost a read nothing', async () => {
    const id = randomUUID();
    await store.organizations.create({ id, name: 'One' });
    await locker.query('begin; lock table patchbay.organizations in access exclusive mode');
    const reading = store.organizations.list();
    await endWaiting();
    await locker.query('rollback');
    assert.deepEqual(await reading, [{ id, name: 'One' }]);
  });

  test('end a read that loses two of them', async () => {
    await locker.query('begin; lock table patchbay.organizations in access exclusive mode');
    const reading = assert.rejects(store.organizations.list(), isUnreachable);
    await endWaiting();
    await endWaiting();
    await reading;
    await locker.query('rollback');
  });

  test('end a write at once, which is not repeated', async () => {
    const id = randomUUID();
    await locker.query('begin; lock table patchbay.organizations in access exclusive mode');
    const writing = assert.rejects(store.organizations.create({ id, name: 'Two' }), isUnreachable);
    await endWaiting();
    await writing;
    await locker.query('rollback');
    const all = await store.organizations.list();
    assert.ok(all.every((organization) => organization.id !== id));
  });

  test('end a transaction, and are not used again', async () => {
    const connectorId = randomUUID();
    await locker.query('begin; lock table patchbay.connectors in access exclusive mode');
    const deleting = assert.rejects(
      store.connectors.delete(connectorId, randomUUID()),
      isUnreachable,
    );
    await endWaiting();
    await deleting;
    await locker.query('rollback');
    assert.equal(await store.connectors.delete(connectorId, randomUUID()), undefined);
  });
});

function isUnreachable(error: unknown): boolean {
  return isStoreError(error, 'database_unreachable');
}
