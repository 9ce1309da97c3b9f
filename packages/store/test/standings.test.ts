import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { Kysely, PostgresDialect, type CompiledQuery, type LogEvent } from 'kysely';
import type { CopyStanding, Lease } from '../src/contract/syncs.ts';
import type { Tables } from '../src/database.ts';
import { listStandings } from '../src/sync/standings.ts';
import { openTestStore, type TestStore } from './support/open-test-store.ts';
import { nodesOf, openPool, type PlanRow } from './support/plan.ts';
import { addConnector } from './support/sample-rows.ts';
import { END, FULL, page, startRun, takeLease, users } from './support/sample-syncs.ts';
import { TEST_DATABASES } from './support/test-databases.ts';

const ENTITIES = [
  { kind: 'chat-workspace', entity: 'users' },
  { kind: 'chat-workspace', entity: 'channels' },
  { kind: 'support-chat', entity: 'chats' },
];
const PROBLEM = { code: 'upstream_timeout', message: 'Too slow.' };

for (const database of TEST_DATABASES)
  describe(`how connectors stand on ${database.name}`, { skip: database.skip }, () => {
    let store: TestStore;
    before(async () => {
      store = await openTestStore(database);
    });
    after(() => store.close());

    const standingOf = async (connectorId: string): Promise<CopyStanding> => {
      const [standing, more] = await store.syncs.standings({
        connectorIds: [connectorId],
        entities: ENTITIES,
      });
      assert.ok(standing !== undefined && more === undefined);
      return standing;
    };

    const read = async (lease: Lease, entity: string) => {
      const { startedAt } = await store.syncs.beginRead(lease, { ...FULL, entity });
      await store.syncs.commitBatch(lease, page('end', { entity }));
      await store.syncs.finishRead(lease, { ...END, entity });
      return startedAt;
    };

    test('their copies are as old as the oldest of them, and whole once all are', async () => {
      const lease = await takeLease(store);
      const { connectorId } = lease;
      const fresh = async () => {
        const { asOf, isComplete } = await standingOf(connectorId);
        return [asOf, isComplete];
      };
      assert.deepEqual(await fresh(), [null, false]);
      const usersAt = await read(lease, 'users');
      assert.deepEqual(await fresh(), [null, false], 'the channels are missing');
      const channelsAt = await read(lease, 'channels');
      assert.deepEqual(await fresh(), [usersAt, true]);
      const again = await read(lease, 'users');
      assert.deepEqual(await fresh(), [channelsAt, true]);
      const problem = { entity: 'channels', problem: PROBLEM, keepsPosition: false };
      await store.syncs.failRead(lease, { ...problem, isForbidden: true });
      assert.deepEqual(await fresh(), [again, true], 'what nobody may read does not count');
      await store.syncs.failRead(lease, { ...problem, entity: 'users', isForbidden: true });
      assert.deepEqual(await fresh(), [null, false]);
    });

    test('an instant of the future, left by a clock that was ahead, says nothing of their age', async () => {
      const lease = await takeLease(store);
      const { connectorId } = lease;
      await read(lease, 'users');
      const channelsAt = await read(lease, 'channels');
      const setUsersAt = (at: string) =>
        store.query(
          `update patchbay.entity_syncs set as_of = now() + $2::interval
            where connector_id = $1 and entity = 'users'`,
          [connectorId, at],
        );
      await setUsersAt('1 day');
      assert.equal((await standingOf(connectorId)).asOf, null);
      await setUsersAt('30 seconds');
      assert.deepEqual((await standingOf(connectorId)).asOf, channelsAt);
    });

    test('their records are counted, of all copies together', async () => {
      const lease = await takeLease(store);
      const { connectorId } = lease;
      assert.equal((await standingOf(connectorId)).recordCount, 0);
      for (const [entity, records, count] of [
        ['users', users(0, 3), 3],
        ['channels', users(0, 2), 5],
      ] as const) {
        await store.syncs.beginRead(lease, { ...FULL, entity });
        await store.syncs.commitBatch(lease, page('end', { entity, records }));
        assert.equal((await standingOf(connectorId)).recordCount, count);
      }
    });

    test('the last run that was not cancelled says what is wrong', async () => {
      const lease = await takeLease(store);
      const { connectorId } = lease;
      const end = async (state: 'succeeded' | 'failed' | 'cancelled', problem?: typeof PROBLEM) => {
        const { id: runId } = await startRun(store, lease);
        await store.syncs.finishRun(lease, {
          runId,
          state,
          nextInMs: null,
          ...(problem === undefined ? {} : { problem: { ...problem, entity: 'users' } }),
        });
        return (await store.syncs.runs(connectorId)).last?.finishedAt;
      };
      const problem = async () => (await standingOf(connectorId)).problem;
      await end('succeeded');
      assert.equal(await problem(), null);
      const at = await end('failed', PROBLEM);
      assert.deepEqual(await problem(), { ...PROBLEM, at });
      await end('cancelled');
      assert.deepEqual(await problem(), { ...PROBLEM, at });
      await startRun(store, lease);
      assert.deepEqual(await problem(), { ...PROBLEM, at });
      await end('succeeded');
      assert.equal(await problem(), null);
    });

    test('they are in their state since it last became another one', async () => {
      const { id, createdAt } = await addConnector(store);
      const since = async () => (await standingOf(id)).stateChangedAt.getTime();
      assert.ok(Math.abs((await since()) - createdAt.getTime()) <= 1);
      await store.query(
        `update patchbay.connectors set state_changed_at = '2026-01-01' where id = $1`,
        [id],
      );
      const earlier = await since();
      await store.connectors.update(id, { name: 'Renamed' });
      await store.connectors.update(id, { state: 'pending' });
      assert.equal(await since(), earlier);
      await store.connectors.update(id, { state: 'reauth_required' });
      assert.ok((await since()) > earlier);
    });

    test('of many at once, those that are gone left out', async () => {
      const chat = await addConnector(store, { kind: 'support-chat' });
      const lease = await takeLease(store);
      const gone = await addConnector(store);
      await store.connectors.delete(gone.id, randomUUID());
      await read(lease, 'users');
      await read(lease, 'channels');
      const standings = await store.syncs.standings({
        connectorIds: [chat.id, lease.connectorId, gone.id, randomUUID(), 'nobody'],
        entities: ENTITIES,
      });
      const complete = new Map(
        standings.map(({ connectorId, isComplete }) => [connectorId, isComplete]),
      );
      assert.deepEqual(
        complete,
        new Map([
          [chat.id, false],
          [lease.connectorId, true],
        ]),
      );
    });

    test('of ten times as many, ten times as much is read', async (t) => {
      if (store.profile.isDistributed) return t.skip('each node tells its own plan');
      const { applicationId, organizationId, kind } = await addConnector(store);
      const connectors = await store.query(
        `insert into patchbay.connectors
            (id, application_id, organization_id, external_user_id, kind, name, config, auth_method, sealed_credentials)
          select gen_random_uuid(), $1, $3, 'many', $2, 'Many', '{}', 'api_token', 'sealed'
          from generate_series(1, 1000) returning id`,
        [applicationId, kind, organizationId],
      );
      const ids = connectors.map(({ id }) => String(id));
      await store.query(
        `insert into patchbay.connector_syncs (connector_id, application_id)
          select unnest($1::uuid[]), $2`,
        [ids, applicationId],
      );
      await store.query(
        `insert into patchbay.sync_runs (id, connector_id, application_id, cause, state, finished_at)
          select gen_random_uuid(), unnest($1::uuid[]), $2, 'schedule', 'succeeded', now()`,
        [ids, applicationId],
      );
      await store.query('vacuum analyze patchbay.connectors');
      await store.query('vacuum analyze patchbay.sync_runs');
      const few = await blocksRead(store, ids.slice(0, 100));
      const many = await blocksRead(store, ids);
      assert.ok(few > 0 && many < 15 * few, `${few} blocks for 100, ${many} for 1,000`);
    });
  });

/** How many blocks of tables and indexes the statement looks at for those connectors. */
async function blocksRead(store: TestStore, connectorIds: readonly string[]): Promise<number> {
  const statements: CompiledQuery[] = [];
  await using pool = openPool(store.connection);
  const log = ({ query }: LogEvent) => {
    statements.push(query);
  };
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), log });
  const asked = { connectorIds, entities: ENTITIES };
  assert.equal((await listStandings(database, asked)).length, connectorIds.length);
  const [statement] = statements;
  assert.ok(statement !== undefined);
  const { rows } = await pool.query<PlanRow>(
    `explain (analyze, buffers, format json) ${statement.sql}`,
    [...statement.parameters],
  );
  const [plan] = nodesOf(rows);
  return Number(plan?.['Shared Hit Blocks']) + Number(plan?.['Shared Read Blocks']);
}
