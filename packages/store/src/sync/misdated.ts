import type { Syncs } from '../contract/syncs.ts';
import type { Database } from '../database.ts';
import { DATABASE_NOW, databaseNowPlus } from '../database-clock.ts';
import { settle } from '../sync-queue.ts';

type Dates = Parameters<Syncs['wakeMisdated']>[0];

const AT_ONCE = 1_000;

/** Before every connector. */
const BEGINNING = '00000000-0000-0000-0000-000000000000';

/** As the contract has it: each connector by itself, from what the queue says of all. */
export async function wakeMisdated(database: Database, dates: Dates): Promise<number> {
  let woken = 0;
  for (let after = BEGINNING; ;) {
    const found = await database
      .selectFrom('sync_queue')
      .select('connector_id as connectorId')
      .where('is_clearing', '=', false)
      .where('look_at', '>', databaseNowPlus(dates.longestMs))
      .where('connector_id', '>', after)
      .orderBy('connector_id')
      .limit(AT_ONCE)
      .execute();
    for (const { connectorId } of found) {
      dates.signal.throwIfAborted();
      await wakeOne(database, connectorId, dates);
    }
    woken += found.length;
    const last = found.at(-1);
    if (last === undefined || found.length < AT_ONCE) return woken;
    after = last.connectorId;
  }
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
