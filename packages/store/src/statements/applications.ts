import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { checkStorable, isStorable } from '../storable-text.ts';
import type { Application } from '../contract/store.ts';
import { isUuid } from '../uuid.ts';

type NewApplication = Omit<Application, 'createdAt' | 'revokedAt'>;

const COLUMNS = [
  'id',
  'organization_id as organizationId',
  'client_id as clientId',
  'secret_hash as secretHash',
  'name',
  'created_at as createdAt',
  'revoked_at as revokedAt',
] as const;

/** Rejects when the id or the client id is taken, or the organization absent. */
export async function createApplication(
  database: Database,
  application: NewApplication,
): Promise<void> {
  await database.insertInto('applications').values(rowOf(application)).execute();
}

/** Inserts, or replaces the secret hash, by client id; a revocation is final. */
export async function ensureApplication(
  database: Database,
  application: NewApplication,
): Promise<Application> {
  return await database
    .insertInto('applications')
    .values(rowOf(application))
    .onConflict((conflict) =>
      conflict.column('client_id').doUpdateSet({ secret_hash: application.secretHash }),
    )
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

export async function findApplicationByClientId(
  database: Database,
  clientId: string,
): Promise<Application | undefined> {
  if (!isStorable(clientId)) return undefined;
  return await database
    .selectFrom('applications')
    .select(COLUMNS)
    .where('client_id', '=', clientId)
    .executeTakeFirst();
}

export async function findApplicationById(
  database: Database,
  id: string,
): Promise<Application | undefined> {
  if (!isUuid(id)) return undefined;
  return await database
    .selectFrom('applications')
    .select(COLUMNS)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** All applications, oldest first, revoked ones too. */
export async function listApplications(database: Database): Promise<readonly Application[]> {
  return await database
    .selectFrom('applications')
    .select(COLUMNS)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Keeps the instant of an earlier revocation; an absent application is no error. */
export async function revokeApplication(database: Database, id: string): Promise<void> {
  if (!isUuid(id)) return;
  await database
    .updateTable('applications')
    .set({ revoked_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute();
}

function rowOf(application: NewApplication) {
  checkStorable({
    'application client id': application.clientId,
    'application secret hash': application.secretHash,
    'application name': application.name,
  });
  return {
    id: application.id,
    organization_id: application.organizationId,
    client_id: application.clientId,
    secret_hash: application.secretHash,
    name: application.name,
  };
}
