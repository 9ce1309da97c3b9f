import {
  sql,
  type Expression,
  type Insertable,
  type Selectable,
  type Transaction,
  type UpdateObject,
} from 'kysely';
import type {
  ConnectSession,
  ConnectSessions,
  GivenInSession,
  NewConnectSession,
  SessionOwner,
  SessionProblem,
} from '../contract/connect-sessions.ts';
import type { Database, Tables } from '../database.ts';
import { DATABASE_NOW, databaseNowPlus } from '../database-clock.ts';
import { checkStorable, isStorable, storableForm } from '../storable-text.ts';
import { isUuid } from '../uuid.ts';
import { deleteSome } from './delete-some.ts';
import { jsonOrNull } from './json-or-null.ts';
import { requireRoom } from './require-room.ts';
import { IS_EXPIRED, sessionOf, TOLD_BY_THE_CLOCK } from './connect-session-rows.ts';

type Creation = Parameters<ConnectSessions['create']>[1];

const IS_OPEN = sql<boolean>`(status <> 'succeeded' and expires_at > ${DATABASE_NOW})`;
const LONG_OVER_MS = 3_600_000;

export async function createConnectSession(
  database: Database,
  session: NewConnectSession,
  options: Creation,
): Promise<ConnectSession> {
  checkStorable({
    'external user id': session.externalUserId,
    'user label': session.userLabel ?? undefined,
    'return URL': session.returnUrl ?? undefined,
    origin: session.origin ?? undefined,
  });
  return await database.transaction().execute(async (transaction) => {
    await requireRoomFor(transaction, session, options.most);
    return await insertSession(transaction, session, options);
  });
}

async function insertSession(
  transaction: Transaction<Tables>,
  session: NewConnectSession,
  { secretHash, livesMs }: Creation,
): Promise<ConnectSession> {
  const row = await transaction
    .insertInto('connect_sessions')
    .values({
      id: session.id,
      application_id: session.applicationId,
      external_user_id: session.externalUserId,
      user_label: session.userLabel,
      kinds: session.kinds,
      connector_id: session.connectorId,
      reconnects: session.isReconnection,
      config: JSON.stringify(session.config),
      replication_config: jsonOrNull(session.replicationConfig),
      return_url: session.returnUrl,
      origin: session.origin,
      branding: jsonOrNull(session.branding),
      needs_confirmation: session.needsConfirmation,
      secret_hash: secretHash,
      expires_at: databaseNowPlus(livesMs),
    })
    .returningAll()
    .returning(TOLD_BY_THE_CLOCK)
    .executeTakeFirstOrThrow();
  return sessionOf(row);
}

function requireRoomFor(
  transaction: Transaction<Tables>,
  { applicationId, externalUserId }: NewConnectSession,
  most: Creation['most'],
): Promise<void> {
  const ofApplication = transaction
    .selectFrom('connect_sessions')
    .select('id')
    .where('application_id', '=', applicationId)
    .where(IS_OPEN);
  const ofUser = ofApplication.where('external_user_id', '=', externalUserId);
  const what = 'open sessions';
  return requireRoom(transaction, applicationId, { ofUser, ofApplication, most, what });
}

export async function findConnectSession(
  database: Database,
  id: string,
): Promise<ConnectSession | undefined> {
  if (!isUuid(id)) return undefined;
  const row = await database
    .selectFrom('connect_sessions')
    .selectAll()
    .select(TOLD_BY_THE_CLOCK)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && sessionOf(row);
}

export async function bindConnectSession(
  database: Database,
  secretHash: string,
  browserHash: string,
): Promise<ConnectSession | undefined> {
  checkStorable({ 'hash of a browser secret': browserHash });
  if (!isStorable(secretHash)) return undefined;
  const row = await database
    .updateTable('connect_sessions')
    .set({
      browser_hash: sql<string>`coalesce(browser_hash, case when ${IS_EXPIRED} then null else ${browserHash}::text end)`,
    })
    .where('secret_hash', '=', secretHash)
    .returningAll()
    .returning(TOLD_BY_THE_CLOCK)
    .executeTakeFirst();
  return row && sessionOf(row);
}

export async function countSessionAttempt(
  database: Database,
  id: string,
  most: number,
): Promise<boolean> {
  if (!isUuid(id)) return false;
  const counted = await database
    .updateTable('connect_sessions')
    .set({ attempts: sql<number>`attempts + 1` })
    .where('id', '=', id)
    .where('attempts', '<', most)
    .returning('id')
    .executeTakeFirst();
  return counted !== undefined;
}

