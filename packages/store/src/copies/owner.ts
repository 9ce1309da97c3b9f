import { sql } from 'kysely';

/**
 * The row of a connector's syncs, with which what is written of its copies is joined. So a distributed
 * database, which asks where rows come from, leaves the whole statement to the node that has the
 * connector, and writes nothing of one that is gone.
 */
export const OWNER = sql`patchbay.connector_syncs as owner`;

/** To be said of that row. */
export function isOwner(connectorId: string) {
  return sql<boolean>`owner.connector_id = ${connectorId}::uuid`;
}
