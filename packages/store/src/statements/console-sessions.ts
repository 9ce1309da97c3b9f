import { sql, type Expression, type Transaction } from 'kysely';
import type {
  ConsoleSession,
  ConsoleSessions,
  NewConsoleSession,
} from '../contract/console-sessions.ts';
import type { Database, Tables } from '../database.ts';
import { DATABASE_NOW, databaseNowPlus } from '../database-clock.ts';
import { checkStorable, isStorable } from '../storable-text.ts';
import { isUuid } from '../uuid.ts';
import { deleteSome } from './delete-some.ts';

type Bounds = Parameters<ConsoleSessions['open']>[2];

interface Row {
  readonly applicationId: string | null;
  readonly operatorKeyDigest: string | null;
  readonly expiresAt: Date;
}

const APPLICATION_ID = sql<string | null>`(
  select s.application_id from patchbay.application_secrets as s where s.id = client_secret_id
)`;

const COLUMNS = [
  APPLICATION_ID.as('applicationId'),
  sql<string | null>`operator_key_digest`.as('operatorKeyDigest'),
  sql<Date>`expires_at`.as('expiresAt'),
] as const;

export async function openConsoleSession(
  database: Database,
  secretHash: string,
  { session, bounds }: { readonly session: NewConsoleSession; readonly bounds: Bounds },
): Promise<ConsoleSession | undefined> {
  checkStorable({ 'hash of a console secret': secretHash });
  return await database.transaction().execute(async (transaction) => {
    const row = await transaction
      .insertInto('console_sessions')
      .columns([
        'secret_hash',
        'client_secret_id',
        'operator_key_digest',
        'created_at',
        'used_at',
        'expires_at',
      ])
      .expression(rowOf(secretHash, session, bounds.livesMs))
      .returning(COLUMNS)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    await endBeyond(transaction, session, bounds.most);
    return sessionOf(row);
  });
}

export async function useConsoleSession(
  database: Database,
  secretHash: string,
  idleMs: number,
): Promise<ConsoleSession | undefined> {
  if (!isStorable(secretHash)) return undefined;
  const row = await database
    .updateTable('console_sessions')
    .set({ used_at: DATABASE_NOW })
    .where('secret_hash', '=', secretHash)
    .where(sql<boolean>`not ${hasEnded(idleMs)}`)
    .returning(COLUMNS)
    .executeTakeFirst();
  return row && sessionOf(row);
}

export async function endConsoleSession(database: Database, secretHash: string): Promise<void> {
  if (!isStorable(secretHash)) return;
  await database.deleteFrom('console_sessions').where('secret_hash', '=', secretHash).execute();
}

export async function deleteEndedConsoleSessions(
  database: Database,
  idleMs: number,
  limit: number,
): Promise<number> {
  return await deleteSome(database, 'console_sessions', { isOver: hasEnded(idleMs), limit });
}

function hasEnded(idleMs: number): Expression<boolean> {
  return sql<boolean>`(expires_at <= ${DATABASE_NOW} or used_at <= ${databaseNowPlus(-idleMs)})`;
}

/** Of an application, none where the secret has gone since it was compared. */
function rowOf(secretHash: string, session: NewConsoleSession, livesMs: number) {
  const times = sql`${DATABASE_NOW}, ${DATABASE_NOW}, ${databaseNowPlus(livesMs)}`;
  if ('operatorKeyDigest' in session)
    return sql<Row>`select ${secretHash}::text, null::uuid, ${session.operatorKeyDigest}::text, ${times}`;
  const { applicationId, clientSecretHash } = session;
  return sql<Row>`
    select ${secretHash}::text, s.id, null::text, ${times}
    from patchbay.application_secrets as s
    where s.application_id = ${isUuid(applicationId) ? applicationId : null}::uuid
      and s.secret_hash = ${clientSecretHash}::text
    limit 1
  `;
}

/** Sessions of the same application, or of the operator, but for those that were used last. */
async function endBeyond(
  transaction: Transaction<Tables>,
  session: NewConsoleSession,
  most: number,
): Promise<void> {
  const isOfSameOwner =
    'applicationId' in session
      ? sql<boolean>`client_secret_id in (
          select s.id from patchbay.application_secrets as s
          where s.application_id = ${session.applicationId}::uuid
        )`
      : sql<boolean>`operator_key_digest is not null`;
  await transaction
    .deleteFrom('console_sessions')
    .where('secret_hash', 'in', (query) =>
      query
        .selectFrom('console_sessions')
        .select('secret_hash')
        .where(isOfSameOwner)
        .orderBy('used_at', 'desc')
        .orderBy('secret_hash')
        .offset(most),
    )
    .execute();
}

function sessionOf({ applicationId, operatorKeyDigest, expiresAt }: Row): ConsoleSession {
  if (operatorKeyDigest !== null) return { operatorKeyDigest, expiresAt };
  if (applicationId !== null) return { applicationId, expiresAt };
  throw new Error('a console session is neither of an application nor of the operator');
}
