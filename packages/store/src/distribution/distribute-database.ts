import { sql, type Transaction } from 'kysely';
import type { Database, Tables } from '../database.ts';
import { StoreError } from '../store-error.ts';
import { canBeDistributed, spreadTables, type DistributedTables } from './distribute-tables.ts';

/** A database that is to be distributed. */
export interface UndistributedDatabase {
  readonly database: Database;
  /** Names the database in errors, without its password. */
  readonly description: string;
}

/** @throws `database_unsupported` where the extension is missing. */
export async function requireExtension({
  database,
  description,
}: UndistributedDatabase): Promise<void> {
  if (await canBeDistributed(database)) return;
  throw new StoreError(
    'database_unsupported',
    `Cannot distribute ${description}: it does not have the extension "citus"; run "create extension citus" in it on every node, and add the workers to the coordinator (citus_add_node).`,
  );
}

/**
 * Spreads the tables over the nodes, all in one transaction: a crash leaves everything as it was. Where
 * they are spread already, nothing happens.
 *
 * @param hold Keeps processes from starting until the transaction ends.
 * @returns The tables that were moved.
 * @throws `database_in_use` where other processes run.
 */
export async function distributeDatabase(
  { database, description }: UndistributedDatabase,
  hold: (transaction: Transaction<Tables>) => Promise<void>,
  onProgress: (tables: DistributedTables) => void,
): Promise<readonly string[]> {
  return await database.transaction().execute(async (transaction) => {
    await hold(transaction);
    const moved = await spreadTables(transaction, {
      onProgress,
      onBegin: () => requireAlone(transaction, description),
    });
    return moved;
  });
}

async function requireAlone(transaction: Transaction<Tables>, description: string): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from patchbay.instances where beaten_at > now() - interval '15 seconds'
  `.execute(transaction);
  const count = rows[0]?.count ?? 0;
  if (count === 0) return;
  throw new StoreError(
    'database_in_use',
    `Cannot distribute ${description} while ${count === 1 ? 'a process runs' : `${count} processes run`} on it; stop them all, wait 15 seconds where one was killed, and try again.`,
  );
}
