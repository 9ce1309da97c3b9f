import { sql, type RawBuilder, type Transaction } from 'kysely';
import type { CopyId } from '../contract/copies.ts';
import { countRecords } from '../copies/count-records.ts';
import { deleteOrphans, deleteRecords, deleteUnseen } from '../copies/delete-records.ts';
import { openCopy, type CopyContext, type OpenCopy } from '../copies/open-copy.ts';
import { settleCopy } from '../copies/settle-copy.ts';
import { writeRecords } from '../copies/write-records.ts';
import type { Database, Tables } from '../database.ts';
import { DATABASE_NOW } from './clock.ts';
import type {
  BegunRead,
  CommittedBatch,
  Lease,
  ReadBatch,
  ReadProgress,
  Syncs,
} from '../contract/syncs.ts';
import { READ_COLUMNS, toProgress } from './entity-syncs.ts';
import { underLease } from './leases.ts';

type ReadBeginning = Parameters<Syncs['beginRead']>[1];
type ReadEnd = Parameters<Syncs['finishRead']>[1];
type ReadFailure = Parameters<Syncs['failRead']>[1];

/** Unseen records deleted in one transaction: on the embedded database everybody waits for it. */
const DELETED_AT_ONCE = 1_000;

const NO_READ = {
  read_mode: null,
  read_definition_hash: null,
  read_started_at: null,
  read_records: null,
  read_pages: null,
  read_position: null,
  read_epoch: null,
} as const;

const NO_PROBLEM = { problem_code: null, problem_message: null, is_forbidden: false } as const;

/** What every complete read leaves. A read without any page has shown that there is nothing. */
const COMPLETION = {
  ...NO_READ,
  ...NO_PROBLEM,
  has_page: true,
  updated_at: DATABASE_NOW,
} as const;

/** Where syncs are kept, with the copies that they fill. */
export interface SyncStorage {
  readonly database: Database;
  readonly copies: CopyContext;
}

/**
 * Begins a read, or goes on with one that was interrupted, if it is of the same mode and definition
 * hash. What an earlier failure left to know stays until a page shows otherwise.
 */
export async function beginRead(
  database: Database,
  lease: Lease,
  read: ReadBeginning,
): Promise<BegunRead> {
  return await underLease(
    database,
    lease,
    async (transaction) =>
      (await resumeRead(transaction, lease, read)) ?? (await startRead(transaction, lease, read)),
  );
}

/** Records and position in one transaction. */
export async function commitBatch(
  { database, copies }: SyncStorage,
  lease: Lease,
  batch: ReadBatch,
): Promise<CommittedBatch> {
  const { records, deletedKeys = [], askedAt } = batch;
  return await underLease(database, lease, async (transaction) => {
    const read = await requireRead(transaction, lease, batch.entity);
    const generation = read.mode === 'full' ? read.generation : null;
    const copy = openCopy(transaction, copies, copyOf(lease, batch));
    const { added, changed } = await writeRecords(copy, records, { generation, askedAt });
    const deleted = await deleteRecords(copy, deletedKeys);
    const committedAt = await storePosition(transaction, lease, { batch, growth: added - deleted });
    return { added, changed, deleted, committedAt };
  });
}

/**
 * Completes the read: `asOf` becomes its start, and the records that a full read did not see are
 * deleted, but for those changed since it began. That goes by steps; after a crash in between the
 * read is still at its end, and another call completes it.
 */
export async function finishRead(
  { database, copies }: SyncStorage,
  lease: Lease,
  end: ReadEnd,
): Promise<{ readonly deleted: number }> {
  const copy = openCopy(database, copies, copyOf(lease, end));
  // Before the read counts as complete: should it fail, the end of the read is taken again.
  await settleCopy(copy);
  let deleted = 0;
  for (;;) {
    const step = await underLease(database, lease, (transaction) =>
      takeFinishingStep({ ...copy, database: transaction }, lease),
    );
    deleted += step.deleted;
    if (step.isFinished) return { deleted };
  }
}

