import type { Account } from '@patchbay/connectors/engine';
import { sql } from 'kysely';
import type {
  AccountHolder,
  NewRevocation,
  Revocation,
  Revocations,
} from '../contract/revocations.ts';
import type { Database } from '../database.ts';
import { DATABASE_NOW, databaseNowPlus } from '../database-clock.ts';
import { checkStorable, isStorable } from '../storable-text.ts';
import { isUuid } from '../uuid.ts';
import { deleteSome } from './delete-some.ts';
import { jsonOrNull } from './json-or-null.ts';

/** Rejects when the application is absent. */
export async function addRevocation(
  database: Database,
  { connectorId, applicationId, kind, config, authMethod, ...given }: NewRevocation,
): Promise<void> {
  const { sealedCredentials, account } = given;
  checkStorable({
    'connector kind': kind,
    'auth method': authMethod,
    'sealed credentials': sealedCredentials,
  });
  await database
    .insertInto('revocations')
    .values({
      connector_id: connectorId,
      application_id: applicationId,
      kind,
      config: JSON.stringify(config),
      auth_method: authMethod,
      sealed_credentials: sealedCredentials,
      account: jsonOrNull(account),
    })
    .execute();
}

export async function takeRevocations(
  database: Database,
  owner: string,
  { limit, leaseMs, ofApplication = limit, but = [] }: Parameters<Revocations['take']>[1],
): Promise<readonly Revocation[]> {
  checkStorable({ owner });
  const next = sql<{ id: string }>`
    -- Each application is a look into the index, however much it has.
    with recursive applications (id) as (
      (select application_id from patchbay.revocations order by application_id limit 1)
      union all
      select (
        select application_id from patchbay.revocations
        where application_id > a.id order by application_id limit 1
      ) from applications a where a.id is not null
    )
    select r.id from applications a cross join lateral (
      select id, due_at, row_number() over (order by due_at) as turn from (
        select id, due_at from patchbay.revocations
        where application_id = a.id and due_at <= ${DATABASE_NOW} order by due_at limit ${ofApplication}
      ) as d
    ) as r
    where a.id <> all(${[...but]}::uuid[])
    order by r.turn, r.due_at limit ${limit}
  `;
  const taken = await database
    .with('due', (query) =>
      query
        .selectFrom('revocations')
        .select('id')
        .where('id', 'in', sql<string>`(${next})`)
        .where('due_at', '<=', DATABASE_NOW)
        .forUpdate()
        .skipLocked(),
    )
    .with('taken', (query) =>
      query
        .updateTable('revocations')
        .set({ owner, due_at: databaseNowPlus(leaseMs) })
        .where('id', 'in', (due) => due.selectFrom('due').select('due.id'))
        .returning([
          'id',
          'connector_id as connectorId',
          'application_id as applicationId',
          'kind',
          'config',
          'auth_method as authMethod',
          'sealed_credentials as sealedCredentials',
          'account',
          'created_at as createdAt',
          'failures',
        ]),
    )
    .selectFrom('taken')
    .selectAll()
    .execute();
  return taken.map((each) => ({ ...each, owner }));
}

export async function keepRevocation(
  database: Database,
  { id, owner }: Revocation,
  sealedCredentials: string,
): Promise<boolean> {
  checkStorable({ 'sealed credentials': sealedCredentials });
  const kept = await database
    .updateTable('revocations')
    .set({ sealed_credentials: sealedCredentials })
    .where('id', '=', id)
    .where('owner', '=', owner)
    .returning('id')
    .executeTakeFirst();
  return kept !== undefined;
}

export async function endRevocation(database: Database, { id, owner }: Revocation): Promise<void> {
  await database
    .deleteFrom('revocations')
    .where('id', '=', id)
    .where('owner', '=', owner)
    .execute();
}

export async function failRevocation(
  database: Database,
  { id, owner }: Revocation,
  pauseMs: number,
): Promise<void> {
  await database
    .updateTable('revocations')
    .set({
      owner: null,
      due_at: databaseNowPlus(pauseMs),
      failures: sql<number>`failures + 1`,
    })
    .where('id', '=', id)
    .where('owner', '=', owner)
    .execute();
}

export async function expireRevocations(
  database: Database,
  ageMs: number,
  limit: number,
): Promise<number> {
  const isOver = sql<boolean>`created_at <= ${databaseNowPlus(-ageMs)}`;
  return await deleteSome(database, 'revocations', { isOver, limit });
}

/** Looks at connectors, and at what waits in connect sessions for one. */
export async function isAccountHeld(
  database: Database,
  { kind, accountId, principal, connectorId }: AccountHolder,
): Promise<boolean> {
  if (![kind, accountId, principal ?? ''].every(isStorable) || !isUuid(connectorId)) return false;
  const isSame = (account: string) => {
    const column = sql.ref<Account | null>(account);
    const isOfAccount = sql<boolean>`${column} ->> 'id' = ${accountId}`;
    return principal === undefined
      ? isOfAccount
      : sql<boolean>`(${isOfAccount} and ${column} ->> 'principal' = ${principal})`;
  };
  const { rows } = await sql<{ isHeld: boolean }>`
    select exists (
      select 1 from patchbay.connectors
      where kind = ${kind} and account is not null and deleted_at is null and ${isSame('account')}
    ) or exists (
      select 1 from patchbay.connectors
      where id = ${connectorId} and account is null and deleted_at is null
    ) or exists (
      select 1 from patchbay.connect_sessions
      where given_kind = ${kind} and sealed_credentials is not null
        and (${isSame('given_account')} or given_account is null and connector_id = ${connectorId})
    ) as "isHeld"
  `.execute(database);
  return rows[0]?.isHeld === true;
}

/** Likewise. */
export async function isTokenHeld(
  database: Database,
  kind: string,
  tokenDigest: string,
): Promise<boolean> {
  if (![kind, tokenDigest].every(isStorable)) return false;
  const { rows } = await sql<{ isHeld: boolean }>`
    select exists (
      select 1 from patchbay.connectors
      where token_digest = ${tokenDigest} and kind = ${kind} and deleted_at is null
    ) or exists (
      select 1 from patchbay.connect_sessions
      where given_token_digest = ${tokenDigest} and given_kind = ${kind} and sealed_credentials is not null
    ) as "isHeld"
  `.execute(database);
  return rows[0]?.isHeld === true;
}

export async function areCredentialsUsed(
  database: Database,
  connectorId: string,
  credentialsDigest: string,
): Promise<boolean> {
  if (!isUuid(connectorId)) return false;
  const used = await database
    .selectFrom('connectors')
    .select('id')
    .where('id', '=', connectorId)
    .where('deleted_at', 'is', null)
    .where('credentials_digest', '=', credentialsDigest)
    .executeTakeFirst();
  return used !== undefined;
}
