import { sql, type RawBuilder } from 'kysely';
import { SCHEMA, type Database } from '../database.ts';
import { SURELY_FUTURE } from '../database-clock.ts';
import { BY_PRIMARY_KEY, localSettings } from '../local-settings.ts';
import { textArray } from './array-literal.ts';
import type { Orphans } from '../contract/syncs.ts';
import { INDEXED_LENGTH } from './column-sql.ts';
import { copyTablePrefix, type CopyColumn, type CopyTable } from './copy-table.ts';
import type { OpenCopy } from './open-copy.ts';

/** A page was asked for before it was written; of what we wrote ourselves both are the same instant. */
const IS_READ = sql`t.synced_at < t.changed_at`;

/** What became of some records that follow each other by their keys. */
interface Swept {
  /** How many were looked at, and how many of them were deleted. */
  readonly looked: number;
  readonly deleted: number;
  /** The key of the last one. */
  readonly last: string | undefined;
}

/** The records after a key, so many at most. */
interface Stretch {
  /** `undefined`: from the beginning on. */
  readonly after: string | undefined;
  readonly limit: number;
}

/**
 * Of some records deletes those that no full read since `generation` saw, nor any write after
 * `before` until now. To be called in a transaction.
 */
export async function deleteUnseen(
  copy: OpenCopy,
  unseen: Stretch & { readonly generation: number; readonly before: Date },
): Promise<Swept> {
  const { generation, before } = unseen;
  // Looked up one by one: a join might compare every record with every sighting.
  const isUnseen = sql`(t.generation < ${generation}::bigint
    and (t.synced_at < ${before}::timestamptz or t.synced_at > ${SURELY_FUTURE})
    and (
      select s.generation >= ${generation}::bigint from ${sql.id(SCHEMA, 'copy_sightings')} s
      where s.connector_id = ${copy.connectorId}::uuid and s.entity = ${copy.table.entity}
        and s.record_key = t.record_key
    ) is not true)`;
  return await sweep(copy, unseen, isUnseen);
}

/**
 * Of some records deletes those whose field holds what no parent in its copy has. What was read was read of a parent
 * that was there, so that has gone since; of what we wrote ourselves the parent may be too new to be there.
 */
export async function deleteOrphans(
  copy: OpenCopy,
  orphans: Stretch & Pick<Orphans, 'parent' | 'link' | 'before'>,
): Promise<Swept> {
  const { link, before } = orphans;
  const parents = copy.tables.of({ kind: copy.kind, entity: orphans.parent });
  const named = sql`t.${sql.id(columnOf(copy.table, link.field).name)}`;
  const isNamed =
    link.of === undefined
      ? sql`p.record_key = ${named}::text collate "C"`
      : isSame(columnOf(parents, link.of), named);
  const isOld =
    before === null
      ? IS_READ
      : sql`(${IS_READ} or t.synced_at < ${before}::timestamptz or t.synced_at > ${SURELY_FUTURE})`;
  const isOrphan = sql`(${isOld} and ${named} is not null and (
    select true from ${sql.id(SCHEMA, parents.name)} p
    where p.connector_id = ${copy.connectorId}::uuid and ${isNamed} limit 1
  ) is null)`;
  return await sweep(copy, orphans, isOrphan);
}

/** By what a column's index holds, too: without that, all parents would be read for each record. */
function isSame(column: CopyColumn, value: RawBuilder<unknown>): RawBuilder<unknown> {
  const same = sql`p.${sql.id(column.name)} = ${value}`;
  return column.sqlType === 'text'
    ? sql`left(p.${sql.id(column.name)}, ${sql.lit(INDEXED_LENGTH)}) = left(${value}, ${sql.lit(INDEXED_LENGTH)}) and ${same}`
    : same;
}

function columnOf({ entity, byField }: CopyTable, field: string): CopyColumn {
  const column = byField.get(field);
  if (column === undefined) throw new Error(`${entity} cannot be searched by ${field}`);
  return column;
}

/** @param isGone Of a row called `t`; never null. */
async function sweep(
  copy: OpenCopy,
  { after, limit }: Stretch,
  isGone: RawBuilder<unknown>,
): Promise<Swept> {
  const { database, table, connectorId } = copy;
  const isNext = after === undefined ? sql`true` : sql`t.record_key > ${after}::text`;
  await sql.raw(localSettings(BY_PRIMARY_KEY)).execute(database);
  const { rows } = await sql<{ key: string; isGone: boolean }>`
    select t.record_key as key, ${isGone} as "isGone" from ${sql.id(SCHEMA, table.name)} t
    where t.connector_id = ${connectorId}::uuid and ${isNext}
    order by t.record_key limit ${limit}
  `.execute(database);
  const gone = rows.flatMap(({ key, isGone: is }) => (is ? [key] : []));
  const deleted = gone.length === 0 ? 0 : await deleteIf(copy, gone, isGone);
  return { looked: rows.length, deleted, last: rows.at(-1)?.key };
}

/** Deletes records that still meet a condition once nobody else can change them. */
async function deleteIf(
  copy: OpenCopy,
  keys: readonly string[],
  isGone: RawBuilder<unknown>,
): Promise<number> {
  const { database, table, connectorId } = copy;
  const { rows } = await sql<{ key: string }>`
    select t.record_key as key from ${sql.id(SCHEMA, table.name)} t
    where t.connector_id = ${connectorId}::uuid
      and t.record_key = any(${textArray(keys)}::text[]) and ${isGone}
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
  for (const table of [...names, 'copy_sightings', 'copy_words', 'copy_paths']) {
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
    delete from ${sql.id(SCHEMA, table)} where connector_id = ${connectorId}::uuid and ctid = any(array(
      select ctid from ${sql.id(SCHEMA, table)}
      where connector_id = ${connectorId}::uuid limit ${limit}
    ))
  `.execute(database);
  return Number(deleted.numAffectedRows ?? 0n);
}
