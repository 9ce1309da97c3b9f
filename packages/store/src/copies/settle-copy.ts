import { sql } from 'kysely';
import { SCHEMA, type Database } from '../database.ts';
import { gramsIndexOf, termsIndexOf, type CopyTable } from './copy-table.ts';
import type { OpenCopy } from './open-copy.ts';

/** As autovacuum has it, for servers where it is off, and for the embedded database, which has none. */
const ANALYSE_AFTER_ROWS = 1_000;
const ANALYSE_AFTER_SHARE = 0.1;

/**
 * Makes searches fast after many records were written: what was put aside to be indexed is indexed,
 * and the planner gets to know the table.
 */
export async function settleCopy(copy: OpenCopy): Promise<void> {
  const { database, table } = copy;
  for (const index of [termsIndexOf(table), gramsIndexOf(table)]) {
    if (index !== undefined) await cleanPendingList(database, index);
  }
  if (await isAnalysisDue(database, table)) await analyse(copy);
}

async function cleanPendingList(database: Database, index: string): Promise<void> {
  await sql`select gin_clean_pending_list(${`${SCHEMA}.${index}`}::regclass)`.execute(database);
}

async function isAnalysisDue(database: Database, { name }: CopyTable): Promise<boolean> {
  const { rows } = await sql<{ isDue: boolean }>`
    select n_mod_since_analyze > ${ANALYSE_AFTER_ROWS} + ${ANALYSE_AFTER_SHARE}::float8 * n_live_tup
      as "isDue"
    from pg_stat_user_tables where relid = ${`${SCHEMA}.${name}`}::regclass
  `.execute(database);
  return rows[0]?.isDue ?? false;
}

async function analyse({ database, table, statisticsTarget }: OpenCopy): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await sql`set local default_statistics_target = ${sql.lit(statisticsTarget)}`.execute(
      transaction,
    );
    await sql`analyze ${sql.id(SCHEMA, table.name)}`.execute(transaction);
  });
}
