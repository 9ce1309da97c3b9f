import type { Database } from '../database.ts';
import { checkStorable, isStorable } from '../storable-text.ts';

export async function findSetting(database: Database, name: string): Promise<string | undefined> {
  if (!isStorable(name)) return undefined;
  const row = await database
    .selectFrom('settings')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.value;
}

/** Stores the value unless the name is taken; returns the value that is there afterwards. */
export async function ensureSetting(
  database: Database,
  name: string,
  value: string,
): Promise<string> {
  checkStorable({ 'setting name': name, 'setting value': value });
  const row = await database
    .insertInto('settings')
    .values({ name, value })
    // Setting the value to itself makes the statement return the row of another process, too.
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((present) => ({ value: present.ref('settings.value') })),
    )
    .returning('value')
    .executeTakeFirstOrThrow();
  return row.value;
}
