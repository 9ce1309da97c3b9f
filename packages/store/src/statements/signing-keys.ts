import type { Database } from '../database.ts';
import { checkStorable } from '../storable-text.ts';
import type { SigningKey } from '../contract/store.ts';

/** Stores a key; rejects when the id is taken. */
export async function createSigningKey(database: Database, key: SigningKey): Promise<void> {
  checkStorable({ 'signing key id': key.id, 'sealed signing key': key.sealedKey });
  await database
    .insertInto('signing_keys')
    .values({ id: key.id, sealed_key: key.sealedKey })
    .execute();
}

/** All keys, newest first. */
export async function listSigningKeys(database: Database): Promise<readonly SigningKey[]> {
  return await database
    .selectFrom('signing_keys')
    .select(['id', 'sealed_key as sealedKey'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** Deletes the keys that were made before an instant; returns how many there were. */
export async function deleteSigningKeysOlderThan(
  database: Database,
  instant: Date,
): Promise<number> {
  const result = await database
    .deleteFrom('signing_keys')
    .where('created_at', '<', instant)
    .executeTakeFirstOrThrow();
  return Number(result.numDeletedRows);
}