/** Deletes records without a parent, by steps; what a crash leaves goes with the next full read. */
export async function deleteOrphansOf(
  { database, copies }: SyncStorage,
  lease: Lease,
  orphans: Parameters<Syncs['deleteOrphans']>[1],
): Promise<{ readonly deleted: number }> {
  let deleted = 0;
  for (;;) {
    const step = await underLease(database, lease, async (transaction) => {
      const copy = openCopy(transaction, copies, copyOf(lease, orphans));
      const count = await deleteOrphans(copy, { ...orphans, limit: DELETED_AT_ONCE });
      if (count > 0) await countDeleted(copy, count);
      return count;
    });
    deleted += step;
    if (step < DELETED_AT_ONCE) return { deleted };
  }
}

/** Keeps the position, so that the next run goes on there, unless told to begin anew. */
export async function failRead(
  database: Database,
  lease: Lease,
  failure: ReadFailure,
): Promise<void> {
  const outcome = {
    problem_code: storable(failure.problem.code),
    problem_message: storable(failure.problem.message),
    is_forbidden: failure.isForbidden ?? false,
    ...(failure.keepsPosition ? { read_epoch: null } : NO_READ),
    updated_at: DATABASE_NOW,
  };
  await underLease(database, lease, async (transaction) => {
    // It may have failed before it began.
    await transaction
      .insertInto('entity_syncs')
      .values({ connector_id: lease.connectorId, entity: failure.entity, ...outcome })
      .onConflict((conflict) => conflict.columns(['connector_id', 'entity']).doUpdateSet(outcome))
      .execute();
  });
}

function beforeDot(text: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`split_part(${text}, '.', 1)`;
}

async function resumeRead(
  transaction: Transaction<Tables>,
  lease: Lease,
  read: ReadBeginning,
): Promise<BegunRead | undefined> {
  const resumed = await transaction
    .updateTable('entity_syncs')
    .set({ read_epoch: lease.epoch, updated_at: DATABASE_NOW })
    .where('connector_id', '=', lease.connectorId)
    .where('entity', '=', read.entity)
    .where('read_mode', '=', read.mode)
    .where(beforeDot(sql.ref('read_definition_hash')), '=', beforeDot(sql.val(read.definitionHash)))
    .returning([...READ_COLUMNS, 'updated_at'])
    .executeTakeFirst();
  return resumed === undefined ? undefined : toBegunRead(resumed);
}

async function startRead(
  transaction: Transaction<Tables>,
  lease: Lease,
  read: ReadBeginning,
): Promise<BegunRead> {
  const generations = read.mode === 'full' ? 1 : 0;
  const beginning = {
    read_mode: read.mode,
    read_definition_hash: read.definitionHash,
    read_started_at: DATABASE_NOW,
    read_records: 0,
    read_pages: 0,
    read_position: toJson(null),
    read_epoch: lease.epoch,
    updated_at: DATABASE_NOW,
  };
  const started = await transaction
    .insertInto('entity_syncs')
    .values({
      connector_id: lease.connectorId,
      entity: read.entity,
      generation: generations,
      ...beginning,
    })
    .onConflict((conflict) =>
      conflict.columns(['connector_id', 'entity']).doUpdateSet((present) => ({
        generation: present('entity_syncs.generation', '+', generations),
        ...beginning,
      })),
    )
    .returning([...READ_COLUMNS, 'updated_at'])
    .executeTakeFirstOrThrow();
  return toBegunRead(started);
}

function toBegunRead(
  row: Parameters<typeof toProgress>[0] & { readonly updated_at: Date },
): BegunRead {
  const progress = toProgress(row);
  if (progress === null) throw new Error('a read that has begun has no progress');
  return { ...progress, resumedAt: row.updated_at };
}

/** A read that goes on under the lease of the transaction. */
interface OpenRead {
  readonly generation: number;
  readonly mode: ReadProgress['mode'];
  readonly startedAt: Date;
}

