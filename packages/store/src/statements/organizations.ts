import type { Database } from '../database.ts';
import { checkStorable } from '../storable-text.ts';
import type { Organization, Store } from '../store.ts';

/** Stores an organization; where that id is taken, nothing changes. */
export async function createOrganization(
  database: Database,
  organization: Parameters<Store['organizations']['create']>[0],
): Promise<void> {
  checkStorable({ 'organization name': organization.name });
  await database
    .insertInto('organizations')
    .values({ id: organization.id, name: organization.name })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/** Oldest first. */
export async function listOrganizations(database: Database): Promise<readonly Organization[]> {
  return await database
    .selectFrom('organizations')
    .select(['id', 'name', 'created_at as createdAt'])
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}
