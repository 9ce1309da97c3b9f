import { sql } from 'kysely';
import type { IdempotencyRecord, Intent, IntentOfCall, StoredAnswer } from '../contract/store.ts';
import type { Database } from '../database.ts';
import { checkStorable, isStorable } from '../storable-text.ts';
import { deleteSome } from './delete-some.ts';
import { isOwnUnanswered } from './idempotency-keys.ts';
import { IS_ALIVE_SINCE } from './instances.ts';

/** Returns what is there already, or `undefined` where the intent has been stored. */
export async function beginCreation(
  database: Database,
  intent: Intent,
): Promise<IdempotencyRecord | undefined> {
  for (;;) {
    if (await insertCreation(database, intent)) return undefined;
    const record = await findCreation(database, intent);
    if (record !== undefined) return record;
    // Released or aged out between the two statements: the key is free again, so ask again.
  }
}

/** In place of a record older than 24 hours, or of one that it replaces; of any number of calls one returns true. */
async function insertCreation(
  database: Database,
  { scope, key, fingerprint, instanceId, callNumber, replacesOwn }: Intent,
): Promise<boolean> {
  checkStorable({ scope, key, fingerprint, 'instance id': instanceId });
  const taken = { fingerprint, instance_id: instanceId, call_number: callNumber };
  const inserted = await database
    .insertInto('creations')
    .values({ scope, key, ...taken })
    .onConflict((conflict) =>
      conflict
        .columns(['scope', 'key'])
        .doUpdateSet({
          ...taken,
          answer_status: null,
          sealed_answer: null,
          created_at: sql<Date>`now()`,
        })
        .where((where) =>
          where.or([
            sql<boolean>`creations.created_at <= now() - interval '24 hours'`,
            ...(replacesOwn ? [isOwnUnanswered('creations')] : []),
          ]),
        ),
    )
    .returning('key')
    .executeTakeFirst();
  return inserted !== undefined;
}

async function findCreation(
  database: Database,
  { scope, key }: Intent,
): Promise<IdempotencyRecord | undefined> {
  const row = await database
    .selectFrom('creations as k')
    .select([
      'k.fingerprint',
      'k.instance_id as instanceId',
      'k.call_number as callNumber',
      'k.answer_status as status',
      'k.sealed_answer as body',
    ])
    .select((outer) =>
      outer
        .exists(
          outer
            .selectFrom('instances as i')
            .select('i.id')
            .whereRef('i.id', '=', 'k.instance_id')
            .where('i.beaten_at', '>', IS_ALIVE_SINCE),
        )
        .as('isOwnerAlive'),
    )
    .where('k.scope', '=', scope)
    .where('k.key', '=', key)
    .where('k.created_at', '>', sql<Date>`now() - interval '24 hours'`)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { fingerprint, instanceId, callNumber, status, body } = row;
  return {
    fingerprint,
    answer: status === null || body === null ? null : { status, body },
    instanceId,
    callNumber,
    isOwnerAlive: Boolean(row.isOwnerAlive),
  };
}

/** The first answer stays: of two processes that settle a lost intent, both tell the same. */
export async function finishCreation(
  database: Database,
  { scope, key, instanceId, callNumber }: IntentOfCall,
  answer: StoredAnswer,
): Promise<void> {
  if (![scope, key, instanceId].every(isStorable)) return;
  checkStorable({ 'stored answer': answer.body });
  await database
    .updateTable('creations')
    .set({ answer_status: answer.status, sealed_answer: answer.body })
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('instance_id', '=', instanceId)
    .where('call_number', 'is not distinct from', callNumber)
    .where('answer_status', 'is', null)
    .execute();
}

export async function releaseCreation(
  database: Database,
  { scope, key, instanceId, callNumber }: IntentOfCall,
): Promise<void> {
  if (![scope, key, instanceId].every(isStorable)) return;
  await database
    .deleteFrom('creations')
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('instance_id', '=', instanceId)
    .where('call_number', '=', callNumber)
    .where('answer_status', 'is', null)
    .execute();
}

export async function deleteCreationsOlderThan(
  database: Database,
  ageMs: number,
  limit: number,
): Promise<number> {
  const isOver = sql<boolean>`created_at <= now() - ${ageMs}::float8 * interval '1 millisecond'`;
  return await deleteSome(database, 'creations', { isOver, limit });
}