async function requireRead(transaction: Database, lease: Lease, entity: string): Promise<OpenRead> {
  const row = await transaction
    .selectFrom('entity_syncs')
    .select(['generation', ...READ_COLUMNS])
    .where('connector_id', '=', lease.connectorId)
    .where('entity', '=', entity)
    .where('read_epoch', '=', lease.epoch)
    .executeTakeFirst();
  const progress = row === undefined ? null : toProgress(row);
  if (row === undefined || progress === null) {
    throw new Error(`no read of ${entity} has been begun under the lease ${lease.epoch}`);
  }
  return { generation: row.generation, mode: progress.mode, startedAt: progress.startedAt };
}

/** Stores where the read goes on, and counts; returns the database's clock. */
async function storePosition(
  transaction: Transaction<Tables>,
  { connectorId }: Lease,
  { batch, growth }: { readonly batch: ReadBatch; readonly growth: number },
): Promise<Date> {
  const stored = await transaction
    .updateTable('entity_syncs')
    .set((present) => ({
      ...(batch.showsNothing === true ? {} : { has_page: true, ...NO_PROBLEM }),
      record_count: present('record_count', '+', growth),
      read_records: present('read_records', '+', batch.records.length),
      read_pages: present('read_pages', '+', batch.pages),
      read_position: toJson(batch.position),
      updated_at: DATABASE_NOW,
    }))
    .where('connector_id', '=', connectorId)
    .where('entity', '=', batch.entity)
    .returning('updated_at')
    .executeTakeFirstOrThrow();
  return stored.updated_at;
}

/** @param copy Within a transaction. */
async function takeFinishingStep(
  copy: OpenCopy,
  lease: Lease,
): Promise<{ readonly deleted: number; readonly isFinished: boolean }> {
  const { mode, generation, startedAt } = await requireRead(copy.database, lease, copy.entity);
  if (mode === 'increment') {
    await completeIncrement(copy);
    return { deleted: 0, isFinished: true };
  }
  const unseen = { generation, before: startedAt, limit: DELETED_AT_ONCE };
  const deleted = await deleteUnseen(copy, unseen);
  if (deleted === DELETED_AT_ONCE) {
    await countDeleted(copy, deleted);
    return { deleted, isFinished: false };
  }
  // Records of our own writes came in besides the pages: now is the time to count anew.
  await completeFull(copy, await countRecords(copy));
  return { deleted, isFinished: true };
}

async function countDeleted(
  { database, connectorId, entity }: OpenCopy,
  deleted: number,
): Promise<void> {
  await database
    .updateTable('entity_syncs')
    .set((present) => ({
      record_count: present('record_count', '-', deleted),
      updated_at: DATABASE_NOW,
    }))
    .where('connector_id', '=', connectorId)
    .where('entity', '=', entity)
    .execute();
}

async function completeIncrement({ database, connectorId, entity }: OpenCopy): Promise<void> {
  await database
    .updateTable('entity_syncs')
    .set((present) => ({ ...COMPLETION, as_of: present.ref('read_started_at') }))
    .where('connector_id', '=', connectorId)
    .where('entity', '=', entity)
    .execute();
}

async function completeFull(
  { database, connectorId, entity }: OpenCopy,
  recordCount: number,
): Promise<void> {
  await database
    .updateTable('entity_syncs')
    .set((present) => ({
      ...COMPLETION,
      is_complete: true,
      as_of: present.ref('read_started_at'),
      last_full_at: present.ref('read_started_at'),
      definition_hash: present.ref('read_definition_hash'),
      record_count: recordCount,
    }))
    .where('connector_id', '=', connectorId)
    .where('entity', '=', entity)
    .execute();
}

function copyOf(
  { connectorId }: Lease,
  { kind, entity }: { readonly kind: string; readonly entity: string },
): CopyId {
  return { connectorId, kind, entity };
}

/** JSON text of a position; one that is absent is stored as `null`. */
function toJson(value: unknown): string {
  return JSON.stringify(value ?? null);
}

/** A failure must be told even where the upstream's message holds what cannot be stored. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