export async function noteSessionProblem(
  database: Database,
  id: string,
  problem: SessionProblem | null,
): Promise<void> {
  if (!isUuid(id)) return;
  await database
    .updateTable('connect_sessions')
    .set(problem === null ? { error_code: null, error_message: null } : columnsOf(problem))
    .where('id', '=', id)
    .where('status', '=', 'open')
    .execute();
}

export async function giveToConnectSession(
  database: Database,
  id: string,
  given: GivenInSession,
): Promise<ConnectSession | undefined> {
  if (!isUuid(id)) return undefined;
  checkStorable({
    'connector name': given.name,
    'auth method': given.authMethod,
    'sealed credentials': given.sealedCredentials ?? undefined,
    'token digest': given.tokenDigest ?? undefined,
  });
  const row = await database
    .updateTable('connect_sessions')
    .set({
      status: 'given',
      given_kind: given.kind,
      given_name: given.name,
      given_config: JSON.stringify(given.config),
      given_auth_method: given.authMethod,
      given_account: jsonOrNull(given.account),
      given_by_consent: given.isConsented,
      given_token_digest: given.tokenDigest,
      sealed_credentials: given.sealedCredentials,
      confirmed_at: sql<Date | null>`case when needs_confirmation then null else ${DATABASE_NOW} end`,
      error_code: null,
      error_message: null,
    })
    .where('id', '=', id)
    .where('status', '=', 'open')
    .where(IS_OPEN)
    .returningAll()
    .returning(TOLD_BY_THE_CLOCK)
    .executeTakeFirst();
  return row && sessionOf(row);
}

export async function confirmConnectSession(
  database: Database,
  id: string,
): Promise<ConnectSession | undefined> {
  if (!isUuid(id)) return undefined;
  const row = await database
    .updateTable('connect_sessions')
    .set({ confirmed_at: sql<Date>`coalesce(confirmed_at, ${DATABASE_NOW})` })
    .where('id', '=', id)
    .where('sealed_credentials', 'is not', null)
    .where(sql<boolean>`(confirmed_at is not null or ${IS_OPEN})`)
    .returningAll()
    .returning(TOLD_BY_THE_CLOCK)
    .executeTakeFirst();
  return row && sessionOf(row);
}

export async function reopenConnectSession(
  database: Database,
  id: string,
  problem: SessionProblem,
): Promise<void> {
  if (!isUuid(id)) return;
  await database
    .updateTable('connect_sessions')
    .set({ ...columnsOf(problem), confirmed_at: null })
    .where('id', '=', id)
    .where('status', '=', 'given')
    .where('needs_confirmation', '=', true)
    .execute();
  const isOver = sql<boolean>`(id = ${id} and status = 'given' and not needs_confirmation)`;
  const change = { ...columnsOf(problem), status: 'open', confirmed_at: null } as const;
  await eraseGiven(database, isOver, { change });
}

export async function succeedConnectSession(
  database: Database,
  id: string,
): Promise<ConnectSession | undefined> {
  if (!isUuid(id)) return undefined;
  const row = await database
    .updateTable('connect_sessions')
    .set({
      status: 'succeeded',
      given_token_digest: null,
      sealed_credentials: null,
      error_code: null,
      error_message: null,
    })
    .where('id', '=', id)
    .returningAll()
    .returning(TOLD_BY_THE_CLOCK)
    .executeTakeFirst();
  return row && sessionOf(row);
}

export async function eraseExpiredCredentials(database: Database, limit: number): Promise<number> {
  const isEnded = sql<boolean>`(
    sealed_credentials is not null and ${IS_EXPIRED}
    and (confirmed_at is null or expires_at <= ${databaseNowPlus(-LONG_OVER_MS)})
  )`;
  return await eraseGiven(database, isEnded, { limit });
}

/** What nobody has revoked yet waits for `eraseExpiredCredentials`. */
export async function deleteConnectSessionsOlderThan(
  database: Database,
  ageMs: number,
  limit: number,
): Promise<number> {
  const isOver = sql<boolean>`(
    expires_at <= ${databaseNowPlus(-ageMs)} and sealed_credentials is null
  )`;
  return await deleteSome(database, 'connect_sessions', { isOver, limit });
}

