import type { Transaction } from 'kysely';
import { deleteSomeRecords } from '../copies/delete-records.ts';
import type { Database, Tables } from '../database.ts';
import { isUuid } from '../uuid.ts';
import type { Syncs } from '../contract/syncs.ts';

type UnclearedConnector = Awaited<ReturnType<Syncs['uncleared']>>[number];
type ClearedConnector = Parameters<Syncs['clearSome']>[0];

/** Deleted connectors whose records are still there, oldest first. */
export async function listUncleared(
  database: Database,
  limit: number,
): Promise<readonly UnclearedConnector[]> {
  return await database
    .selectFrom('connector_syncs as s')
    .innerJoin('connectors as c', 'c.id', 's.connector_id')
    .select(['s.connector_id as connectorId', 'c.kind'])
    .where('s.deleted_at', 'is not', null)
    .orderBy('s.deleted_at')
    .orderBy('s.connector_id')
    .limit(limit)
    .execute();
}

/**
 * Deletes some records of a deleted connector; `false` when none are left, and nothing else that
 * its syncs needed. Nobody can add records meanwhile, since its lease went with it.
 */
export async function clearSome(
  database: Database,
  connector: ClearedConnector,
  limit: number,
): Promise<boolean> {
  if (!isUuid(connector.connectorId)) return false;
  return await database.transaction().execute(async (transaction) => {
    if (!(await lockDeleted(transaction, connector.connectorId))) return false;
    const deleted = await deleteSomeRecords(transaction, connector, limit);
    if (deleted > 0) return true;
    await forgetSyncs(transaction, connector.connectorId);
    return false;
  });
}

/** Locks the syncs of a deleted connector; `false` when all of them are cleared already. */
async function lockDeleted(
  transaction: Transaction<Tables>,
  connectorId: string,
): Promise<boolean> {
  const syncs = await transaction
    .selectFrom('connector_syncs')
    .select('deleted_at as deletedAt')
    .where('connector_id', '=', connectorId)
    .forUpdate()
    .executeTakeFirst();
  if (syncs?.deletedAt === null) {
    throw new Error(`the connector ${connectorId} is not deleted, so its records stay`);
  }
  return syncs !== undefined;
}

/** Deletes the row of a connector's syncs; its runs and entities go with it. */
async function forgetSyncs(transaction: Transaction<Tables>, connectorId: string): Promise<void> {
  await transaction.deleteFrom('connector_syncs').where('connector_id', '=', connectorId).execute();
}
