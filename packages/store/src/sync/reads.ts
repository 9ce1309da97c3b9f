import { sql, type RawBuilder, type Transaction } from 'kysely';
import type { CopyId } from '../copies/contract.ts';
import type { CopyContext } from '../copies/copy-context.ts';
import { countRecords } from '../copies/count-records.ts';
import { deleteOrphans, deleteRecords, deleteUnseen } from '../copies/delete-records.ts';
import { writeRecords } from '../copies/write-records.ts';
import type { Database, Tables } from '../database.ts';
import { DATABASE_NOW } from './clock.ts';
import type {
  BegunRead,
  CommittedPage,
  Lease,
  PageCommit,
  ReadProgress,
  Syncs,
} from './contract.ts';
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
export async function commitPage(
  database: Database,
  context: CopyContext,
  lease: Lease,
  page: PageCommit,
): Promise<CommittedPage> {
  return await underLease(database, lease, async (transaction) => {
    const read = await requireRead(transaction, lease, page.entity);
    const written = await writePage(transaction, context, { lease, page, read });
    const { added, changed, deleted } = written;
    const committedAt = await storePosition(transaction, lease, page, added - deleted);
    return { added, changed, deleted, committedAt };
  });
}

/**
 * Completes the read: `asOf` becomes its start, and the records that a full read did not see are
 * deleted, but for those changed since it began. That goes by steps; after a crash in between the
 * read is still at its end, and another call completes it.
 */
export async function finishRead(
  database: Database,
  context: CopyContext,
  lease: Lease,
  end: ReadEnd,
): Promise<{ readonly deleted: number }> {
  let deleted = 0;
  for (;;) {
    const step = await underLease(database, lease, (transaction) =>
      takeFinishingStep(transaction, context, { lease, end }),
    );
    deleted += step.deleted;
    if (step.isFinished) return { deleted };
  }
}

/** By steps; what a crash leaves goes with the next full read. */
export async function deleteOrphansOf(
  database: Database,
  context: CopyContext,
  lease: Lease,
  orphans: Parameters<Syncs['deleteOrphans']>[1],
): Promise<{ readonly deleted: number }> {
  let deleted = 0;
  for (;;) {
    const step = await underLease(database, lease, async (transaction) => {
      const copy = copyOf(lease, orphans);
      const count = await deleteOrphans(transaction, context, copy, {
        ...orphans,
        limit: DELETED_AT_ONCE,
      });
      if (count > 0) await countDeleted(transaction, lease, orphans.entity, count);
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

async function requireRead(
  transaction: Transaction<Tables>,
  lease: Lease,
  entity: string,
): Promise<OpenRead> {
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

async function writePage(
  transaction: Transaction<Tables>,
  context: CopyContext,
  part: { readonly lease: Lease; readonly page: PageCommit; readonly read: OpenRead },
): Promise<{ readonly added: number; readonly changed: number; readonly deleted: number }> {
  const { records, deletedKeys = [], askedAt } = part.page;
  const generation = part.read.mode === 'full' ? part.read.generation : null;
  const copy = copyOf(part.lease, part.page);
  const written =
    records.length === 0
      ? { added: 0, changed: 0 }
      : await writeRecords(transaction, context, copy, records, { generation, askedAt });
  const deleted = await deleteRecords(transaction, context, copy, deletedKeys);
  return { ...written, deleted };
}

/** Returns the database's clock. */
async function storePosition(
  transaction: Transaction<Tables>,
  lease: Lease,
  page: PageCommit,
  growth: number,
): Promise<Date> {
  const stored = await transaction
    .updateTable('entity_syncs')
    .set((present) => ({
      ...(page.showsNothing === true ? {} : { has_page: true, ...NO_PROBLEM }),
      record_count: present('record_count', '+', growth),
      read_records: present('read_records', '+', page.records.length),
      read_pages: present('read_pages', '+', page.pages),
      read_position: toJson(page.position),
      updated_at: DATABASE_NOW,
    }))
    .where('connector_id', '=', lease.connectorId)
    .where('entity', '=', page.entity)
    .returning('updated_at')
    .executeTakeFirstOrThrow();
  return stored.updated_at;
}

async function takeFinishingStep(
  transaction: Transaction<Tables>,
  context: CopyContext,
  { lease, end }: { readonly lease: Lease; readonly end: ReadEnd },
): Promise<{ readonly deleted: number; readonly isFinished: boolean }> {
  const read = await requireRead(transaction, lease, end.entity);
  if (read.mode === 'increment') {
    await completeIncrement(transaction, lease, end);
    return { deleted: 0, isFinished: true };
  }
  const copy = copyOf(lease, end);
  const deleted = await deleteUnseen(transaction, context, copy, {
    generation: read.generation,
    before: read.startedAt,
    limit: DELETED_AT_ONCE,
  });
  if (deleted === DELETED_AT_ONCE) {
    await countDeleted(transaction, lease, end.entity, deleted);
    return { deleted, isFinished: false };
  }
  // Records of our own writes came in besides the pages: now is the time to count anew.
  await completeFull(transaction, lease, end, await countRecords(transaction, context, copy));
  return { deleted, isFinished: true };
}

async function countDeleted(
  transaction: Transaction<Tables>,
  lease: Lease,
  entity: string,
  deleted: number,
): Promise<void> {
  await transaction
    .updateTable('entity_syncs')
    .set((present) => ({
      record_count: present('record_count', '-', deleted),
      updated_at: DATABASE_NOW,
    }))
    .where('connector_id', '=', lease.connectorId)
    .where('entity', '=', entity)
    .execute();
}

async function completeIncrement(
  transaction: Transaction<Tables>,
  lease: Lease,
  end: ReadEnd,
): Promise<void> {
  await transaction
    .updateTable('entity_syncs')
    .set((present) => ({ ...COMPLETION, as_of: present.ref('read_started_at') }))
    .where('connector_id', '=', lease.connectorId)
    .where('entity', '=', end.entity)
    .execute();
}

async function completeFull(
  transaction: Transaction<Tables>,
  lease: Lease,
  end: ReadEnd,
  recordCount: number,
): Promise<void> {
  await transaction
    .updateTable('entity_syncs')
    .set((present) => ({
      ...COMPLETION,
      is_complete: true,
      as_of: present.ref('read_started_at'),
      last_full_at: present.ref('read_started_at'),
      definition_hash: present.ref('read_definition_hash'),
      record_count: recordCount,
    }))
    .where('connector_id', '=', lease.connectorId)
    .where('entity', '=', end.entity)
    .execute();
}

/** What every complete read leaves. A read without any page has shown that there is nothing. */
const COMPLETION = {
  ...NO_READ,
  ...NO_PROBLEM,
  has_page: true,
  updated_at: DATABASE_NOW,
} as const;

function copyOf(
  { connectorId }: Lease,
  { kind, entity }: { readonly kind: string; readonly entity: string },
): CopyId {
  return { connectorId, kind, entity };
}

/** What is absent is stored as `null`. */
function toJson(value: unknown): string {
  return JSON.stringify(value ?? null);
}

/** A failure must be told even where the upstream's message holds what cannot be stored. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
