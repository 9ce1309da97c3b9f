import { sql, type RawBuilder } from 'kysely';
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
  if (copy.isDistributed) {
    await settleShard(copy);
    return;
  }
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
    select ${analysisIsDue()} as "isDue"
    from pg_stat_user_tables where relid = ${`${SCHEMA}.${name}`}::regclass
  `.execute(database);
  return rows[0]?.isDue ?? false;
}

function analysisIsDue(): RawBuilder<boolean> {
  return sql`n_mod_since_analyze >
    ${sql.lit(ANALYSE_AFTER_ROWS)} + ${sql.lit(ANALYSE_AFTER_SHARE)} * n_live_tup`;
}

async function analyse({ database, table, statisticsTarget }: OpenCopy): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await sql`set local default_statistics_target = ${sql.lit(statisticsTarget)}`.execute(
      transaction,
    );
    await sql`analyze ${sql.id(SCHEMA, table.name)}`.execute(transaction);
  });
}

/**
 * The same where the rows of the connector are on another node: in its shard there, whose name Citus tells. One that
 * was never analysed is so at once, since the connections to a node tell what they changed some seconds later.
 */
async function settleShard({
  database,
  table,
  connectorId,
  statisticsTarget,
}: OpenCopy): Promise<void> {
  const name = `${SCHEMA}.${table.name}`;
  const { sql: settling } = sql`
    do $settle$
    begin
      perform gin_clean_pending_list(indexrelid)
      from pg_index join pg_class on pg_class.oid = indexrelid join pg_am on pg_am.oid = relam
      where indrelid = '%1$s'::regclass and amname = 'gin';
      if (
        select reltuples < 0 or ${analysisIsDue()}
        from pg_class join pg_stat_user_tables on relid = pg_class.oid
        where relid = '%1$s'::regclass
      ) then
        set local default_statistics_target = ${sql.lit(statisticsTarget)};
        analyze %1$s;
      end if;
    end $settle$`.compile(database);
  const { rows } = await sql<{ success: boolean; result: string }>`
    with place as materialized (
      select array_agg(nodename) as names, array_agg(nodeport::integer) as ports,
        array_agg(format(${settling}, shard_name(logicalrelid, shardid))) as commands
      from pg_dist_shard join pg_dist_shard_placement using (shardid)
      where logicalrelid = ${name}::regclass and shardstate = 1
        and shardid = get_shard_id_for_distribution_column(${name}::regclass, ${connectorId}::uuid)
    )
    select success, result from place, master_run_on_worker(names, ports, commands, false)
  `.execute(database);
  const [settled] = rows;
  if (settled?.success !== true)
    throw new Error(`the shard of ${name} was not settled: ${settled?.result ?? 'it has no node'}`);
}