/** Nobody gives anything in them from the first statement on. */
export async function deleteConnectSessionsOf(
  transaction: Transaction<Tables>,
  applicationId: string,
): Promise<void> {
  await deleteSessions(transaction, sql<boolean>`application_id = ${applicationId}::uuid`);
}

/** What has been begun for an external user and led to no connector yet: consents, and sessions with what was given in them. */
export async function deleteBegunFor(
  database: Database,
  { applicationId, externalUserId }: SessionOwner,
): Promise<number> {
  if (!isUuid(applicationId) || !isStorable(externalUserId)) return 0;
  return await database.transaction().execute(async (transaction) => {
    await transaction
      .deleteFrom('consents')
      .where('application_id', '=', applicationId)
      .where('external_user_id', '=', externalUserId)
      .execute();
    return await deleteSessions(
      transaction,
      sql<boolean>`(application_id = ${applicationId}::uuid and external_user_id = ${externalUserId})`,
    );
  });
}

async function deleteSessions(
  transaction: Transaction<Tables>,
  isGone: Expression<boolean>,
): Promise<number> {
  const sessions = await transaction
    .selectFrom('connect_sessions')
    .select('id')
    .where(isGone)
    .orderBy('id')
    .forUpdate()
    .execute();
  await eraseGiven(transaction, isGone);
  await transaction.deleteFrom('connect_sessions').where(isGone).execute();
  return sessions.length;
}

interface Erasure {
  readonly change?: UpdateObject<Tables, 'connect_sessions'>;
  /** Of so many sessions at most; of all unless said. */
  readonly limit?: number;
}

/**
 * Erases what was given in some sessions. What a person consented to goes in the same transaction to where it
 * is revoked, unless the connector that was promised for it has been made: it is that connector's then.
 */
async function eraseGiven(
  database: Database,
  isEnded: Expression<boolean>,
  options: Erasure = {},
): Promise<number> {
  if (!database.isTransaction)
    return await database
      .transaction()
      .execute((transaction) => eraseGiven(transaction, isEnded, options));
  const { change, limit } = options;
  let query = database
    .selectFrom('connect_sessions')
    .selectAll()
    .where(isEnded)
    .orderBy('id')
    .forUpdate();
  if (limit !== undefined) query = query.limit(limit);
  const ended = await query.execute();
  if (ended.length === 0) return 0;
  const ids = ended.map(({ id }) => id);
  await database
    .updateTable('connect_sessions')
    .set({ ...change, given_token_digest: null, sealed_credentials: null })
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();
  const revoked = await findRevoked(database, ended);
  if (revoked.length > 0) await database.insertInto('revocations').values(revoked).execute();
  return ended.length;
}

/** Of some sessions, the credentials that are nobody's. */
async function findRevoked(
  database: Database,
  ended: readonly Selectable<Tables['connect_sessions']>[],
): Promise<readonly Insertable<Tables['revocations']>[]> {
  const made = await findMade(database, ended);
  return ended.flatMap((session): readonly Insertable<Tables['revocations']>[] => {
    const { given_kind: kind, given_auth_method: auth_method, given_config: config } = session;
    const { sealed_credentials, connector_id, application_id } = session;
    if (sealed_credentials === null || session.given_by_consent !== true) return [];
    if (!session.reconnects && made.has(connector_id)) return [];
    if (kind === null || auth_method === null || config === null)
      throw new Error(`the credentials of the session ${session.id} are of nothing`);
    const account = jsonOrNull(session.given_account);
    const of = { connector_id, application_id, kind, auth_method, account };
    return [{ ...of, config: JSON.stringify(config), sealed_credentials }];
  });
}

/** Ids of the connectors that were promised in some sessions, and made. */
async function findMade(
  database: Database,
  ended: readonly Selectable<Tables['connect_sessions']>[],
): Promise<ReadonlySet<string>> {
  const promised = ended.filter(
    (session) => session.given_by_consent === true && !session.reconnects,
  );
  if (promised.length === 0) return new Set();
  const ids = promised.map(({ connector_id: id }) => id);
  const made = await database
    .selectFrom('connectors')
    .select('id')
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();
  return new Set(made.map(({ id }) => id));
}

/** What upstreams say may hold what no database can. */
function columnsOf({ code, message }: SessionProblem) {
  return { error_code: code, error_message: storableForm(message) };
}
