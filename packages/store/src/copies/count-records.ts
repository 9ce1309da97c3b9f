import { sql } from 'kysely';
import { SCHEMA, type Database } from '../database.ts';
import type { CopyId } from './contract.ts';
import type { CopyContext } from './copy-context.ts';

/** How many records a copy holds. */
export async function countRecords(
  database: Database,
  { tables }: CopyContext,
  copy: CopyId,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.id(SCHEMA, tables.of(copy).name)}
    where connector_id = ${copy.connectorId}::uuid
  `.execute(database);
  return rows[0]?.count ?? 0;
}
