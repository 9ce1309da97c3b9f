import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { InstanceFacts } from '../contract/store.ts';
import { DATABASE_NOW } from '../database-clock.ts';
import { checkStorable, isStorable } from '../storable-text.ts';

/** A process counts as alive that has reported itself so later than this. */
export const IS_ALIVE_SINCE = sql<Date>`now() - interval '15 seconds'`;

/** Reports a running process alive by the database's clock, and returns what that says; the first call registers it. */
export async function beatInstance(
  database: Database,
  id: string,
  { isWorker = false, masterKeys = [] }: InstanceFacts,
): Promise<Date> {
  checkStorable({ 'instance id': id });
  const facts = { is_worker: isWorker, master_keys: masterKeys };
  const { now } = await database
    .insertInto('instances')
    .values({ id, ...facts })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ beaten_at: sql<Date>`now()`, ...facts }),
    )
    .returning(sql<Date>`${DATABASE_NOW}`.as('now'))
    .executeTakeFirstOrThrow();
  return now;
}

/** Whether a process has reported itself alive of late. */
export async function isInstanceAlive(database: Database, id: string): Promise<boolean> {
  const alive = await database
    .selectFrom('instances')
    .select('id')
    .where('id', '=', id)
    .where('beaten_at', '>', IS_ALIVE_SINCE)
    .executeTakeFirst();
  return alive !== undefined;
}

/** How many processes that have reported themselves alive of late do not have a master key. */
export async function countWithoutKey(database: Database, keyId: string): Promise<number> {
  const { lacking } = await database
    .selectFrom('instances')
    .select((of) => of.fn.countAll<number>().as('lacking'))
    .where(sql<boolean>`not coalesce(${keyId} = any(master_keys), false)`)
    .where('beaten_at', '>', IS_ALIVE_SINCE)
    .executeTakeFirstOrThrow();
  return lacking;
}

/** How many processes that copy records have reported themselves alive of late. */
export async function countWorkers(database: Database): Promise<number> {
  const { workers } = await database
    .selectFrom('instances')
    .select((of) => of.fn.countAll<number>().as('workers'))
    .where('is_worker', '=', true)
    .where('beaten_at', '>', IS_ALIVE_SINCE)
    .executeTakeFirstOrThrow();
  return workers;
}

export async function removeInstance(database: Database, id: string): Promise<void> {
  if (!isStorable(id)) return;
  await database.deleteFrom('instances').where('id', '=', id).execute();
}

/** For a database that one process alone uses: when it starts, nobody else can be alive. */
export async function removeAllInstances(database: Database): Promise<void> {
  await database.deleteFrom('instances').execute();
}

/** Forgets processes that ended without a word; a day is far beyond any pause of a live one. */
export async function removeLongDeadInstances(database: Database): Promise<void> {
  await database
    .deleteFrom('instances')
    .where('beaten_at', '<', sql<Date>`now() - interval '1 day'`)
    .execute();
}
