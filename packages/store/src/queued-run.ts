import { sql, type Expression, type Transaction } from 'kysely';
import type { Tables } from './database.ts';
import type { Syncs } from './contract/syncs.ts';
import { wake } from './sync-queue.ts';

/** A run that is asked for. */
export type WantedRun = Parameters<Syncs['requestRun']>[1] & {
  /** Whether it may be; it may, unless said. */
  readonly condition?: Expression<boolean>;
};

/** Whoever is free is told in the same transaction; one that is queued already serves both. */
export async function queueRun(
  transaction: Transaction<Tables>,
  connectorId: string,
  run: WantedRun,
): Promise<string | undefined> {
  const runId = await insertRun(transaction, connectorId, run);
  if (runId !== undefined)
    await wake(transaction, connectorId, { isUrgent: run.cause !== 'schedule' });
  return runId;
}

async function insertRun(
  transaction: Transaction<Tables>,
  connectorId: string,
  { id, cause, condition = sql<boolean>`true` }: WantedRun,
): Promise<string | undefined> {
  const queued = await transaction
    .insertInto('sync_runs')
    .columns(['id', 'connector_id', 'application_id', 'cause'])
    .expression((query) =>
      query
        .selectFrom('connector_syncs')
        .select((column) => [
          column.val(id).as('id'),
          'connector_id',
          'application_id',
          column.val(cause).as('cause'),
        ])
        .where('connector_id', '=', connectorId)
        .where('deleted_at', 'is', null)
        .where(condition)
        // A deletion at the same moment waits, or is seen.
        .forShare(),
    )
    // Setting the cause to itself makes the statement return the run that is there, too.
    .onConflict((conflict) =>
      conflict
        .columns(['connector_id', 'state'])
        .where('finished_at', 'is', null)
        .doUpdateSet((present) => ({ cause: present.ref('sync_runs.cause') })),
    )
    .returning('id')
    .executeTakeFirst();
  return queued?.id;
}
