import { sql } from 'kysely';
import type { RevokedToken } from '../contract/store.ts';
import type { Database } from '../database.ts';
import { checkStorable } from '../storable-text.ts';
import { deleteSome } from './delete-some.ts';

/** Tokens with that id are good for nothing, for the time that they may have left. */
export async function addRevokedToken(
  database: Database,
  { jti, revokedBy }: RevokedToken,
  lifeMs: number,
): Promise<void> {
  checkStorable({ 'who revokes': revokedBy });
  await database
    .insertInto('revoked_tokens')
    .values({
      jti,
      revoked_by: revokedBy,
      expires_at: sql<Date>`now() + ${lifeMs}::float8 * interval '1 millisecond'`,
    })
    .onConflict((conflict) => conflict.columns(['jti', 'revoked_by']).doNothing())
    .execute();
}

/** Those that would not have ended yet. */
export async function listRevokedTokens(database: Database): Promise<readonly RevokedToken[]> {
  return await database
    .selectFrom('revoked_tokens')
    .select(['jti', 'revoked_by as revokedBy'])
    .where('expires_at', '>', sql<Date>`now()`)
    .execute();
}

export async function deleteExpiredTokens(database: Database, limit: number): Promise<number> {
  const isOver = sql<boolean>`expires_at <= now()`;
  return await deleteSome(database, 'revoked_tokens', { isOver, limit });
}
