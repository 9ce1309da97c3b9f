import type { Syncs } from '../contract/syncs.ts';
import type { Database } from '../database.ts';
import { databaseNowPlus } from '../database-clock.ts';
import { settle } from '../sync-queue.ts';

type Dates = Parameters<Syncs['wakeMisdated']>[0];

const AT_ONCE = 1_000;

/** As the contract has it: each connector by itself, from what the queue says of all. */
export async function wakeMisdated(database: Database, dates: Dates): Promise<number> {
  for (let woken = 0; ;) {
    const found = await database
      .selectFrom('sync_queue')
      .select('connector_id as connectorId')
      .where('is_clearing', '=', false)
      .where('look_at', '>', databaseNowPlus(dates.longestMs))
      .limit(AT_ONCE)
      .execute();
    for (const { connectorId } of found) {
      dates.signal.throwIfAborted();
      await wakeOne(database, connectorId, dates);
    }
    woken += found.length;
    if (found.length < AT_ONCE) return woken;
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
  // Whoever holds it all the same loses it, as to anybody else.
  await database
    .updateTable('connector_syncs')
    .set({ lease_owner: null, lease_expires_at: null })
    .where('connector_id', '=', connectorId)
    .where('lease_expires_at', '>', latest)
    .execute();
  await settle(database, connectorId);
}
