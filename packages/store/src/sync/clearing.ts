import { sql, type Transaction } from 'kysely';
import { deleteSomeRecords } from '../copies/delete-records.ts';
import type { Database, Tables } from '../database.ts';
import { isUuid } from '../uuid.ts';
import type { Syncs } from '../contract/syncs.ts';
import { dequeue, queueAgain } from '../sync-queue.ts';

type ClearedConnector = Parameters<Syncs['clearSome']>[0];

/**
 * Deletes some records of a connector that is deleted or another account's, and of a deleted one what its write intents
 * remember; `false` when nothing is left, nor anything else that its syncs needed. Nobody can add any meanwhile: its lease
 * went with it, and it takes no calls.
 */
export async function clearSome(
  database: Database,
  connector: ClearedConnector,
  limit: number,
): Promise<boolean> {
  const { connectorId } = connector;
  if (!isUuid(connectorId)) return false;
  return await database.transaction().execute(async (transaction) => {
    const syncs = await lockSyncs(transaction, connectorId);
    if (syncs === undefined) return false;
    const { isDeleted, isDiscarded } = syncs;
    if (!isDeleted && !isDiscarded)
      throw new Error(`the connector ${connectorId} is not deleted, so its records stay`);
    if ((await deleteSomeRecords(transaction, connector, limit)) > 0) return true;
    if (isDeleted && (await deleteSomeKeys(transaction, connectorId, limit)) > 0) return true;
    await (isDeleted ? forgetSyncs : readmit)(transaction, connectorId);
    return false;
  });
}

/** Locks the syncs of a connector; `undefined` when they are cleared already. */
async function lockSyncs(transaction: Transaction<Tables>, connectorId: string) {
  return await transaction
    .selectFrom('connector_syncs')
    .select((row) => [
      row('deleted_at', 'is not', null).as('isDeleted'),
      row('discarded_at', 'is not', null).as('isDiscarded'),
    ])
    .where('connector_id', '=', connectorId)
    .forUpdate()
    .executeTakeFirst();
}

/** What a connector's write intents remember. */
async function deleteSomeKeys(
  transaction: Transaction<Tables>,
  connectorId: string,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from patchbay.idempotency_keys
    where connector_id = ${connectorId} and key in (
      select key from patchbay.idempotency_keys where connector_id = ${connectorId} limit ${limit}
    )
  `.execute(transaction);
  return Number(numAffectedRows ?? 0n);
}

/** Deletes the row of a connector's syncs; its runs and entities go with it. */
async function forgetSyncs(transaction: Transaction<Tables>, connectorId: string): Promise<void> {
  await transaction.deleteFrom('connector_syncs').where('connector_id', '=', connectorId).execute();
  await dequeue(transaction, connectorId);
}

/** Lets a connector be synced again. */
async function readmit(transaction: Transaction<Tables>, connectorId: string): Promise<void> {
  await transaction
    .updateTable('connector_syncs')
    .set({ discarded_at: null })
    .where('connector_id', '=', connectorId)
    .execute();
  await queueAgain(transaction, connectorId);
}
