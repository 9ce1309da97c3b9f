import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { listCarriedTables, type CarriedTable } from './carried-tables.ts';
import type { BackupEnd, BackupRows } from './parts.ts';
import { columnsOf, nameOf } from './read-parts.ts';

/**
 * Writes rows into the table of their name. What the database has no place for, a table or a column of
 * copies that this program's definitions do not know, is left out: it is read anew.
 */
export async function loadRows(
  database: Database,
  tables: readonly CarriedTable[],
  rows: BackupRows,
): Promise<void> {
  const table = tables.find(({ name }) => name === rows.table);
  if (table === undefined) return;
  const given = new Set(rows.columns);
  const columns = columnsOf({ columns: table.columns.filter((column) => given.has(column)) });
  await sql`
    insert into ${nameOf(table)} (${columns})
    select ${columns} from json_populate_recordset(null::${nameOf(table)}, ${rows.json}::json)
  `.execute(database);
}

/** Takes back what was read of copies that changed hands while they were read. */
export async function mendCopies(
  database: Database,
  tables: readonly CarriedTable[],
  { brokenCopies, laterReads }: BackupEnd,
): Promise<void> {
  const copies = tables.filter(({ name }) => name.startsWith('copy_'));
  for (const id of brokenCopies) {
    for (const { name } of [...copies, { name: 'entity_syncs' }])
      await sql`delete from ${nameOf({ name })} where connector_id = ${id}::uuid`.execute(database);
    await sql`
      update ${nameOf({ name: 'connector_syncs' })} set due_at = date_trunc('milliseconds', now())
      where connector_id = ${id}::uuid
    `.execute(database);
  }
  for (const { connectorId, entity, generation } of laterReads)
    await database
      .updateTable('entity_syncs')
      .set({
        generation,
        read_mode: null,
        read_definition_hash: null,
        read_started_at: null,
        read_records: null,
        read_pages: null,
        read_position: null,
        read_epoch: null,
      })
      .where('connector_id', '=', connectorId)
      .where('entity', '=', entity)
      .execute();
}

/** Whether there are no rows, of whatever schema, apart from what each database knows of itself. */
export async function isEmpty(database: Database): Promise<boolean> {
  const tables = await listCarriedTables(database);
  if (tables.length === 0) return true;
  const any = tables.map((table) => sql`exists (select from ${nameOf(table)})`);
  const { rows } = await sql<{ any: boolean }>`
    select ${sql.join(any, sql` or `)} as any
  `.execute(database);
  return rows[0]?.any === false;
}
