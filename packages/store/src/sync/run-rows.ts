import { sql } from 'kysely';
import type { RunProblem, SyncRun } from '../contract/syncs.ts';
import type { Database } from '../database.ts';
import { storableForm } from '../storable-text.ts';

/** The columns that a run is made of. */
export const RUN_COLUMNS = [
  'id',
  'cause',
  'state',
  'requested_at as requestedAt',
  'started_at as startedAt',
  'finished_at as finishedAt',
  'entities',
  'records_read as recordsRead',
  'records_written as recordsWritten',
  'records_deleted as recordsDeleted',
  'problem_code as code',
  'problem_message as message',
  'problem_entity as entity',
] as const;

type RunRow = Omit<SyncRun, 'problem'> & {
  readonly code: string | null;
  readonly message: string | null;
  readonly entity: string | null;
};

export function toRun({ code, message, entity, ...run }: RunRow): SyncRun {
  return { ...run, problem: code === null || message === null ? null : { code, message, entity } };
}

/** What the columns of a problem become. */
export function problemColumns(problem: RunProblem | undefined): {
  readonly problem_code: string | null;
  readonly problem_message: string | null;
  readonly problem_entity: string | null;
} {
  return {
    problem_code: problem === undefined ? null : storableForm(problem.code),
    problem_message: problem === undefined ? null : storableForm(problem.message),
    problem_entity: problem?.entity ?? null,
  };
}

/** What became of records in one step of a read. */
interface RecordCounts {
  readonly read?: number;
  readonly written?: number;
  readonly deleted?: number;
}

/** Counts for the run that is under way, in the transaction that the records come and go with. */
export async function countForRun(
  transaction: Database,
  connectorId: string,
  counts: RecordCounts,
): Promise<void> {
  await countingForRun(transaction, connectorId, counts)?.execute();
}

/** The statement for that, where there is anything to count. */
export function countingForRun(
  database: Database,
  connectorId: string,
  { read = 0, written = 0, deleted = 0 }: RecordCounts,
) {
  if (read === 0 && written === 0 && deleted === 0) return undefined;
  return database
    .updateTable('sync_runs')
    .set((present) => ({
      records_read: present('records_read', '+', read),
      records_written: present('records_written', '+', written),
      records_deleted: present('records_deleted', '+', deleted),
    }))
    .where('connector_id', '=', connectorId)
    .where('state', '=', 'running')
    .where('finished_at', 'is', null);
}

/** Notes for the run that is under way that it reads an entity; several times are one. */
export async function noteEntityForRun(
  transaction: Database,
  connectorId: string,
  entity: string,
): Promise<void> {
  await transaction
    .updateTable('sync_runs')
    .set({ entities: sql<readonly string[]>`array_append(entities, ${entity})` })
    .where('connector_id', '=', connectorId)
    .where('state', '=', 'running')
    .where('finished_at', 'is', null)
    .where(sql<boolean>`${entity} <> all(entities)`)
    .execute();
}
