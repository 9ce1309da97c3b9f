import { sql, type Transaction } from 'kysely';
import type { Tables } from '../database.ts';
import type { CarriedTable } from './carried-tables.ts';
import { columnsOf, nameOf, writeAlike } from './read-parts.ts';

/** What tells whether two databases hold the same rows. */
export interface TableFingerprint {
  readonly table: string;
  readonly rows: number;
  /** Sum of a part of the MD5 of each row, so that no order matters. It is against accidents only. */
  readonly sum: string;
}

/** Marks where a database's rows came from, and is no row of those. */
export const ORIGIN_SETTING = 'moved_from';

/** The fingerprints of tables, by their columns here. */
export async function fingerprint(
  transaction: Transaction<Tables>,
  tables: readonly CarriedTable[],
): Promise<readonly TableFingerprint[]> {
  await writeAlike(transaction);
  const found: TableFingerprint[] = [];
  for (const table of tables) {
    const isCounted = table.name === 'settings' ? sql`name <> ${ORIGIN_SETTING}` : sql`true`;
    const { rows } = await sql<{ rows: number; sum: string }>`
      select count(*) as rows, coalesce(
        sum(('x' || left(md5(row_to_json(r)::text), 16))::bit(64)::bigint), 0
      )::text as sum
      from (select ${columnsOf(table)} from ${nameOf(table)} where ${isCounted}) r
    `.execute(transaction);
    found.push({ table: table.name, rows: rows[0]?.rows ?? 0, sum: rows[0]?.sum ?? '' });
  }
  return found;
}
