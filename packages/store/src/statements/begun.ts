import type { Transaction } from 'kysely';
import type { Begun } from '../contract/consents.ts';
import type { Tables } from '../database.ts';
import { StoreError } from '../store-error.ts';
import { isUuid } from '../uuid.ts';

/**
 * Makes sure that nobody ends it before the transaction does: who would waits, and finds the connector. A consent is
 * over with the transaction. Rejects with `begun_ended` where it has ended.
 */
export async function requireBegun(transaction: Transaction<Tables>, begun: Begun): Promise<void> {
  const isThere =
    begun.of === 'consent'
      ? await endConsent(transaction, begun.stateHash)
      : await lockSession(transaction, begun.id);
  if (isThere) return;
  throw new StoreError('begun_ended', `the ${begun.of} has been ended meanwhile`);
}

async function endConsent(
  transaction: Transaction<Tables>,
  stateHash: Uint8Array,
): Promise<boolean> {
  const ended = await transaction
    .deleteFrom('consents')
    .where('state_hash', '=', Buffer.from(stateHash))
    .returning('kind')
    .executeTakeFirst();
  return ended !== undefined;
}

async function lockSession(transaction: Transaction<Tables>, id: string): Promise<boolean> {
  if (!isUuid(id)) return false;
  const session = await transaction
    .selectFrom('connect_sessions')
    .select('id')
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst();
  return session !== undefined;
}
