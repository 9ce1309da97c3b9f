import { sql } from 'kysely';
import { SCHEMA } from '../database.ts';
import type { OpenCopy } from './open-copy.ts';

/** How many records a copy holds. */
export async function countRecords({ database, table, connectorId }: OpenCopy): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.id(SCHEMA, table.name)}
    where connector_id = ${connectorId}::uuid
  `.execute(database);
  return rows[0]?.count ?? 0;
}
