import type { PoolConfig } from 'pg';
import { queryOnce } from './open-test-store.ts';

/** Every row of every table of ours, as text; what each database knows of itself is left out. */
export type DatabaseRows = Readonly<Record<string, readonly string[]>>;

const OF_ITS_OWN = ['schema_migrations', 'copy_tables', 'instances', 'console_sessions'];

export async function rowsOf(connection: PoolConfig): Promise<DatabaseRows> {
  const tables = await queryOnce(
    connection,
    `select c.relname as name, array_agg(a.attname::text order by a.attname) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where n.nspname = 'patchbay' and c.relkind = 'r' group by 1 order by 1`,
  );
  const rows: Record<string, readonly string[]> = {};
  for (const { name, columns } of tables) {
    if (OF_ITS_OWN.includes(String(name))) continue;
    // Proof: the query above makes arrays of names.
    const names = columns as string[];
    // Column by column: of a row that comes from another node, the names are gone.
    const found = await queryOnce(
      connection,
      `select ${names.map((each) => `to_json("${each}")::text as "${each}"`).join(', ')}
      from patchbay.${String(name)}`,
    );
    const textOf = (row: Readonly<Record<string, unknown>>) =>
      `{${names.map((each) => `"${each}":${String(row[each])}`).join(',')}}`;
    // Here, since databases may order text otherwise.
    rows[String(name)] = found.map(textOf).toSorted();
  }
  return rows;
}
