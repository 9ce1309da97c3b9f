import { sql } from 'kysely';
import { SCHEMA, type Database } from '../database.ts';
import { textArray } from './array-literal.ts';
import { copyTablePrefix } from './copy-table.ts';
import type { OpenCopy } from './open-copy.ts';

/** Deletes at most `limit` records that no full read since `generation` saw, nor any write after `before`. */
export async function deleteUnseen(
  copy: OpenCopy,
  unseen: { readonly generation: number; readonly before: Date; readonly limit: number },
): Promise<number> {
  const { database, table } = copy;
  const { rows } = await sql<{ key: string }>`
    select t.record_key as key from ${sql.id(SCHEMA, table.name)} t
    where t.connector_id = ${copy.connectorId}::uuid
      and t.generation < ${unseen.generation}::bigint
      and t.synced_at < ${unseen.before}::timestamptz
      and not exists (
        select from ${sql.id(SCHEMA, 'copy_sightings')} s
        where s.connector_id = t.connector_id and s.entity = ${table.entity}
          and s.record_key = t.record_key and s.generation >= ${unseen.generation}::bigint
      )
    limit ${unseen.limit}
    for update of t
  `.execute(database);
  return await deleteRecords(
    copy,
    rows.map(({ key }) => key),
  );
}

/** Deletes at most `limit` records whose field holds the key of a parent that is not in its copy. */
export async function deleteOrphans(
  copy: OpenCopy,
  orphans: { readonly parent: string; readonly field: string; readonly limit: number },
): Promise<number> {
  const { database, table } = copy;
  const parents = copy.tables.of({ kind: copy.kind, entity: orphans.parent });
  const column = table.byField.get(orphans.field);
  if (column === undefined)
    throw new Error(`${copy.entity} cannot be searched by ${orphans.field}`);
  const { rows } = await sql<{ key: string }>`
    select t.record_key as key from ${sql.id(SCHEMA, table.name)} t
    where t.connector_id = ${copy.connectorId}::uuid
      and t.${sql.id(column.name)} is not null
      and not exists (
        select from ${sql.id(SCHEMA, parents.name)} p
        where p.connector_id = t.connector_id and p.record_key = t.${sql.id(column.name)}::text
      )
    limit ${orphans.limit}
    for update of t
  `.execute(database);
  return await deleteRecords(
    copy,
    rows.map(({ key }) => key),
  );
}

/** Deletes the records of these keys; unknown keys are harmless. Returns how many there were. */
export async function deleteRecords(
  { database, table, connectorId }: OpenCopy,
  keys: readonly string[],
): Promise<number> {
  if (keys.length === 0) return 0;
  const array = textArray(keys);
  await sql`
    delete from ${sql.id(SCHEMA, 'copy_sightings')}
    where connector_id = ${connectorId}::uuid and entity = ${table.entity}
      and record_key = any(${array}::text[])
  `.execute(database);
  const deleted = await sql`
    delete from ${sql.id(SCHEMA, table.name)}
    where connector_id = ${connectorId}::uuid and record_key = any(${array}::text[])
  `.execute(database);
  return Number(deleted.numAffectedRows ?? 0n);
}

/**
 * Deletes at most `limit` records of a connector, of any entity of its kind, with all that was
 * derived from them: 0 once nothing is left.
 */
export async function deleteSomeRecords(
  database: Database,
  connector: { readonly connectorId: string; readonly kind: string },
  limit: number,
): Promise<number> {
  const names = await findTables(database, connector.kind);
  for (const table of [...names, 'copy_sightings', 'copy_words']) {
    const deleted = await deleteSome(database, { ...connector, table, limit });
    if (deleted > 0) return deleted;
  }
  return 0;
}

/** Also those of entities that only another version of the program knows. */
async function findTables(database: Database, kind: string): Promise<readonly string[]> {
  const rows = await database
    .selectFrom('copy_tables')
    .select('name')
    .distinct()
    .where(sql<boolean>`starts_with(name, ${copyTablePrefix(kind)})`)
    .orderBy('name')
    .execute();
  return rows.map(({ name }) => name);
}

async function deleteSome(
  database: Database,
  {
    table,
    connectorId,
    limit,
  }: { readonly table: string; readonly connectorId: string; readonly limit: number },
): Promise<number> {
  const deleted = await sql`
    delete from ${sql.id(SCHEMA, table)} where ctid = any(array(
      select ctid from ${sql.id(SCHEMA, table)}
      where connector_id = ${connectorId}::uuid limit ${limit}
    ))
  `.execute(database);
  return Number(deleted.numAffectedRows ?? 0n);
}
