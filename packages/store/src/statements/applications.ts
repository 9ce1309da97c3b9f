import { sql, type Transaction } from 'kysely';
import type {
  Application,
  ApplicationChange,
  Applications,
  ApplicationSecret,
  NewApplication,
  NewSecret,
} from '../contract/applications.ts';
import type { Database, Tables } from '../database.ts';
import { checkStorable, isStorable } from '../storable-text.ts';
import { StoreError } from '../store-error.ts';
import { isUuid } from '../uuid.ts';
import { deleteConnectSessionsOf } from './connect-sessions.ts';

type Page = NonNullable<Parameters<Applications['list']>[0]>;
type Login = NonNullable<Awaited<ReturnType<Applications['findLogin']>>>;

const COLUMNS = [
  'id',
  'organization_id as organizationId',
  'client_id as clientId',
  'name',
  'allowed_origins as allowedOrigins',
  'allowed_return_urls as allowedReturnUrls',
  'calls_per_minute as callsPerMinute',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'revoked_at as revokedAt',
] as const;

/** Rejects when the id or the client id is taken, or the organization absent. */
export async function createApplication(
  database: Database,
  application: NewApplication,
  secret: NewSecret,
): Promise<Application> {
  return await database
    .transaction()
    .execute((transaction) => insertApplication(transaction, application, secret));
}

/** See `Applications.createFirst`. */
export async function createFirstApplication(
  database: Database,
  [application, secret, keep]: Parameters<Applications['createFirst']>,
): Promise<Application | undefined> {
  return await database.transaction().execute(async (transaction) => {
    // Processes that start at once come one after another.
    await transaction
      .selectFrom('organizations')
      .select('id')
      .where('id', '=', application.organizationId)
      .forUpdate()
      .execute();
    const other = await transaction
      .selectFrom('applications')
      .select('id')
      .where('revoked_at', 'is', null)
      .limit(1)
      .executeTakeFirst();
    if (other !== undefined) return undefined;
    await keep();
    return await insertApplication(transaction, application, secret);
  });
}

async function insertApplication(
  transaction: Transaction<Tables>,
  application: NewApplication,
  secret: NewSecret,
): Promise<Application> {
  const created = await transaction
    .insertInto('applications')
    .values(rowOf(application))
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  await insertSecret(transaction, created.id, { ...secret, isFirst: true });
  return created;
}

