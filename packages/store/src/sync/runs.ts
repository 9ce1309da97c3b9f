import { sql, type Transaction } from 'kysely';
import type { Database, Tables } from '../database.ts';
import { isUuid } from '../uuid.ts';
import { DATABASE_NOW, databaseNowPlus, SURELY_FUTURE } from '../database-clock.ts';
import type { Lease, SyncRun, Syncs } from '../contract/syncs.ts';
import { isHeld, leaseLost, underLease } from './leases.ts';
import { queueRun, type WantedRun } from '../queued-run.ts';
import { problemColumns, RUN_COLUMNS, toRun } from './run-rows.ts';

type RunEnd = Parameters<Syncs['finishRun']>[1];

/** Of a connector, of those that have ended: at a sync every 15 minutes, those of a day. */
const RUNS_KEPT = 100;
/** The most that have not ended: a unique index says so. */
const UNFINISHED = 2;

/** The id of the run that is queued afterwards; `undefined` when the connector is gone, or the condition is not met. */
export async function requestRun(
  database: Database,
  connectorId: string,
  run: WantedRun,
): Promise<string | undefined> {
  if (!isUuid(connectorId)) return undefined;
  return await database
    .transaction()
    .execute((transaction) => queueRun(transaction, connectorId, run));
}

/** As the contract has it. A run that was requested in the future, by a clock that was wrong, stops nobody. */
export async function demandRun(
  database: Database,
  connectorId: string,
  { id, apartMs }: Parameters<Syncs['demandRun']>[1],
): ReturnType<Syncs['demandRun']> {
  if (!isUuid(connectorId)) return undefined;
  const waitMs = sql<number | null>`(
    select ${apartMs}::float8 - min(age) from (
      select 1000 * extract(epoch from ${DATABASE_NOW} - requested_at)::float8 as age
      from patchbay.sync_runs
      where connector_id = ${connectorId} and cause = 'demand'
    ) as demanded where age >= 0
  )`;
  const isQueued = sql<boolean>`exists (
    select from patchbay.sync_runs
    where connector_id = ${connectorId} and state = 'queued'
  )`;
  const condition = sql<boolean>`(${isQueued} or coalesce(${waitMs}, 0) <= 0)`;
  const runId = await requestRun(database, connectorId, { id, cause: 'demand', condition });
  if (runId !== undefined) return { runId };
  const refused = await database
    .selectFrom('connector_syncs')
    .select(waitMs.as('waitMs'))
    .where('connector_id', '=', connectorId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  // It may have run out since.
  return refused && { waitMs: Math.max(1, refused.waitMs ?? 0) };
}

/** As the contract has it. */
export async function startRun(
  database: Database,
  lease: Lease,
  scheduled?: Parameters<Syncs['startRun']>[1],
): Promise<SyncRun | undefined> {
  const { connectorId } = lease;
  return await underLease(database, lease, async (transaction) => {
    if (await isStopped(transaction, connectorId)) {
      await cancelLeft(transaction, lease);
      return undefined;
    }
    return (
      (await findRunning(transaction, connectorId)) ??
      (await startQueued(transaction, connectorId)) ??
      (scheduled && (await startScheduled(transaction, connectorId, scheduled.id)))
    );
  });
}

/** Ends a run, and forgets the oldest that are more than are kept. A run that has ended already stays as it is. */
export async function finishRun(database: Database, lease: Lease, end: RunEnd): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    // Connector before lease, in the order in which a deletion locks them.
    if (end.state === 'succeeded') await markSynced(transaction, lease.connectorId);
    await setDue(transaction, lease, end.nextInMs);
    await endRun(transaction, lease.connectorId, end);
  });
}

/**
 * The run that is queued or running, and the last one that ended. One that ended in the future, by a clock that
 * was wrong, is the last one only where there is no other.
 */
export async function listRuns(database: Database, connectorId: string): ReturnType<Syncs['runs']> {
  if (!isUuid(connectorId)) return { current: undefined, last: undefined };
  const rows = await database
    .selectFrom('sync_runs')
    .select(RUN_COLUMNS)
    .where('connector_id', '=', connectorId)
    // Those that have not ended come first: one that is running, one that is queued.
    .orderBy(sql`finished_at > ${SURELY_FUTURE}`, (order) => order.asc().nullsFirst())
    .orderBy('finished_at', 'desc')
    .limit(UNFINISHED + 1)
    .execute();
  const runs = rows.map(toRun);
  const current = runs.filter(({ finishedAt }) => finishedAt === null);
  return {
    current: current.find(({ state }) => state === 'running') ?? current[0],
    last: runs.find(({ finishedAt }) => finishedAt !== null),
  };
}

