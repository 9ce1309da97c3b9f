import { sql, type Transaction } from 'kysely';
import { SCHEMA, type Database, type Tables } from '../database.ts';
import { longSql, sortSql } from './column-sql.ts';
import {
  gramsIndexOf,
  identifier,
  termsIndexOf,
  type CopyColumn,
  type CopyTable,
  type CopyTables,
} from './copy-table.ts';

/** An arbitrary number that nothing else in the database should lock. */
const LOCK_KEY = 7_281_642_290_332;

/** Counts changes of what this module makes of a definition. */
const LAYOUT_VERSION = 1;

/**
 * Makes the tables that the definitions ask for, and adds the columns and indexes that they lack.
 * Nothing is ever dropped or changed, so that processes of an older version go on; columns that only
 * a newer one knows stay empty in what an older one writes. Processes that start at once take turns.
 *
 * @param onMade Runs in the transaction that has made them.
 * @returns The names of the tables that were looked at since their definition was new.
 */
export async function reconcileTables(
  database: Database,
  tables: CopyTables,
  onMade?: (transaction: Transaction<Tables>) => Promise<void>,
): Promise<readonly string[]> {
  if ((await findNew(database, tables)).length === 0) return [];
  return await database.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${LOCK_KEY})`.execute(transaction);
    const fresh = await findNew(transaction, tables);
    const present = await findPresent(transaction);
    const statements = fresh.flatMap((table) => statementsFor(table, present));
    // One by one: nodes of a cluster take no more at once.
    for (const statement of statements) await sql.raw(statement).execute(transaction);
    await onMade?.(transaction);
    for (const table of fresh) await recordReconciled(transaction, table);
    return fresh.map(({ name }) => name);
  });
}

async function findNew(database: Database, tables: CopyTables): Promise<readonly CopyTable[]> {
  const rows = await database
    .selectFrom('copy_tables')
    .select(['name', 'definition_hash as hash'])
    .execute();
  const known = new Set(rows.map(({ name, hash }) => `${name} ${hash}`));
  return tables.all.filter((table) => !known.has(`${table.name} ${layoutHash(table)}`));
}

async function recordReconciled(transaction: Transaction<Tables>, table: CopyTable): Promise<void> {
  await transaction
    .insertInto('copy_tables')
    .values({ name: table.name, definition_hash: layoutHash(table) })
    .execute();
}

function layoutHash({ definitionHash }: CopyTable): string {
  return `${definitionHash}-${LAYOUT_VERSION}`;
}

/** Names in the schema: of relations, and of columns as `table.column`. */
async function findPresent(transaction: Transaction<Tables>): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c
      join pg_namespace n on n.oid = c.relnamespace where n.nspname = ${SCHEMA}
    union all
    select c.relname || '.' || a.attname from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid
    where n.nspname = ${SCHEMA} and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
  `.execute(transaction);
  return new Set(rows.map(({ name }) => name));
}

/** Only what is missing: even `if not exists` would lock out searches and writes for a while. */
function statementsFor(table: CopyTable, present: ReadonlySet<string>): readonly string[] {
  const isNew = (column: CopyColumn) => !present.has(`${table.name}.${column.name}`);
  const statements = present.has(table.name)
    ? table.columns
        .filter(isNew)
        .map((column) => `alter table ${quoted(table)} add column ${columnSql(column)}`)
    : [createTableSql(table), withoutStatistics(table, 'terms'), withoutStatistics(table, 'grams')];
  const json = table.columns.filter((column) => column.sqlType === 'jsonb' && isNew(column));
  statements.push(...json.map(({ name }) => withoutStatistics(table, name)));
  const indexes = indexesOf(table).filter(({ name }) => !present.has(name));
  return [...statements, ...indexes.map((index) => index.sql)];
}

function createTableSql(table: CopyTable): string {
  return `create table ${quoted(table)} (
    connector_id uuid not null,
    record_key text collate "C" not null,
    synced_at timestamptz(3) not null,
    changed_at timestamptz(3) not null,
    generation bigint not null,
    content_hash uuid not null,
    ${table.columns.map((column) => `${columnSql(column)},`).join('\n    ')}
    terms bigint[] not null,
    grams integer[] not null,
    primary key (connector_id, record_key)
  )`;
}

/** To analyse them takes long, and searches do not ask the planner how rare they are. */
function withoutStatistics(table: CopyTable, column: string): string {
  return `alter table ${quoted(table)} alter column "${column}" set statistics 0`;
}

function columnSql({ name, sqlType }: CopyColumn): string {
  return sqlType === 'text' ? `"${name}" text collate "C"` : `"${name}" ${sqlType}`;
}

interface Index {
  readonly name: string;
  readonly sql: string;
}

function indexesOf(table: CopyTable): readonly Index[] {
  const sortable = table.columns.filter(({ field }) => field.isSortable);
  const gramsIndex = gramsIndexOf(table);
  return [
    makeIndex(table, termsIndexOf(table), invertedIndex('terms')),
    ...(gramsIndex === undefined ? [] : [makeIndex(table, gramsIndex, invertedIndex('grams'))]),
    ...sortable.map((column) =>
      makeIndex(
        table,
        identifier(`${table.name}_by_${column.name}`),
        `(connector_id, ${sortSql(column)}, record_key)`,
      ),
    ),
    // Where there are such texts, the index above has only the beginnings in order.
    ...sortable
      .filter(({ sqlType }) => sqlType === 'text')
      .map((column) =>
        makeIndex(
          table,
          identifier(`${table.name}_long_${column.name}`),
          `(connector_id) where ${longSql(column)}`,
        ),
      ),
  ];
}

/**
 * New entries are put aside and indexed many at once, which is three times as fast. Every search,
 * of every connector, looks through those put aside: so there are at most 1 MiB of them.
 */
function invertedIndex(column: string): string {
  return `using gin (${column}) with (gin_pending_list_limit = 1024)`;
}

function makeIndex(table: CopyTable, name: string, definition: string): Index {
  return { name, sql: `create index "${name}" on ${quoted(table)} ${definition}` };
}

/** The name of a table as SQL; both parts are checked names (`identifier`). */
function quoted({ name }: CopyTable): string {
  return `"${SCHEMA}"."${name}"`;
}
