import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { checkStorable } from '../storable-text.ts';
import type { SigningKey, StoredSigningKey } from '../contract/store.ts';

const AGE_MS = sql<number>`(extract(epoch from now() - created_at) * 1000)::float8`;

/** Stores a key; rejects when the id is taken. */
export async function createSigningKey(database: Database, key: SigningKey): Promise<void> {
  checkStorable({ 'signing key id': key.id, 'sealed signing key': key.sealedKey });
  await database
    .insertInto('signing_keys')
    .values({ id: key.id, sealed_key: key.sealedKey })
    .execute();
}

/** All keys, newest first. */
export async function listSigningKeys(database: Database): Promise<readonly StoredSigningKey[]> {
  return await database
    .selectFrom('signing_keys')
    .select(['id', 'sealed_key as sealedKey', AGE_MS.as('ageMs')])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** Deletes the keys that a newer one succeeded at least that long ago; returns how many there were. */
export async function deleteSucceededSigningKeys(
  database: Database,
  ageMs: number,
): Promise<number> {
  const result = await database
    .deleteFrom('signing_keys as k')
    .where((outer) =>
      outer.exists(
        outer
          .selectFrom('signing_keys as newer')
          .select('newer.id')
          .whereRef('newer.created_at', '>', 'k.created_at')
          .where(
            'newer.created_at',
            '<=',
            sql<Date>`now() - ${ageMs}::float8 * interval '1 millisecond'`,
          ),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(result.numDeletedRows);
}

/** Deletes all keys but that one; returns how many there were. */
export async function deleteOtherSigningKeys(database: Database, id: string): Promise<number> {
  const result = await database
    .deleteFrom('signing_keys')
    .where('id', '<>', id)
    .executeTakeFirstOrThrow();
  return Number(result.numDeletedRows);
}