/** By (requestedAt, id) descending, before the given position, at most `limit`. */
export async function listRunHistory(
  database: Database,
  connectorId: string,
  { before, limit }: Parameters<Syncs['runHistory']>[1],
): Promise<readonly SyncRun[]> {
  if (!isUuid(connectorId) || (before !== undefined && !isUuid(before.id))) return [];
  let query = database
    .selectFrom('sync_runs')
    .select(RUN_COLUMNS)
    .where('connector_id', '=', connectorId)
    .orderBy('requested_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (before !== undefined)
    query = query.where(
      sql<boolean>`(requested_at, id) < (${before.requestedAt}::timestamptz, ${before.id}::uuid)`,
    );
  const rows = await query.execute();
  return rows.map(toRun);
}

/** Whether the connector is paused or disabled, or its application revoked. */
async function isStopped(transaction: Transaction<Tables>, connectorId: string): Promise<boolean> {
  const stopped = await transaction
    .selectFrom('connectors as c')
    .innerJoin('applications as a', 'a.id', 'c.application_id')
    .select('c.id')
    .where('c.id', '=', connectorId)
    .where((either) =>
      either.or([
        either('c.is_paused', '=', true),
        either('c.is_disabled', '=', true),
        either('a.revoked_at', 'is not', null),
      ]),
    )
    .executeTakeFirst();
  return stopped !== undefined;
}

/** Ends the run that a former holder left, as whoever works on one ends it at a pause: due at once when that is over. */
async function cancelLeft(transaction: Transaction<Tables>, lease: Lease): Promise<void> {
  const left = await findRunning(transaction, lease.connectorId);
  if (left === undefined) return;
  await setDue(transaction, lease, 0);
  await endRun(transaction, lease.connectorId, { runId: left.id, state: 'cancelled' });
}

async function findRunning(
  transaction: Transaction<Tables>,
  connectorId: string,
): Promise<SyncRun | undefined> {
  const row = await transaction
    .selectFrom('sync_runs')
    .select(RUN_COLUMNS)
    .where('connector_id', '=', connectorId)
    .where('state', '=', 'running')
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  return row && toRun(row);
}

async function startQueued(
  transaction: Transaction<Tables>,
  connectorId: string,
): Promise<SyncRun | undefined> {
  const row = await transaction
    .updateTable('sync_runs')
    .set({ state: 'running', started_at: DATABASE_NOW })
    .where('connector_id', '=', connectorId)
    .where('state', '=', 'queued')
    .where('finished_at', 'is', null)
    .returning(RUN_COLUMNS)
    .executeTakeFirst();
  return row && toRun(row);
}

/** Where the schedule has it due; refused credentials stop the schedule. */
async function startScheduled(
  transaction: Transaction<Tables>,
  connectorId: string,
  id: string,
): Promise<SyncRun | undefined> {
  const row = await transaction
    .insertInto('sync_runs')
    .columns(['id', 'connector_id', 'application_id', 'cause', 'state', 'started_at'])
    .expression((query) =>
      query
        .selectFrom('connector_syncs as s')
        .innerJoin('connectors as c', 'c.id', 's.connector_id')
        .select((column) => [
          sql<string>`${id}::uuid`.as('id'),
          's.connector_id',
          's.application_id',
          column.val('schedule').as('cause'),
          column.val('running').as('state'),
          column.val(DATABASE_NOW).as('started_at'),
        ])
        .where('s.connector_id', '=', connectorId)
        .where('s.due_at', '<=', DATABASE_NOW)
        .where('c.state', '!=', 'reauth_required'),
    )
    // There is none to conflict with; but Citus returns nothing of rows that are selected otherwise.
    .onConflict((conflict) => conflict.doNothing())
    .returning(RUN_COLUMNS)
    .executeTakeFirst();
  return row && toRun(row);
}

/** Counts the revision up, so that whoever keeps the connector in memory sees the new instant. */
async function markSynced(transaction: Transaction<Tables>, connectorId: string): Promise<void> {
  await transaction
    .updateTable('connectors')
    .set({ last_synced_at: DATABASE_NOW, revision: sql<number>`revision + 1` })
    .where('id', '=', connectorId)
    .where('deleted_at', 'is', null)
    .execute();
}

async function setDue(
  transaction: Transaction<Tables>,
  lease: Lease,
  nextInMs: number | null,
): Promise<void> {
  const scheduled = await transaction
    .updateTable('connector_syncs')
    .set({ due_at: nextInMs === null ? null : databaseNowPlus(nextInMs) })
    .where(isHeld(lease))
    .returning('connector_id')
    .executeTakeFirst();
  if (scheduled === undefined) throw leaseLost(lease);
}

async function endRun(
  transaction: Transaction<Tables>,
  connectorId: string,
  { runId, state, problem }: Omit<RunEnd, 'nextInMs'>,
): Promise<void> {
  const ended = await transaction
    .updateTable('sync_runs')
    .set({ state, finished_at: DATABASE_NOW, ...problemColumns(problem) })
    .where('id', '=', runId)
    .where('connector_id', '=', connectorId)
    .where('state', '=', 'running')
    .returning('id')
    .executeTakeFirst();
  if (ended !== undefined) await forgetOldRuns(transaction, connectorId, runId);
}

/** A clock that was wrong may have put others later than the one that has just ended. */
async function forgetOldRuns(
  transaction: Transaction<Tables>,
  connectorId: string,
  lastId: string,
): Promise<void> {
  await transaction
    .deleteFrom('sync_runs')
    .where('connector_id', '=', connectorId)
    .where('finished_at', 'is not', null)
    .where('id', '!=', lastId)
    .where('id', 'not in', (query) =>
      query
        .selectFrom('sync_runs')
        .select('id')
        .where('connector_id', '=', connectorId)
        .where('finished_at', 'is not', null)
        .orderBy('finished_at', 'desc')
        .orderBy('id', 'desc')
        .limit(RUNS_KEPT),
    )
    .execute();
}
