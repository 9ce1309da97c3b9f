import { sql, type Expression } from 'kysely';
import { SCHEMA, type Database, type Tables } from '../database.ts';

/**
 * Deletes at most `limit` rows of which the condition holds, and returns how many there were: no statement keeps
 * others waiting, however much there is to delete, nor waits for others: what they hold is left for the next time. Of a
 * table that is on one node.
 */
export async function deleteSome(
  database: Database,
  table: keyof Tables | 'stats',
  { isOver, limit }: { readonly isOver: Expression<boolean>; readonly limit: number },
): Promise<number> {
  const name = sql.id(SCHEMA, table);
  // What is changed meanwhile, so that it is not over any more, stays: hence the condition twice.
  const { numAffectedRows } = await sql`
    delete from ${name}
    where ctid = any(array(
      select ctid from ${name} where ${isOver} limit ${limit} for update skip locked
    )) and ${isOver}
  `.execute(database);
  return Number(numAffectedRows ?? 0n);
}
