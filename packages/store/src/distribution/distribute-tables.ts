import { sql, type Transaction } from 'kysely';
import { SCHEMA, type Database, type Tables } from '../database.ts';
import { FIRST_SPREAD, PLACEMENTS, placementOf, type Placement } from './placements.ts';

/** What has been done of a distribution. */
export interface DistributedTables {
  readonly done: number;
  readonly of: number;
  /** The one that comes next; `undefined` at the end. */
  readonly next: string | undefined;
}

interface SpreadingObserver {
  readonly onBegin?: () => Promise<void>;
  readonly onProgress?: (tables: DistributedTables) => void;
}

/** Functions that the nodes compute, too. */
const FUNCTIONS = ['patchbay.clock()'] as const;

/** Whether the database has the extension that spreads tables over nodes. */
export async function canBeDistributed(database: Database): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_extension where extname = 'citus'`.execute(database);
  return rows.length > 0;
}

/** Whether its tables have been spread over nodes. */
export async function isDistributed(database: Database): Promise<boolean> {
  if (!(await canBeDistributed(database))) return false;
  const { rows } = await sql`
    select 1 from pg_dist_partition
    where logicalrelid = to_regclass(${`${SCHEMA}.${FIRST_SPREAD}`})
  `.execute(database);
  return rows.length > 0;
}

/** Spreads the tables that a transaction has made, where the others are spread. */
export async function spreadNewTables(transaction: Transaction<Tables>): Promise<void> {
  if (await isDistributed(transaction)) await spreadTables(transaction);
}

/**
 * Puts every table where its placement says, with its rows, unless it is there; all of it in the
 * transaction, so that a crash leaves everything as it was.
 *
 * @param told.onBegin Before anything is moved.
 * @returns The tables that were moved, in order.
 */
export async function spreadTables(
  transaction: Transaction<Tables>,
  { onBegin, onProgress }: SpreadingObserver = {},
): Promise<readonly string[]> {
  const misplaced = await listMisplaced(transaction);
  if (misplaced.length === 0) return [];
  await onBegin?.();
  // Foreign keys to tables on every node ask for it.
  await sql`set local citus.multi_shard_modify_mode = 'sequential'`.execute(transaction);
  await forwardSettings(transaction);
  const keys = await dropForeignKeys(
    transaction,
    misplaced.map(({ name }) => name),
  );
  for (const [done, { name, placement }] of misplaced.entries()) {
    onProgress?.({ done, of: misplaced.length, next: name });
    await spreadTable(transaction, name, placement);
  }
  for (const { table, name, definition } of keys) {
    if (requirePlacement(table).by === 'coordinator') continue;
    await sql`
      alter table ${sql.id(SCHEMA, table)} add constraint ${sql.id(name)} ${sql.raw(definition)}
    `.execute(transaction);
  }
  for (const signature of FUNCTIONS)
    await sql`select create_distributed_function(${signature})`.execute(transaction);
  onProgress?.({ done: misplaced.length, of: misplaced.length, next: undefined });
  return misplaced.map(({ name }) => name);
}

interface MisplacedTable {
  readonly name: string;
  readonly placement: Placement;
}

async function listMisplaced(database: Database): Promise<readonly MisplacedTable[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname::text as name from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${SCHEMA} and c.relkind in ('r', 'p')
      and not exists (
        select from pg_dist_partition p
        where p.logicalrelid = c.oid and (p.partmethod = 'h' or p.repmodel = 't')
      )
    order by c.relname
  `.execute(database);
  const order = Object.keys(PLACEMENTS);
  const rankOf = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  return rows
    .map(({ name }) => ({ name, placement: requirePlacement(name) }))
    .filter(({ placement }) => placement.by !== 'coordinator')
    .toSorted((a, b) => rankOf(a.name) - rankOf(b.name));
}

function requirePlacement(table: string): Placement {
  const placement = placementOf(table);
  if (placement === undefined) throw new Error(`nothing says where the table ${table} belongs`);
  return placement;
}

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/**
 * Until both ends of a key are where they belong, no database takes it. Those of tables that stay on the
 * coordinator do not come back: with them Citus would manage these tables, too, which takes half of the
 * language from them. What they refer to is never deleted.
 */
async function dropForeignKeys(
  transaction: Transaction<Tables>,
  tables: readonly string[],
): Promise<readonly ForeignKey[]> {
  const { rows } = await sql<ForeignKey>`
    select child.relname::text as "table", f.conname::text as name,
      pg_get_constraintdef(f.oid) as definition
    from pg_constraint f
    join pg_class child on child.oid = f.conrelid
    join pg_class parent on parent.oid = f.confrelid
    join pg_namespace n on n.oid = child.relnamespace
    where f.contype = 'f' and n.nspname = ${SCHEMA}
      and (child.relname::text = any(${tables}) or parent.relname::text = any(${tables}))
    order by child.relname, f.conname
  `.execute(transaction);
  for (const { table, name } of rows)
    await sql`alter table ${sql.id(SCHEMA, table)} drop constraint ${sql.id(name)}`.execute(
      transaction,
    );
  return rows;
}

async function spreadTable(
  transaction: Transaction<Tables>,
  name: string,
  placement: Placement,
): Promise<void> {
  const table = `${SCHEMA}.${name}`;
  if (placement.by === 'connector') {
    const companion = name === FIRST_SPREAD ? 'none' : `${SCHEMA}.${FIRST_SPREAD}`;
    await sql`
      select create_distributed_table(${table}, ${placement.column}, colocate_with => ${companion})
    `.execute(transaction);
  } else await sql`select create_reference_table(${table})`.execute(transaction);
  // What was there has been copied, and would stay beside it.
  await sql`select truncate_local_data_after_distributing_table(${table})`.execute(transaction);
}

/**
 * Has the nodes follow what a transaction tells the planner. It is a setting of the database, since no
 * pooler keeps that from connections.
 */
async function forwardSettings(transaction: Transaction<Tables>): Promise<void> {
  const { rows } = await sql<{ name: string }>`select current_database()::text as name`.execute(
    transaction,
  );
  for (const { name } of rows)
    await sql`alter database ${sql.id(name)} set citus.propagate_set_commands = 'local'`.execute(
      transaction,
    );
}
