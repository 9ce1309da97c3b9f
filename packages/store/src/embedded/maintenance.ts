import type { PGlite } from '@electric-sql/pglite';

/** Log since the last checkpoint that makes the next one due: it is disk space, and time to recover. */
const CHECKPOINT_AFTER_BYTES = 64 * 1024 * 1024;

/** Dead rows that make a table due: PostgreSQL's own rule is 50 plus a fifth of the live ones. */
const VACUUM_AFTER_ROWS = 1_000;
const VACUUM_AFTER_SHARE = 0.2;

/**
 * Does what a PostgreSQL server's background processes do and PGlite, a single process, never
 * does: without it the log grows for ever and dead rows are never reused. Each call clears at most
 * one table and makes at most one checkpoint, since everybody waits meanwhile.
 */
export async function maintain(database: PGlite): Promise<void> {
  const table = await findTableToVacuum(database);
  if (table !== undefined) await database.exec(`vacuum (analyze) ${table}`);
  if ((await countLogBytes(database)) > CHECKPOINT_AFTER_BYTES) await database.exec('checkpoint');
}

async function countLogBytes(database: PGlite): Promise<number> {
  const result = await database.query<{ bytes: number }>(`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::float8 as bytes
    from pg_control_checkpoint()
  `);
  return result.rows[0]?.bytes ?? 0;
}

/** The quoted name of the table with the most dead rows, where vacuuming it is worth while. */
async function findTableToVacuum(database: PGlite): Promise<string | undefined> {
  const result = await database.query<{ name: string }>(
    `
      select format('%I.%I', schemaname, relname) as name
      from pg_stat_user_tables
      where n_dead_tup > $1 + $2::float8 * n_live_tup
      order by n_dead_tup desc
      limit 1
    `,
    [VACUUM_AFTER_ROWS, VACUUM_AFTER_SHARE],
  );
  return result.rows[0]?.name;
}
