import { sql } from 'kysely';
import { SCHEMA, type Database } from '../database.ts';
import { PLACEMENTS } from '../distribution/placements.ts';

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
}

/** Parents come before what refers to them. */
const ORDER: readonly string[] = Object.keys(PLACEMENTS);

/**
 * The tables of a database, parents before what refers to them, large ones last. The order is not asked of the
 * database: a distributed one lacks references that another one, to which its rows go, has.
 */
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
      ) as "keyTypes"
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${SCHEMA} and c.relkind = 'r'
    order by c.relname
  `.execute(database);
  const carried = rows
    .filter(({ name }) => !LEFT_OUT.has(name))
    .toSorted((a, b) => rankOf(a) - rankOf(b) || ORDER.indexOf(a.name) - ORDER.indexOf(b.name));
  return carried.map(({ name, columns, keyNames, keyTypes }) => ({
    name,
    columns,
    key: keyNames.map((key, index) => ({ name: key, type: keyTypes[index] ?? '' })),
  }));
}

function rankOf(table: FoundTable): number {
  if (!isLarge(table)) return 0;
  return OF_ALL_COPIES.has(table.name) ? 2 : 1;
}