/** By client id; a revocation is final. */
export async function ensureApplication(
  database: Database,
  application: NewApplication,
  secret: NewSecret,
): Promise<Application> {
  const row = rowOf(application);
  return await database.transaction().execute(async (transaction) => {
    const ensured = await transaction
      .insertInto('applications')
      .values(row)
      // Setting it to itself locks the row: processes that start at once come one after another.
      .onConflict((conflict) =>
        conflict.column('client_id').doUpdateSet({ client_id: row.client_id }),
      )
      .returning(COLUMNS)
      .executeTakeFirstOrThrow();
    if (ensured.revokedAt !== null) return ensured;
    await transaction
      .deleteFrom('application_secrets')
      .where('application_id', '=', ensured.id)
      .where('is_first', '=', true)
      .execute();
    await insertSecret(transaction, ensured.id, { ...secret, isFirst: true });
    return ensured;
  });
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
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** In one statement: a secret that is deleted meanwhile counts, or it does not. */
export async function findLogin(database: Database, clientId: string): Promise<Login | undefined> {
  if (!isStorable(clientId)) return undefined;
  const row = await database
    .selectFrom('applications')
    .select(COLUMNS)
    .select(
      sql<readonly string[]>`array(
        select s.secret_hash from patchbay.application_secrets as s
        where s.application_id = applications.id order by s.created_at, s.id
      )`.as('secretHashes'),
    )
    .where('client_id', '=', clientId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { secretHashes, ...application } = row;
  return { application, secretHashes };
}

/** By (createdAt, id) ascending, after the given position, revoked ones too. */
export async function listApplications(
  database: Database,
  page: Partial<Page> = {},
): Promise<readonly Application[]> {
  const { after, limit } = page;
  if (after !== undefined && !isUuid(after.id)) return [];
  let query = database
    .selectFrom('applications')
    .select(COLUMNS)
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id');
  if (limit !== undefined) query = query.limit(limit);
  if (after !== undefined)
    query = query.where(
      sql<boolean>`(created_at, id) > (${after.createdAt}::timestamptz, ${after.id}::uuid)`,
    );
  return await query.execute();
}

export async function updateApplication(
  database: Database,
  id: string,
  change: ApplicationChange,
): Promise<Application | undefined> {
  if (!isUuid(id)) return undefined;
  const { name, callsPerMinute } = change;
  checkStorable({ 'application name': name });
  return await database
    .updateTable('applications')
    .set({
      ...(name === undefined ? {} : { name }),
      ...listsOf(change),
      ...(callsPerMinute === undefined ? {} : { calls_per_minute: callsPerMinute }),
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning(COLUMNS)
    .executeTakeFirst();
}

/** Keeps the instant of an earlier revocation; an absent application is no error. */
export async function revokeApplication(database: Database, id: string): Promise<void> {
  if (!isUuid(id)) return;
  await database.transaction().execute(async (transaction) => {
    await transaction
      .updateTable('applications')
      .set({ revoked_at: sql<Date>`now()`, updated_at: sql<Date>`now()` })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .execute();
    await deleteAccess(transaction, id);
  });
}

/** Of many calls one returns its job. */
export async function deleteApplication(
  database: Database,
  id: string,
  jobId: string,
): Promise<string | undefined> {
  if (!isUuid(id)) return undefined;
  return await database.transaction().execute(async (transaction) => {
    const deleted = await transaction
      .updateTable('applications')
      .set({
        revoked_at: sql<Date>`least(revoked_at, now())`,
        updated_at: sql<Date>`now()`,
        deleted_at: sql<Date>`now()`,
        deletion_job_id: jobId,
        allowed_origins: '[]',
        allowed_return_urls: '[]',
      })
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .returning('id')
      .executeTakeFirst();
    if (deleted === undefined) return undefined;
    await deleteAccess(transaction, id);
    return jobId;
  });
}

/** Those that are deleted, and have connectors that are not. */
export async function listUncleared(
  database: Database,
  limit: number,
  without: readonly string[],
): Promise<readonly string[]> {
  const rows = await database
    .selectFrom('applications as a')
    .innerJoin('connectors as c', 'c.application_id', 'a.id')
    .select('a.id')
    .where('a.deleted_at', 'is not', null)
    .where('c.deleted_at', 'is', null)
    .where(sql<boolean>`a.id <> all(${without}::uuid[])`)
    .groupBy(['a.id', 'a.deleted_at'])
    .orderBy('a.deleted_at')
    .orderBy('a.id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export async function listSecrets(
  database: Database,
  applicationId: string,
): Promise<readonly ApplicationSecret[]> {
  if (!isUuid(applicationId)) return [];
  return await database
    .selectFrom('application_secrets')
    .select(['id', 'created_at as createdAt'])
    .where('application_id', '=', applicationId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export async function addSecret(
  database: Database,
  applicationId: string,
  { secret, most }: { readonly secret: NewSecret; readonly most: number },
): Promise<ApplicationSecret | undefined> {
  if (!isUuid(applicationId)) return undefined;
  return await database.transaction().execute(async (transaction) => {
    if (!(await lockUnrevoked(transaction, applicationId))) return undefined;
    if ((await listSecrets(transaction, applicationId)).length >= most)
      throw new StoreError('secrets_full', `the application has ${most} secrets`);
    return await insertSecret(transaction, applicationId, { ...secret, isFirst: false });
  });
}

export async function deleteSecret(
  database: Database,
  applicationId: string,
  secretId: string,
): Promise<'deleted' | 'absent' | 'last'> {
  if (!isUuid(applicationId) || !isUuid(secretId)) return 'absent';
  return await database.transaction().execute(async (transaction) => {
    if (!(await lockUnrevoked(transaction, applicationId))) return 'absent';
    const secrets = await listSecrets(transaction, applicationId);
    if (!secrets.some(({ id }) => id === secretId.toLowerCase())) return 'absent';
    if (secrets.length === 1) return 'last';
    await transaction.deleteFrom('application_secrets').where('id', '=', secretId).execute();
    return 'deleted';
  });
}

/** From here on nobody else changes the secrets of that application, until the transaction ends. */
async function lockUnrevoked(
  transaction: Transaction<Tables>,
  applicationId: string,
): Promise<boolean> {
  const row = await transaction
    .selectFrom('applications')
    .select('id')
    .where('id', '=', applicationId)
    .where('revoked_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

async function insertSecret(
  transaction: Transaction<Tables>,
  applicationId: string,
  { id, secretHash, isFirst }: NewSecret & { readonly isFirst: boolean },
): Promise<ApplicationSecret> {
  checkStorable({ 'application secret hash': secretHash });
  return await transaction
    .insertInto('application_secrets')
    .values({
      id,
      application_id: applicationId,
      secret_hash: secretHash,
      is_first: isFirst,
    })
    .returning(['id', 'created_at as createdAt'])
    .executeTakeFirstOrThrow();
}

/** With its secrets goes whatever people have begun for it. */
async function deleteAccess(
  transaction: Transaction<Tables>,
  applicationId: string,
): Promise<void> {
  for (const table of ['application_secrets', 'consents'] as const)
    await transaction.deleteFrom(table).where('application_id', '=', applicationId).execute();
  await deleteConnectSessionsOf(transaction, applicationId);
}

function rowOf(application: NewApplication) {
  checkStorable({
    'application client id': application.clientId,
    'application name': application.name,
  });
  return {
    id: application.id,
    organization_id: application.organizationId,
    client_id: application.clientId,
    name: application.name,
    calls_per_minute: application.callsPerMinute ?? null,
    ...listsOf(application),
  };
}

function listsOf({ allowedOrigins, allowedReturnUrls }: ApplicationChange) {
  return {
    ...(allowedOrigins === undefined ? {} : { allowed_origins: JSON.stringify(allowedOrigins) }),
    ...(allowedReturnUrls === undefined
      ? {}
      : { allowed_return_urls: JSON.stringify(allowedReturnUrls) }),
  };
}
