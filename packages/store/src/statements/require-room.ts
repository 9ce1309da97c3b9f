import { sql, type Expression, type Transaction } from 'kysely';
import type { Tables } from '../database.ts';
import { StoreError } from '../store-error.ts';

/** Rows of which no more are counted than it takes. */
interface Countable {
  limit(most: number): Expression<unknown>;
}

/** What there may be one more of. */
interface Room {
  /** What there is already. */
  readonly ofUser: Countable;
  readonly ofApplication: Countable;
  readonly most: { readonly perExternalUser: number; readonly perApplication: number };
  /** Names several of them. */
  readonly what: string;
}

/**
 * Creations in one application come one after another from here on: of two at once neither would see what the other
 * inserts, in whichever statement it counted.
 *
 * @throws `external_user_full`, `application_full`
 */
export async function requireRoom(
  transaction: Transaction<Tables>,
  applicationId: string,
  { ofUser, ofApplication, most: { perExternalUser, perApplication }, what }: Room,
): Promise<void> {
  await transaction
    .selectFrom('applications')
    .select('id')
    .where('id', '=', applicationId)
    .forNoKeyUpdate()
    .execute();
  const { isUserFull, isApplicationFull } = await transaction
    .selectNoFrom([
      isFull(ofUser, perExternalUser).as('isUserFull'),
      isFull(ofApplication, perApplication).as('isApplicationFull'),
    ])
    .executeTakeFirstOrThrow();
  if (isUserFull) throw new StoreError('external_user_full', `it has ${perExternalUser} ${what}`);
  if (isApplicationFull)
    throw new StoreError('application_full', `it has ${perApplication} ${what}`);
}

/** Counts no further than it must. */
function isFull(rows: Countable, most: number) {
  return sql<boolean>`(select count(*) from (${rows.limit(most)}) as counted) >= ${most}`;
}
