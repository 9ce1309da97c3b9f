import type { OAuthAppRow, OAuthApps } from '../contract/consents.ts';
import type { Database } from '../database.ts';
import { databaseNowPlus } from '../database-clock.ts';
import { checkStorable, isStorable } from '../storable-text.ts';
import { isUuid } from '../uuid.ts';

const COLUMNS = [
  'id',
  'application_id as applicationId',
  'kind',
  'sealed_app as sealedApp',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const;

/** Rejects when the application is absent. */
export async function putOAuthApp(
  database: Database,
  { id, applicationId, kind, sealedApp }: Parameters<OAuthApps['put']>[0],
): Promise<OAuthAppRow> {
  checkStorable({ 'connector kind': kind, 'sealed app': sealedApp });
  return await database
    .insertInto('oauth_apps')
    .values({ id, application_id: applicationId, kind, sealed_app: sealedApp })
    .onConflict((conflict) =>
      conflict.columns(['application_id', 'kind']).doUpdateSet({
        sealed_app: sealedApp,
        updated_at: (given) => given.ref('excluded.updated_at'),
      }),
    )
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

export async function findOAuthApp(
  database: Database,
  applicationId: string,
  kind: string,
): Promise<OAuthAppRow | undefined> {
  if (!isUuid(applicationId) || !isStorable(kind)) return undefined;
  return await database
    .selectFrom('oauth_apps')
    .select(COLUMNS)
    .where('application_id', '=', applicationId)
    .where('kind', '=', kind)
    .executeTakeFirst();
}

export async function listOAuthApps(
  database: Database,
  applicationId: string,
): Promise<readonly OAuthAppRow[]> {
  if (!isUuid(applicationId)) return [];
  return await database
    .selectFrom('oauth_apps')
    .select(COLUMNS)
    .where('application_id', '=', applicationId)
    .orderBy('kind')
    .execute();
}

export async function deleteOAuthApp(
  database: Database,
  applicationId: string,
  kind: string,
): Promise<void> {
  if (!isUuid(applicationId) || !isStorable(kind)) return;
  await database
    .deleteFrom('oauth_apps')
    .where('application_id', '=', applicationId)
    .where('kind', '=', kind)
    .execute();
}

export async function deleteOAuthAppsOfDeleted(
  database: Database,
  ageMs: number,
  limit: number,
): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom('oauth_apps')
    .where('id', 'in', (outer) =>
      outer
        .selectFrom('oauth_apps as o')
        .innerJoin('applications as a', 'a.id', 'o.application_id')
        .select('o.id')
        .where('a.deleted_at', '<=', databaseNowPlus(-ageMs))
        .limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
