import type { PGlite } from '@electric-sql/pglite';

/**
 * Log since the last checkpoint that makes the next one due: it is disk space, time to recover, and
 * what everybody waits for while the checkpoint lasts, which is some 100 ms for so much.
 */
const CHECKPOINT_AFTER_BYTES = 32 * 1024 * 1024;

/** So many dead rows, and of each live row such a share, make a table due. */
interface DeadRows {
  readonly rows: number;
  readonly share: number;
}

/** While nobody waits: much as PostgreSQL's own rule, which is 50 and a fifth. */
const DUE_IN_QUIET: DeadRows = { rows: 1_000, share: 0.2 };

/**
 * However many wait, and for seconds: by then table and indexes have three times their size. It is for
 * the disk, which otherwise fills where it never is quiet.
 */
const DUE_ANYWAY: DeadRows = { rows: 50_000, share: 2 };

/** Nobody but replication has used the database for so long: it may well be a while until somebody does. */
const QUIET_MS = 10_000;

/** As PostgreSQL's own rule, but for small tables. */
const ANALYSE_AFTER_ROWS = 1_000;
const ANALYSE_AFTER_SHARE = 0.1;

/** An `analyze` reads 300 times as many rows, while everybody waits: with 10, some 50 ms for large ones. */
export const SHARED_STATISTICS_TARGET = 10;

/*
 * What a PostgreSQL server's background processes do and PGlite, a single process, never does: without
 * it the log grows for ever, dead rows are never reused, and the planner knows nothing. Everybody waits
 * meanwhile, so each call does one thing at most.
 */

/** To be called every second: a first copy writes some 20 MB of log in one. */
export async function shortenLog(database: PGlite): Promise<void> {
  if ((await countLogBytes(database)) > CHECKPOINT_AFTER_BYTES) await database.exec('checkpoint');
}

/**
 * Clears a table of dead rows, which for 50,000 records takes a second or more, or else tells the
 * planner about one.
 *
 * @param quietMs Since somebody other than replication used the database.
 */
export async function tidyTables(database: PGlite, quietMs: number): Promise<void> {
  const due = quietMs >= QUIET_MS ? DUE_IN_QUIET : DUE_ANYWAY;
  const cleared = await findTableToVacuum(database, due);
  if (cleared !== undefined) {
    await database.exec(`vacuum ${cleared}`);
    return;
  }
  const analysed = await findTableToAnalyse(database);
  if (analysed !== undefined) await analyse(database, analysed);
}

async function countLogBytes(database: PGlite): Promise<number> {
  const result = await database.query<{ bytes: number }>(`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::float8 as bytes
    from pg_control_checkpoint()
  `);
  return result.rows[0]?.bytes ?? 0;
}

/** The quoted name of the table with the most dead rows of those that are due. */
async function findTableToVacuum(
  database: PGlite,
  { rows, share }: DeadRows,
): Promise<string | undefined> {
  const result = await database.query<{ name: string }>(
    `
      select format('%I.%I', schemaname, relname) as name
      from pg_stat_user_tables
      where n_dead_tup > $1 + $2::float8 * n_live_tup
      order by n_dead_tup desc
      limit 1
    `,
    [rows, share],
  );
  return result.rows[0]?.name;
}

/** Likewise, by rows that have changed since the planner was told. */
async function findTableToAnalyse(database: PGlite): Promise<string | undefined> {
  const result = await database.query<{ name: string }>(
    `
      select format('%I.%I', schemaname, relname) as name
      from pg_stat_user_tables
      where n_mod_since_analyze > $1 + $2::float8 * n_live_tup
      order by n_mod_since_analyze desc
      limit 1
    `,
    [ANALYSE_AFTER_ROWS, ANALYSE_AFTER_SHARE],
  );
  return result.rows[0]?.name;
}

async function analyse(database: PGlite, table: string): Promise<void> {
  await database.exec(`
    begin;
    set local default_statistics_target = ${SHARED_STATISTICS_TARGET};
    analyze ${table};
    commit
  `);
}
