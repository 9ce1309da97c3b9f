import { sql } from 'kysely';
import type { Syncs } from '../contract/syncs.ts';
import type { Database } from '../database.ts';
import { DATABASE_NOW, databaseNowPlus } from '../database-clock.ts';
import { settle } from '../sync-queue.ts';

type Dates = Parameters<Syncs['wakeMisdated']>[0];

const AT_ONCE = 1_000;

/** As the contract has it: each connector by itself, from what the queue says of all. */
export async function wakeMisdated(database: Database, dates: Dates): Promise<number> {
  for (let woken = 0; ;) {
    const found = await listMisdated(database, dates);
    for (const { connectorId } of found) {
      dates.signal.throwIfAborted();
      await wakeOne(database, connectorId, dates);
    }
    woken += found.length;
    if (found.length < AT_ONCE) return woken;
  }
}

/** Those alone are read, through the indexes that what is due is found by. */
async function listMisdated(database: Database, { longestMs }: Dates) {
  const misdated = (isUrgent: boolean) => sql`
    select connector_id from patchbay.sync_queue
    where ${isUrgent ? sql`is_urgent` : sql`not is_urgent`} and not is_clearing
      and look_at > now() + ${longestMs}::float8 * interval '1 millisecond'
    limit ${AT_ONCE}
  `;
  const { rows } = await sql<{ connectorId: string }>`
    select connector_id as "connectorId" from ((${misdated(true)}) union all (${misdated(false)})) as misdated
    limit ${AT_ONCE}
  `.execute(database);
  return rows;
}

async function wakeOne(
  database: Database,
  connectorId: string,
  { longestMs, dueInMs }: Dates,
): Promise<void> {
  const latest = databaseNowPlus(longestMs);
  await database
    .updateTable('connector_syncs')
    .set({ due_at: databaseNowPlus(dueInMs()) })
    .where('connector_id', '=', connectorId)
    .where('due_at', '>', latest)
    .execute();
  // What somebody asked for then is as old as now.
  await database
    .updateTable('sync_runs')
    .set({ requested_at: DATABASE_NOW })
    .where('connector_id', '=', connectorId)
    .where('finished_at', 'is', null)
    .where('requested_at', '>', latest)
    .execute();
  // Whoever holds it all the same loses it, as to anybody else.
  await database
    .updateTable('connector_syncs')
    .set({ lease_owner: null, lease_expires_at: null })
    .where('connector_id', '=', connectorId)
    .where('lease_expires_at', '>', latest)
    .execute();
  await settle(database, connectorId);
}
