import { createHash } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import { SCHEMA, type Database, type Tables } from '../database.ts';
import { StoreError } from '../store-error.ts';
import { MIGRATIONS, type Migration } from './all.ts';

/** An arbitrary number that nothing else in the database should lock. */
const LOCK_KEY = 7_281_642_290_331;

interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

/**
 * Brings the schema up to the last migration, each one in a transaction of its own. Processes that
 * start at once take turns, and a crash leaves whole migrations only. The lock is the
 * transaction's: a session lock would lock nothing where all connections share one session.
 *
 * @param migrations Other than the program's own in tests only.
 * @param onApplied Runs in the transaction of each step, after it.
 * @returns The names of the migrations that this call applied, in order.
 * @throws `schema_too_new`, `schema_changed`
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[] = MIGRATIONS,
  onApplied?: (transaction: Transaction<Tables>) => Promise<void>,
): Promise<readonly string[]> {
  const names: string[] = [];
  for (;;) {
    const migration = await database.transaction().execute(async (transaction) => {
      const applied = await applyNext(transaction, migrations);
      if (applied !== undefined) await onApplied?.(transaction);
      return applied;
    });
    if (migration === undefined) return names;
    names.push(migration.name);
  }
}

/** Whether any migration has been applied. */
export async function hasSchema(database: Database): Promise<boolean> {
  const found = await sql<{ oid: string | null }>`
    select to_regclass(${`${SCHEMA}.schema_migrations`})::text as oid
  `.execute(database);
  return found.rows[0]?.oid != null;
}

/** How many migrations have been applied, of this program or of a newer one. */
export async function countApplied(database: Database): Promise<number> {
  return (await hasSchema(database)) ? (await listApplied(database)).length : 0;
}

/** Nobody changes the schema, and no process starts on the database, until the transaction ends. */
export async function holdSchema(transaction: Transaction<Tables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK_KEY})`.execute(transaction);
}

async function applyNext(
  transaction: Transaction<Tables>,
  migrations: readonly Migration[],
): Promise<Migration | undefined> {
  await holdSchema(transaction);
  await ensureMigrationTable(transaction);
  const applied = await listApplied(transaction);
  checkApplied(applied, migrations);
  const next = migrations[applied.length];
  if (next === undefined) return undefined;
  await sql.raw(next.sql).execute(transaction);
  await recordApplied(transaction, next);
  return next;
}

async function ensureMigrationTable(transaction: Transaction<Tables>): Promise<void> {
  // `if not exists` alone would still ask for the right to create a schema.
  if (await hasSchema(transaction)) return;
  await sql`create schema if not exists ${sql.id(SCHEMA)}`.execute(transaction);
  await sql`
    create table ${sql.id(SCHEMA, 'schema_migrations')} (
      number integer primary key,
      name text collate "C" not null,
      checksum text collate "C" not null,
      applied_at timestamptz(3) not null default now()
    )
  `.execute(transaction);
}

async function listApplied(database: Database): Promise<readonly AppliedMigration[]> {
  const applied = await sql<AppliedMigration>`
    select number, name, checksum from ${sql.id(SCHEMA, 'schema_migrations')} order by number
  `.execute(database);
  return applied.rows;
}

function checkApplied(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): void {
  const newest = applied.at(-1);
  if (newest !== undefined && newest.number > migrations.length) {
    throw new StoreError(
      'schema_too_new',
      `The database has schema version ${newest.number}, which is newer than this program (it knows ${migrations.length}); start the newer Patchbay that made it, or restore a backup.`,
    );
  }
  for (const [index, migration] of migrations.slice(0, applied.length).entries()) {
    const found = applied[index];
    if (found?.number === migration.number && found.checksum === checksumOf(migration)) continue;
    throw new StoreError(
      'schema_changed',
      `The database's schema step ${migration.number} ("${found?.name}") is not the one of this program ("${migration.name}"); start the Patchbay version that made it, or another database.`,
    );
  }
}

async function recordApplied(
  transaction: Transaction<Tables>,
  migration: Migration,
): Promise<void> {
  await sql`
    insert into ${sql.id(SCHEMA, 'schema_migrations')} (number, name, checksum)
    values (${migration.number}, ${migration.name}, ${checksumOf(migration)})
  `.execute(transaction);
}

/** What tells whether two programs mean the same by a step. */
export function checksumOf(migration: Migration): string {
  return createHash('sha256').update(migration.sql).digest('hex');
}
