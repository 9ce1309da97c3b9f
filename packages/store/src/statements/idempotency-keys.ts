import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../database.ts';
import { checkStorable, isStorable } from '../storable-text.ts';
import type { IdempotencyRecord, Intent, IntentOfCall, StoredAnswer } from '../contract/store.ts';
import { isUuid } from '../uuid.ts';
import { isInstanceAlive } from './instances.ts';

/** Returns what is there already, or `undefined` where the intent has been stored. */
export async function beginIntent(
  database: Database,
  intent: Intent,
): Promise<IdempotencyRecord | undefined> {
  for (;;) {
    if (await insertIntent(database, intent)) return undefined;
    const record = await findIdempotencyRecord(database, intent);
    if (record !== undefined) return record;
    // Released or aged out between the two statements: the key is free again, so ask again.
  }
}

/**
 * Stores the intent, in place of a record older than 24 hours, or of one that it replaces. Of any number of
 * calls for one key, one returns true; the others return once it is in the database.
 */
async function insertIntent(database: Database, intent: Intent): Promise<boolean> {
  const { scope, key, fingerprint, instanceId, callNumber } = intent;
  checkStorable({
    'idempotency key': key,
    fingerprint,
    'instance id': instanceId,
  });
  const taken = { fingerprint, instance_id: instanceId, call_number: callNumber };
  const inserted = await database
    .insertInto('idempotency_keys')
    .values({ connector_id: scope, key, ...taken })
    .onConflict((conflict) =>
      conflict
        .columns(['connector_id', 'key'])
        .doUpdateSet({
          ...taken,
          answer_status: null,
          answer_body: null,
          created_at: (given) => given.ref('excluded.created_at'),
        })
        .where((where) =>
          where.or([
            // By the instant of this one: a distributed database takes no clock here.
            sql<boolean>`excluded.created_at - idempotency_keys.created_at >= interval '24 hours'`,
            ...(intent.replacesOwn ? [isOwnUnanswered('idempotency_keys')] : []),
          ]),
        ),
    )
    .returning('key')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Of what an intent meets: whether it is of an earlier call of the same process, with the same request, and has no answer. */
export function isOwnUnanswered(table: 'idempotency_keys' | 'creations'): RawBuilder<boolean> {
  const present = sql.table(table);
  return sql`${present}.answer_status is null
    and ${present}.instance_id = excluded.instance_id
    and ${present}.call_number < excluded.call_number
    and ${present}.fingerprint = excluded.fingerprint`;
}

/** The record of a key; one older than 24 hours counts as absent. */
async function findIdempotencyRecord(
  database: Database,
  { scope, key }: Intent,
): Promise<IdempotencyRecord | undefined> {
  const row = await database
    .selectFrom('idempotency_keys as k')
    .select([
      'k.fingerprint',
      'k.instance_id as instanceId',
      'k.call_number as callNumber',
      'k.answer_status as answerStatus',
      'k.answer_body as answerBody',
    ])
    .where('k.connector_id', '=', scope)
    .where('k.key', '=', key)
    .where('k.created_at', '>', sql<Date>`now() - interval '24 hours'`)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { fingerprint, instanceId, callNumber, answerStatus: status, answerBody: body } = row;
  return {
    fingerprint,
    answer: status === null || body === null ? null : { status, body },
    instanceId,
    callNumber,
    isOwnerAlive: await isInstanceAlive(database, instanceId),
  };
}

/**
 * Stores the answer of a write; nothing happens where the record has gone with its connector, or is of a later call: this
 * statement may be late, too.
 */
export async function finishIntent(
  database: Database,
  { scope, key, instanceId, callNumber }: IntentOfCall,
  answer: StoredAnswer,
): Promise<void> {
  if (!isUuid(scope) || ![key, instanceId].every(isStorable)) return;
  // Sent as UTF-8, half of a surrogate pair went out as U+FFFD; an accepted write must not fail here.
  const body = answer.body.toWellFormed();
  checkStorable({ 'stored answer': body });
  await database
    .updateTable('idempotency_keys')
    .set({ answer_status: answer.status, answer_body: body })
    .where('connector_id', '=', scope)
    .where('key', '=', key)
    .where('instance_id', '=', instanceId)
    .where('call_number', 'is not distinct from', callNumber)
    // The first answer stays: of two processes that settle a lost intent, both tell the same.
    .where('answer_status', 'is', null)
    .execute();
}

/**
 * Forgets the intent of a call. A finished record stays: its write did happen. So does the intent of a later call: this
 * statement may be late, as where the process has given up on its connection.
 */
export async function releaseIntent(
  database: Database,
  { scope, key, instanceId, callNumber }: IntentOfCall,
): Promise<void> {
  if (!isUuid(scope) || ![key, instanceId].every(isStorable)) return;
  await database
    .deleteFrom('idempotency_keys')
    .where('connector_id', '=', scope)
    .where('key', '=', key)
    .where('instance_id', '=', instanceId)
    .where('call_number', '=', callNumber)
    .where('answer_status', 'is', null)
    .execute();
}

/** Those of all connectors are on several nodes, where only their keys tell rows apart. */
export async function deleteIdempotencyKeysOlderThan(
  database: Database,
  ageMs: number,
  limit: number,
): Promise<number> {
  const isOver = sql<boolean>`created_at <= now() - ${ageMs}::float8 * interval '1 millisecond'`;
  const { numAffectedRows } = await sql`
    delete from patchbay.idempotency_keys
    where (connector_id, key) in (
      select connector_id, key from patchbay.idempotency_keys
      where ${isOver} order by created_at limit ${limit}
    ) and ${isOver}
  `.execute(database);
  return Number(numAffectedRows ?? 0n);
}
