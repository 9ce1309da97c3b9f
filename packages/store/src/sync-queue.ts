import { sql, type Transaction } from 'kysely';
import type { Database, Tables } from './database.ts';
import { DATABASE_NOW, databaseNowPlus } from './database-clock.ts';
import type { Syncs } from './contract/syncs.ts';
import { isOneOf } from './is-one-of.ts';

type Connector = Parameters<Syncs['clearSome']>[0];

/**
 * The queue: when each connector is to be looked at next. The tables of the connector are the truth of what there
 * is to do; whatever changes them so that there may be something, wakes the connector in the same transaction, and
 * whoever has looked puts it back to where those tables have it. No statement here joins the two: they need not be
 * on one machine.
 *
 * @see docs/decisions/2026-11-23-one-queue.md
 */
export async function enqueue(
  transaction: Transaction<Tables>,
  connector: Connector & { readonly applicationId: string },
): Promise<void> {
  await transaction
    .insertInto('sync_queue')
    .values({
      connector_id: connector.connectorId,
      application_id: connector.applicationId,
      kind: connector.kind,
      look_at: DATABASE_NOW,
    })
    // Two may find at once that it is missing.
    .onConflict((conflict) => conflict.column('connector_id').doNothing())
    .execute();
}

/**
 * Has the connector looked at now, or once whoever is at work on it, or deletes its records, is done. What somebody
 * asked for comes before the rest.
 */
export async function wake(
  transaction: Transaction<Tables>,
  connectorId: string,
  { isUrgent }: { readonly isUrgent: boolean },
): Promise<void> {
  const update = transaction
    .updateTable('sync_queue')
    .set((present) => ({
      look_at: sql<Date>`case when is_taken or is_clearing then look_at else least(look_at, ${DATABASE_NOW}) end`,
      is_urgent: sql<boolean>`is_urgent or ${isUrgent}`,
      wakes: present('wakes', '+', 1),
    }))
    .where('connector_id', '=', connectorId)
    .returning('connector_id as connectorId');
  await changeQueued(transaction, [connectorId], () => update.execute());
}

/** Puts connectors into the queue first that are missing there: an older process made them, which knew of no queue. */
async function changeQueued(
  transaction: Transaction<Tables>,
  connectorIds: readonly string[],
  change: () => Promise<readonly Pick<Connector, 'connectorId'>[]>,
): Promise<void> {
  const queued = new Set((await change()).map(({ connectorId }) => connectorId));
  const missing = connectorIds.filter((id) => !queued.has(id.toLowerCase()));
  if (missing.length === 0) return;
  const made = await transaction
    .selectFrom('connectors')
    .select(['id as connectorId', 'application_id as applicationId', 'kind'])
    .where(isOneOf('id', missing))
    .execute();
  if (made.length === 0) return;
  for (const connector of made) await enqueue(transaction, connector);
  await change();
}

/** Leaves a connector to whoever holds its lease, for as long as that lasts. */
export async function lookAfterLease(
  database: Database,
  connectorId: string,
  ttlMs: number,
): Promise<void> {
  await database
    .updateTable('sync_queue')
    .set((present) => ({
      look_at: databaseNowPlus(ttlMs),
      is_taken: true,
      wakes: present('wakes', '+', 1),
    }))
    .where('connector_id', '=', connectorId)
    .where('is_clearing', '=', false)
    .execute();
}

/** Whether there may be something to do for a connector, and nobody is at it. */
export async function isDue(database: Database, connectorId: string): Promise<boolean> {
  const due = await database
    .selectFrom('sync_queue')
    .select('connector_id')
    .where('connector_id', '=', connectorId)
    .where('look_at', '<=', DATABASE_NOW)
    .where('is_clearing', '=', false)
    .executeTakeFirst();
  return due !== undefined;
}

/** Puts a connector back to where its tables have it, unless it is being cleared. */
export async function settle(database: Database, connectorId: string): Promise<void> {
  for (;;) {
    const queued = await database
      .selectFrom('sync_queue')
      .select(['wakes', 'is_clearing as isClearing'])
      .where('connector_id', '=', connectorId)
      .executeTakeFirst();
    if (queued === undefined || queued.isClearing) return;
    const duty = await findDuty(database, connectorId);
    // Otherwise something came meanwhile, which the duty may not know of.
    if (await putBack(database, connectorId, { ...duty, wakes: queued.wakes })) return;
  }
}

/** What there is to do for a connector, as its own tables have it. */
interface Duty {
  /** While somebody is at it, the end of the lease, whatever there is to do: a wake leaves it at that. */
  readonly lookAt: Date | null;
  readonly isUrgent: boolean;
  /** Somebody is at it. */
  readonly isTaken: boolean;
}

