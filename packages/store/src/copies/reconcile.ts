import { setTimeout } from 'node:timers/promises';
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

/** So long the first wait for a table that is in use lasts, and so long others then have it: they wait behind whoever waits. */
const PATIENCE_MS = 1_000;

/**
 * Makes the tables that the definitions ask for, and adds the columns and indexes that they lack.
 * Nothing is ever dropped or changed, so that processes of an older version go on; columns that only
 * a newer one knows stay empty in what an older one writes. Processes that start at once take turns.
 *
 * Tables that are there are searched and written meanwhile: each gets what it lacks in small transactions of its own, so
 * that none is locked while an index of another one is made.
 *
 * @param onMade Runs in the transaction that has made the new ones.
 * @returns The names of the tables that were looked at since their definition was new.
 */
export async function reconcileTables(
  database: Database,
  tables: CopyTables,
  onMade?: (transaction: Transaction<Tables>) => Promise<void>,
): Promise<readonly string[]> {
  if ((await findNew(database, tables)).length === 0) return [];
  await completePresent(database, tables);
  return await database.transaction().execute(async (transaction) => {
    await takeTurn(transaction);
    const fresh = await findNew(transaction, tables);
    const present = await findPresent(transaction);
    for (const table of fresh)
      for (const step of stepsFor(table, present)) await take(step, transaction);
    await onMade?.(transaction);
    for (const table of fresh) await recordReconciled(transaction, table);
    return fresh.map(({ name }) => name);
  });
}

async function takeTurn(transaction: Transaction<Tables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK_KEY})`.execute(transaction);
}

/** Adds what tables lack that are there, step by step; after a crash in between the next start goes on. */
async function completePresent(database: Database, tables: CopyTables): Promise<void> {
  for (let attempt = 1; ;) {
    try {
      if (!(await takeNextStep(database, tables, attempt * PATIENCE_MS))) return;
      attempt = 1;
    } catch (error) {
      if (!isLockNotGiven(error)) throw error;
      attempt += 1;
      await setTimeout(PATIENCE_MS);
    }
  }
}

/** @returns Whether there was one. */
async function takeNextStep(
  database: Database,
  tables: CopyTables,
  patienceMs: number,
): Promise<boolean> {
  return await database.transaction().execute(async (transaction) => {
    await takeTurn(transaction);
    const present = await findPresent(transaction);
    const lacking = (await findNew(transaction, tables)).filter(({ name }) => present.has(name));
    const [step] = lacking.flatMap((table) => stepsFor(table, present));
    if (step === undefined) return false;
    await sql`set local lock_timeout = ${sql.lit(patienceMs)}`.execute(transaction);
    await take(step, transaction);
    return true;
  });
}

/** @see https://www.postgresql.org/docs/current/errcodes-appendix.html */
function isLockNotGiven(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03';
}

/** Statements of one transaction. */
type Step = readonly string[];

async function take(step: Step, transaction: Transaction<Tables>): Promise<void> {
  // One by one: nodes of a cluster take no more at once.
  for (const statement of step) await sql.raw(statement).execute(transaction);
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
function stepsFor(table: CopyTable, present: ReadonlySet<string>): readonly Step[] {
  const columns = table.columns.filter(({ name }) => !present.has(`${table.name}.${name}`));
  const indexes = indexesOf(table).filter(({ name }) => !present.has(name));
  return [
    ...(present.has(table.name)
      ? columns.map((column) => additionOf(table, column))
      : [creationOf(table)]),
    ...indexes.map((index) => [index.sql]),
  ];
}

function creationOf(table: CopyTable): Step {
  const json = table.columns.filter(({ sqlType }) => sqlType === 'jsonb');
  const unknown = ['terms', 'grams', ...json.map(({ name }) => name)];
  return [createTableSql(table), ...unknown.map((column) => withoutStatistics(table, column))];
}

function additionOf(table: CopyTable, column: CopyColumn): Step {
  const adding = `alter table ${quoted(table)} add column ${columnSql(column)}`;
  return column.sqlType === 'jsonb' ? [adding, withoutStatistics(table, column.name)] : [adding];
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
