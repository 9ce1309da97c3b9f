import type { Database } from '../database.ts';
import { checkStorable } from '../storable-text.ts';
import type { Organization } from '../contract/store.ts';

/** Stores an organization; where that id is taken, nothing changes. */
export async function createOrganization(
  database: Database,
  organization: Organization,
): Promise<void> {
  checkStorable({ 'organization name': organization.name });
  await database
    .insertInto('organizations')
    .values(organization)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/** All organizations, oldest first. */
export async function listOrganizations(database: Database): Promise<readonly Organization[]> {
  return await database
    .selectFrom('organizations')
    .select(['id', 'name'])
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}
