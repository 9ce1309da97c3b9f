import { sql } from 'kysely';
import { SCHEMA, type Database } from '../database.ts';

/** A column of a primary key. */
interface KeyColumn {
  readonly name: string;
  readonly type: string;
}

/** A table whose rows go into backups, and over to another database. */
export interface CarriedTable {
  readonly name: string;
  /** By name, so that a row has the same text in every database. */
  readonly columns: readonly string[];
  readonly key: readonly KeyColumn[];
}

/**
 * What each database knows of itself: its schema, the tables that it has made of definitions, who runs on it, what
 * happened, and who has signed in: no backup brings back a session that has been ended.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'schema_migrations',
  'copy_tables',
  'instances',
  'console_sessions',
  'stats',
]);

/**
 * Tables that may be so large that nobody can wait until they have been read. The keys of all of them
 * begin with the connector.
 */
export function isLarge({ name }: Pick<CarriedTable, 'name'>): boolean {
  return name === 'idempotency_keys' || name.startsWith('copy_');
}

/** They say something of the records in other tables of copies, so they come after them. */
const OF_ALL_COPIES: ReadonlySet<string> = new Set(['copy_words', 'copy_paths', 'copy_sightings']);

interface FoundTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly keyNames: readonly string[];
  readonly keyTypes: readonly string[];
  readonly parents: readonly string[];
}

/** The tables of a database, parents before what refers to them, large ones last. */
export async function listCarriedTables(database: Database): Promise<readonly CarriedTable[]> {
  const { rows } = await sql<FoundTable>`
    select c.relname::text as name,
      array(
        select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        order by a.attname
      ) as columns,
      array(
        select a.attname::text from pg_constraint p
        cross join unnest(p.conkey) with ordinality as k (number, place)
        join pg_attribute a on a.attrelid = p.conrelid and a.attnum = k.number
        where p.conrelid = c.oid and p.contype = 'p' order by k.place
      ) as "keyNames",
      array(
        select format_type(a.atttypid, null) from pg_constraint p
        cross join unnest(p.conkey) with ordinality as k (number, place)
        join pg_attribute a on a.attrelid = p.conrelid and a.attnum = k.number
        where p.conrelid = c.oid and p.contype = 'p' order by k.place
      ) as "keyTypes",
      array(
        select parent.relname::text from pg_constraint f
        join pg_class parent on parent.oid = f.confrelid
        where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid
      ) as parents
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${SCHEMA} and c.relkind = 'r'
    order by c.relname
  `.execute(database);
  const carried = inOrder(rows.filter(({ name }) => !LEFT_OUT.has(name)));
  return carried.map(({ name, columns, keyNames, keyTypes }) => ({
    name,
    columns,
    key: keyNames.map((key, index) => ({ name: key, type: keyTypes[index] ?? '' })),
  }));
}

function inOrder(tables: readonly FoundTable[]): readonly FoundTable[] {
  const sorted = new Map<string, FoundTable>();
  const add = (table: FoundTable) => {
    for (const parent of tables.filter(({ name }) => table.parents.includes(name)))
      if (!sorted.has(parent.name)) add(parent);
    sorted.set(table.name, table);
  };
  for (const table of tables.toSorted((a, b) => rankOf(a) - rankOf(b))) add(table);
  return [...sorted.values()];
}

function rankOf(table: FoundTable): number {
  if (!isLarge(table)) return 0;
  return OF_ALL_COPIES.has(table.name) ? 2 : 1;
}
