import { sql } from 'kysely';
import type { ConsentBounds, ConsentRow, Consents } from '../contract/consents.ts';
import { DATABASE_NOW, databaseNowPlus } from '../database-clock.ts';
import type { Database } from '../database.ts';
import { checkStorable } from '../storable-text.ts';
import { StoreError } from '../store-error.ts';
import { deleteSome } from './delete-some.ts';

const COLUMNS = [
  'state_hash as stateHash',
  'browser_hash as browserHash',
  'application_id as applicationId',
  'external_user_id as externalUserId',
  'kind',
  'request',
  'sealed_verifier as sealedVerifier',
] as const;

/** Counting and inserting lock nothing: those that come at the same moment may be a few too many. */
export async function openConsent(
  database: Database,
  consent: ConsentRow,
  { lifeMs, perExternalUser, perApplication }: ConsentBounds,
): Promise<void> {
  const { stateHash, browserHash, applicationId, externalUserId, kind } = consent;
  const request = JSON.stringify(consent.request);
  checkStorable({
    'external user id': externalUserId,
    'connector kind': kind,
    'consent request': request,
    'sealed verifier': consent.sealedVerifier ?? '',
  });
  const { rows } = await sql<{ isOpen: boolean }>`
    with open as (
      select count(*) as in_application,
        count(*) filter (
          where hashtextextended(external_user_id, 0) = hashtextextended(${externalUserId}::text, 0)
            and external_user_id = ${externalUserId}
        ) as of_user
      from patchbay.consents
      where application_id = ${applicationId} and expires_at > ${DATABASE_NOW}
    )
    insert into patchbay.consents
      (state_hash, browser_hash, application_id, external_user_id, kind, request, sealed_verifier,
        expires_at)
    select ${bytes(stateHash)}, ${browserHash === null ? null : bytes(browserHash)}::bytea,
      ${applicationId}::uuid, ${externalUserId}, ${kind}, ${request}::json,
      ${consent.sealedVerifier}, ${databaseNowPlus(lifeMs)}
    from open where in_application < ${perApplication} and of_user < ${perExternalUser}
    returning true as "isOpen"
  `.execute(database);
  if (rows.length > 0) return;
  throw new StoreError('consents_full', 'As many consents are open as there may be at once.');
}

export async function findConsent(
  database: Database,
  stateHash: Uint8Array,
): ReturnType<Consents['find']> {
  return await database
    .selectFrom('consents')
    .select(COLUMNS)
    .select(sql<boolean>`expires_at <= ${DATABASE_NOW}`.as('isExpired'))
    .where('state_hash', '=', Buffer.from(stateHash))
    .where('taken_at', 'is', null)
    .executeTakeFirst();
}

export async function bindConsent(
  database: Database,
  stateHash: Uint8Array,
  browserHash: Uint8Array,
): Promise<boolean> {
  const bound = await database
    .updateTable('consents')
    .set({ browser_hash: Buffer.from(browserHash) })
    .where('state_hash', '=', Buffer.from(stateHash))
    .where('expires_at', '>', DATABASE_NOW)
    .returning('kind')
    .executeTakeFirst();
  return bound !== undefined;
}

/** It expires at once: so it is no longer counted, and older processes do not take it either. */
export async function takeConsent(
  database: Database,
  stateHash: Uint8Array,
  browserHash: Uint8Array,
): Promise<ConsentRow | undefined> {
  return await database
    .updateTable('consents')
    .set({ taken_at: DATABASE_NOW, expires_at: DATABASE_NOW })
    .where('state_hash', '=', Buffer.from(stateHash))
    .where('taken_at', 'is', null)
    .where('browser_hash', '=', Buffer.from(browserHash))
    .where('expires_at', '>', DATABASE_NOW)
    .returning(COLUMNS)
    .executeTakeFirst();
}

export async function deleteExpiredConsents(
  database: Database,
  ageMs: number,
  limit: number,
): Promise<number> {
  const isOver = sql<boolean>`expires_at <= ${databaseNowPlus(-ageMs)}`;
  return await deleteSome(database, 'consents', { isOver, limit });
}

function bytes(hash: Uint8Array) {
  return sql<Buffer>`${Buffer.from(hash)}::bytea`;
}
