import { sql } from 'kysely';
import type { AccountHolder, Revocation, Revocations } from '../contract/revocations.ts';
import type { Database } from '../database.ts';
import { DATABASE_NOW, databaseNowPlus } from '../database-clock.ts';
import { checkStorable, isStorable } from '../storable-text.ts';

export async function takeRevocations(
  database: Database,
  owner: string,
  { limit, leaseMs }: Parameters<Revocations['take']>[1],
): Promise<readonly Revocation[]> {
  checkStorable({ owner });
  const taken = await database
    .with('due', (query) =>
      query
        .selectFrom('revocations')
        .select('id')
        .where('due_at', '<=', DATABASE_NOW)
        .orderBy('due_at')
        .limit(limit)
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
          'config',
          'auth_method as authMethod',
          'sealed_credentials as sealedCredentials',
          'account',
          'created_at as createdAt',
          'failures',
        ]),
    )
    .selectFrom('taken')
    .innerJoin('connectors as c', 'c.id', 'taken.connectorId')
    .selectAll('taken')
    .select(['c.kind', 'c.application_id as applicationId'])
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

export async function expireRevocations(database: Database, ageMs: number): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom('revocations')
    .where('created_at', '<=', databaseNowPlus(-ageMs))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

export async function isAccountHeld(
  database: Database,
  { kind, accountId, principal }: AccountHolder,
): Promise<boolean> {
  if (![kind, accountId, principal ?? ''].every(isStorable)) return false;
  let query = database
    .selectFrom('connectors')
    .select('id')
    .where('kind', '=', kind)
    .where('deleted_at', 'is', null)
    .where('account', 'is not', null)
    .where(sql<string>`account ->> 'id'`, '=', accountId)
    .limit(1);
  if (principal !== undefined)
    query = query.where(sql<string>`account ->> 'principal'`, '=', principal);
  return (await query.executeTakeFirst()) !== undefined;
}