/** Of one connector alone. While somebody is at it, it is looked at once the lease of whoever that is has run out. */
async function findDuty(database: Database, connectorId: string): Promise<Duty> {
  const { rows } = await sql<Duty>`
    select
      case when is_taken then lease_expires_at else since end as "lookAt",
      is_urgent as "isUrgent",
      is_taken as "isTaken"
    from (
      select s.lease_expires_at, coalesce(asked.is_urgent, false) as is_urgent,
        coalesce(s.lease_expires_at > ${DATABASE_NOW}, false) as is_taken,
        case when not c.is_paused and not c.is_disabled and a.revoked_at is null then
          least(case when c.state <> 'reauth_required' then s.due_at end, asked.requested_at)
        end as since
      from patchbay.connector_syncs as s
      join patchbay.connectors as c on c.id = s.connector_id
      join patchbay.applications as a on a.id = c.application_id
      cross join lateral (
        select min(requested_at) as requested_at, bool_or(cause <> 'schedule') as is_urgent
        from patchbay.sync_runs
        where connector_id = ${connectorId} and finished_at is null
      ) as asked
      where s.connector_id = ${connectorId} and c.id = ${connectorId}
    ) as duty
  `.execute(database);
  return rows[0] ?? { lookAt: null, isUrgent: false, isTaken: false };
}

async function putBack(
  database: Database,
  connectorId: string,
  { lookAt, isUrgent, isTaken, wakes }: Duty & { readonly wakes: number },
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('sync_queue')
    .set((present) => ({
      look_at: lookAt,
      is_urgent: isUrgent,
      is_taken: isTaken,
      // Whoever read it before this has to read it again.
      wakes: present('wakes', '+', 1),
    }))
    .where('connector_id', '=', connectorId)
    .where('wakes', '=', wakes)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Has the records of connectors deleted, which nobody syncs meanwhile. */
export async function queueClearing(
  transaction: Transaction<Tables>,
  connectorIds: readonly string[],
): Promise<void> {
  const update = transaction
    .updateTable('sync_queue')
    .set((present) => ({
      is_clearing: true,
      is_taken: false,
      // Nobody waits for it, until somebody asks for a sync of another account.
      is_urgent: false,
      look_at: DATABASE_NOW,
      wakes: present('wakes', '+', 1),
    }))
    .where(isOneOf('connector_id', connectorIds))
    .returning('connector_id as connectorId');
  await changeQueued(transaction, connectorIds, () => update.execute());
}

/** What was to be deleted is: the connector can be synced again. */
export async function queueAgain(
  transaction: Transaction<Tables>,
  connectorId: string,
): Promise<void> {
  await transaction
    .updateTable('sync_queue')
    .set({ is_clearing: false })
    .where('connector_id', '=', connectorId)
    .execute();
  await wake(transaction, connectorId, { isUrgent: false });
}

export async function dequeue(
  transaction: Transaction<Tables>,
  connectorId: string,
): Promise<void> {
  await transaction.deleteFrom('sync_queue').where('connector_id', '=', connectorId).execute();
}

/** Connectors whose records are to be deleted, those that were so first before others. */
export async function listUncleared(
  database: Database,
  limit: number,
): Promise<readonly Connector[]> {
  return await database
    .selectFrom('sync_queue')
    .select(['connector_id as connectorId', 'kind'])
    .where('is_clearing', '=', true)
    .orderBy('look_at')
    .orderBy('connector_id')
    .limit(limit)
    .execute();
}

/** One of them, first of those that somebody waits for, which for so long nobody else is given; `undefined` where all are taken. */
export async function takeUncleared(
  database: Database,
  ttlMs: number,
): Promise<Connector | undefined> {
  return await database
    .updateTable('sync_queue')
    .set({ look_at: databaseNowPlus(ttlMs) })
    .where('connector_id', '=', (query) =>
      query
        .selectFrom('sync_queue')
        .select('connector_id')
        .where('is_clearing', '=', true)
        .where('look_at', '<=', DATABASE_NOW)
        .orderBy('is_urgent', 'desc')
        .orderBy('look_at')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['connector_id as connectorId', 'kind'])
    .executeTakeFirst();
}

/** Keeps it from others for longer. */
export async function keepUncleared(
  database: Database,
  connectorId: string,
  ttlMs: number,
): Promise<void> {
  await database
    .updateTable('sync_queue')
    .set({ look_at: databaseNowPlus(ttlMs) })
    .where('connector_id', '=', connectorId)
    .where('is_clearing', '=', true)
    .execute();
}

/** Has every connector looked at: what a restored database says of the time is of another one. */
export async function wakeAll(database: Database): Promise<void> {
  await database
    .updateTable('sync_queue')
    .set((present) => ({ look_at: DATABASE_NOW, is_taken: false, wakes: present('wakes', '+', 1) }))
    .execute();
}
