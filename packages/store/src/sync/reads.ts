import { sql, type RawBuilder, type Transaction } from 'kysely';
import type { CopyId } from '../contract/copies.ts';
import { deleteOrphans, deleteRecords, deleteUnseen } from '../copies/delete-records.ts';
import { openCopy, type CopyContext, type OpenCopy } from '../copies/open-copy.ts';
import { flushPaths, forgetPaths } from '../copies/observed-paths.ts';
import { settleCopy } from '../copies/settle-copy.ts';
import { writeRecords } from '../copies/write-records.ts';
import type { Database, Tables } from '../database.ts';
import { DATABASE_NOW, databaseNowPlus } from '../database-clock.ts';
import type {
  BegunRead,
  CommittedBatch,
  Lease,
  ReadBatch,
  ReadProgress,
  Syncs,
} from '../contract/syncs.ts';
import { changesOf, split, type Changes } from './batch-changes.ts';
import { READ_COLUMNS, toProgress } from './entity-syncs.ts';
import type { Ending } from '../joined-transaction.ts';
import { storableForm } from '../storable-text.ts';
import { joinedUnderLease, underLease } from './leases.ts';
import { countForRun, countingForRun, noteEntityForRun } from './run-rows.ts';

type ReadBeginning = Parameters<Syncs['beginRead']>[1];
type ReadEnd = Parameters<Syncs['finishRead']>[1];
type ReadFailure = Parameters<Syncs['failRead']>[1];

/** Records looked at in one transaction: on the embedded database everybody waits for it. */
const LOOKED_AT_ONCE = 1_000;

const NO_READ = {
  read_mode: null,
  read_definition_hash: null,
  read_started_at: null,
  read_records: null,
  read_pages: null,
  read_position: null,
  read_drift: null,
  read_parents_as_of: null,
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
  return await underLease(database, lease, async (transaction) => {
    await noteEntityForRun(transaction, lease.connectorId, read.entity);
    return (
      (await resumeRead(transaction, lease, read)) ?? (await startRead(transaction, lease, read))
    );
  });
}

/**
 * Writes records, and then where the read goes on. On a database that others wait for, that is
 * several transactions: the position comes with the last, and after a crash in between the same
 * records are written again.
 */
export async function commitBatch(
  storage: SyncStorage,
  lease: Lease,
  batch: ReadBatch,
): Promise<CommittedBatch> {
  const { commitPace } = storage.copies;
  const position = toJson(batch.position);
  const written = { added: 0, changed: 0, deleted: 0 };
  for (let rest = changesOf(batch); ;) {
    const { part, others, characters } = split(rest, commitPace.next());
    const isLast = others.records.length + others.deletedKeys.length === 0;
    const done = await commitPart(storage, lease, {
      batch,
      part,
      position: isLast ? position : undefined,
    });
    commitPace.learn({ amount: characters, ms: done.ms });
    written.added += done.added;
    written.changed += done.changed;
    written.deleted += done.deleted;
    if (isLast) return { ...written, committedAt: done.committedAt };
    rest = others;
  }
}

/** How many records have come to a copy, and gone from it. */
interface Growth {
  readonly added: number;
  readonly deleted: number;
}

interface BatchPart {
  readonly batch: ReadBatch;
  readonly part: Changes;
  /** JSON of where the read goes on, with the last part. */
  readonly position: string | undefined;
}

async function commitPart(
  { database, copies }: SyncStorage,
  lease: Lease,
  part: BatchPart,
): Promise<CommittedBatch & { readonly ms: number }> {
  const { batch } = part;
  let begunAt = 0;
  const first = [openReadOf(database, lease, batch.entity).compile()] as const;
  const committed = await joinedUnderLease(
    database,
    { lease, first },
    async (transaction, [{ rows }]) => {
      begunAt = performance.now();
      const read = toOpenRead(rows[0], lease, batch.entity);
      return await writePart(openCopy(transaction, copies, copyOf(lease, batch)), read, part);
    },
  );
  return { ...committed, ms: performance.now() - begunAt };
}

/** @param copy Within a transaction. */
async function writePart(
  copy: OpenCopy,
  { mode, generation: lastGeneration }: OpenRead,
  { batch, part, position }: BatchPart,
): Promise<Ending<{ readonly updated_at: Date }, CommittedBatch>> {
  const { askedAt } = batch;
  const generation = mode === 'full' ? lastGeneration : null;
  // Before words are added: a merge, which holds its record, waits for those.
  const deleted = await deleteRecords(copy, part.deletedKeys);
  const { added, changed } = await writeRecords(copy, part.records, {
    generation,
    lastGeneration,
    askedAt,
  });
  const counting = countingForRun(copy.database, copy.connectorId, {
    // Of a batch that is repeated after a crash, once.
    read: position === undefined ? 0 : batch.records.length,
    written: added + changed,
    deleted,
  });
  const growth = { added, deleted };
  const storing =
    position === undefined
      ? countingGrowth(copy, growth)
      : storingPosition(copy, { batch, growth, position });
  return {
    beforeLast: counting === undefined ? [] : [counting.compile()],
    last: storing.compile(),
    result: (stored) => ({ added, changed, deleted, committedAt: clockOf(stored) }),
  };
}

/** The database's clock, as a row told that was surely there. */
function clockOf([row]: readonly { readonly updated_at: Date }[]): Date {
  if (row === undefined) throw new Error('a read that goes on has no row');
  return row.updated_at;
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
  let swept: Sweep = { after: undefined, kept: 0, deleted: 0 };
  for (;;) {
    const step = await underLease(database, lease, (transaction) =>
      takeFinishingStep({ ...copy, database: transaction }, lease, swept),
    );
    if (step.isFinished) return { deleted: step.deleted };
    swept = step;
  }
}

/** Deletes records without a parent, by steps; after a crash in between they are owed still. */
export async function deleteOrphansOf(
  { database, copies }: SyncStorage,
  lease: Lease,
  orphans: Parameters<Syncs['deleteOrphans']>[1],
): Promise<{ readonly deleted: number }> {
  let deleted = 0;
  for (let after: string | undefined; ;) {
    const stretch = { ...orphans, after, limit: LOOKED_AT_ONCE };
    const step = await underLease(database, lease, async (transaction) => {
      const copy = openCopy(transaction, copies, copyOf(lease, orphans));
      const swept = await deleteOrphans(copy, stretch);
      await countForRun(transaction, lease.connectorId, { deleted: swept.deleted });
      const isLast = swept.looked < LOOKED_AT_ONCE;
      if (swept.deleted > 0) await countGrowth(copy, { added: 0, deleted: swept.deleted });
      if (isLast) await settleLosses(copy, orphans.losses);
      return { ...swept, isLast };
    });
    deleted += step.deleted;
    if (step.isLast) return { deleted };
    after = step.last;
  }
}

/** Says what a read waits for, until its next page. */
export async function noteTrouble(
  database: Database,
  lease: Lease,
  { entity, problem }: Parameters<Syncs['noteTrouble']>[1],
): Promise<void> {
  await underLease(database, lease, async (transaction) => {
    await requireRead(transaction, lease, entity);
    await transaction
      .updateTable('entity_syncs')
      .set({
        problem_code: storableForm(problem.code),
        problem_message: storableForm(problem.message),
        updated_at: DATABASE_NOW,
      })
      .where('connector_id', '=', lease.connectorId)
      .where('entity', '=', entity)
      .execute();
  });
}

/** Keeps the position, so that the next run goes on there, unless told to begin anew. */
export async function failRead(
  database: Database,
  lease: Lease,
  failure: ReadFailure,
): Promise<void> {
  const outcome = {
    problem_code: storableForm(failure.problem.code),
    problem_message: storableForm(failure.problem.message),
    is_forbidden: failure.isForbidden ?? false,
    ...(failure.keepsPosition ? { read_epoch: null } : NO_READ),
    updated_at: DATABASE_NOW,
  };
  await underLease(database, lease, async (transaction) => {
    // It may have failed before it began.
    await noteEntityForRun(transaction, lease.connectorId, failure.entity);
    await transaction
      .insertInto('entity_syncs')
      .values({ connector_id: lease.connectorId, entity: failure.entity, ...outcome })
      .onConflict((conflict) =>
        conflict
          .columns(['connector_id', 'entity'])
          .doUpdateSet({ ...outcome, updated_at: (given) => given.ref('excluded.updated_at') }),
      )
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
    .returning([...READ_COLUMNS, 'read_drift', 'updated_at'])
    .executeTakeFirst();
  return resumed === undefined ? undefined : toBegunRead(resumed, { isResumed: true });
}

async function startRead(
  transaction: Transaction<Tables>,
  lease: Lease,
  read: ReadBeginning,
): Promise<BegunRead> {
  const isFull = read.mode === 'full';
  const generations = isFull ? 1 : 0;
  const beginning = {
    read_mode: read.mode,
    read_definition_hash: read.definitionHash,
    read_started_at: DATABASE_NOW,
    read_records: 0,
    read_pages: 0,
    read_position: toJson(null),
    read_drift: null,
    read_parents_as_of: asOfAtMost(read),
    read_epoch: lease.epoch,
    updated_at: DATABASE_NOW,
  };
  const started = await transaction
    .insertInto('entity_syncs')
    .values({
      connector_id: lease.connectorId,
      entity: read.entity,
      generation: generations,
      observes_paths: isFull,
      ...beginning,
    })
    .onConflict((conflict) =>
      conflict.columns(['connector_id', 'entity']).doUpdateSet((present) => ({
        generation: present('entity_syncs.generation', '+', generations),
        ...beginning,
        // The same instants: a distributed database takes no clock here.
        read_started_at: present.ref('excluded.read_started_at'),
        updated_at: present.ref('excluded.updated_at'),
        read_parents_as_of: present.ref('excluded.read_parents_as_of'),
        ...(isFull ? { observes_paths: true } : { read_drift: present.ref('entity_syncs.drift') }),
      })),
    )
    .returning([...READ_COLUMNS, 'read_drift', 'updated_at'])
    .executeTakeFirstOrThrow();
  return toBegunRead(started, { isResumed: false });
}

/** As of when the copy can be at most, however late it is read; null where nothing says so. */
function asOfAtMost({ parentsAsOf = null, hiddenMs = 0 }: ReadBeginning) {
  return hiddenMs === 0
    ? parentsAsOf
    : sql<Date>`least(${parentsAsOf}::timestamptz, ${databaseNowPlus(-hiddenMs)})`;
}

function toBegunRead(
  row: Parameters<typeof toProgress>[0] & {
    readonly read_drift: BegunRead['drift'];
    readonly updated_at: Date;
  },
  { isResumed }: Pick<BegunRead, 'isResumed'>,
): BegunRead {
  const progress = toProgress(row);
  if (progress === null) throw new Error('a read that has begun has no progress');
  return { ...progress, isResumed, drift: row.read_drift, resumedAt: row.updated_at };
}

/** A read that goes on under the lease of the transaction. */
interface OpenRead {
  readonly generation: number;
  readonly mode: ReadProgress['mode'];
  readonly startedAt: Date;
}

async function requireRead(transaction: Database, lease: Lease, entity: string): Promise<OpenRead> {
  const row = await openReadOf(transaction, lease, entity).executeTakeFirst();
  return toOpenRead(row, lease, entity);
}

function openReadOf(database: Database, lease: Lease, entity: string) {
  return database
    .selectFrom('entity_syncs')
    .select(['generation', ...READ_COLUMNS])
    .where('connector_id', '=', lease.connectorId)
    .where('entity', '=', entity)
    .where('read_epoch', '=', lease.epoch);
}

type OpenReadRow = Awaited<ReturnType<ReturnType<typeof openReadOf>['executeTakeFirst']>>;

function toOpenRead(row: OpenReadRow, lease: Lease, entity: string): OpenRead {
  const progress = row === undefined ? null : toProgress(row);
  if (row === undefined || progress === null) {
    throw new Error(`no read of ${entity} has been begun under the lease ${lease.epoch}`);
  }
  return { generation: row.generation, mode: progress.mode, startedAt: progress.startedAt };
}

/** Stores where the read goes on, and counts; returns the database's clock. */
function storingPosition(
  { database, connectorId }: OpenCopy,
  end: { readonly batch: ReadBatch; readonly growth: Growth; readonly position: string },
) {
  const { batch, growth, position } = end;
  return database
    .updateTable('entity_syncs')
    .set((present) => ({
      ...(batch.showsNothing === true ? {} : { has_page: true, ...NO_PROBLEM }),
      record_count: present('record_count', '+', growth.added - growth.deleted),
      losses: present('losses', '+', growth.deleted),
      read_records: present('read_records', '+', batch.records.length),
      read_pages: present('read_pages', '+', batch.pages),
      read_position: position,
      ...(batch.drift === undefined ? {} : { read_drift: toJson(batch.drift) }),
      updated_at: DATABASE_NOW,
    }))
    .where('connector_id', '=', connectorId)
    .where('entity', '=', batch.entity)
    .returning('updated_at');
}

/** Counts records that came and went. */
async function countGrowth(copy: OpenCopy, growth: Growth): Promise<void> {
  await countingGrowth(copy, growth).execute();
}

/** The statement for that; it returns the database's clock. */
function countingGrowth({ database, connectorId, entity }: OpenCopy, { added, deleted }: Growth) {
  return database
    .updateTable('entity_syncs')
    .set((present) => ({
      record_count: present('record_count', '+', added - deleted),
      losses: present('losses', '+', deleted),
      updated_at: DATABASE_NOW,
    }))
    .where('connector_id', '=', connectorId)
    .where('entity', '=', entity)
    .returning('updated_at');
}

/** Of what the parents had lost before, nothing is left. Nothing is known yet where nobody has begun to read. */
async function settleLosses(
  { database, connectorId, entity }: OpenCopy,
  losses: number,
): Promise<void> {
  await database
    .updateTable('entity_syncs')
    .set({ settled_losses: losses, updated_at: DATABASE_NOW })
    .where('connector_id', '=', connectorId)
    .where('entity', '=', entity)
    .execute();
}

/** How far the records have been looked through at the end of a read. */
interface Sweep {
  readonly after: string | undefined;
  readonly kept: number;
  readonly deleted: number;
}

/** @param copy Within a transaction. */
async function takeFinishingStep(
  copy: OpenCopy,
  lease: Lease,
  swept: Sweep,
): Promise<Sweep & { readonly isFinished: boolean }> {
  const { mode, generation, startedAt } = await requireRead(copy.database, lease, copy.entity);
  if (mode === 'increment') {
    await flushPaths(copy, generation);
    await completeIncrement(copy);
    return { ...swept, isFinished: true };
  }
  const { after } = swept;
  const unseen = { generation, before: startedAt, after, limit: LOOKED_AT_ONCE };
  const { looked, deleted, last } = await deleteUnseen(copy, unseen);
  await countForRun(copy.database, lease.connectorId, { deleted });
  const isFinished = looked < LOOKED_AT_ONCE;
  const kept = swept.kept + looked - deleted;
  // Records of our own writes came in besides the pages: now is the time to count anew.
  if (isFinished) {
    await flushPaths(copy, generation);
    await forgetPaths(copy, generation);
    await completeFull(copy, { kept, deleted });
  } else if (deleted > 0) await countGrowth(copy, { added: 0, deleted });
  return { after: last, kept, deleted: swept.deleted + deleted, isFinished };
}

async function completeIncrement({ database, connectorId, entity }: OpenCopy): Promise<void> {
  await database
    .updateTable('entity_syncs')
    .set((present) => ({
      ...COMPLETION,
      drift: present.ref('read_drift'),
      as_of: present.ref('read_started_at'),
      parents_as_of: present.ref('read_parents_as_of'),
    }))
    .where('connector_id', '=', connectorId)
    .where('entity', '=', entity)
    .execute();
}

async function completeFull(
  { database, connectorId, entity }: OpenCopy,
  { kept, deleted }: Pick<Sweep, 'kept' | 'deleted'>,
): Promise<void> {
  await database
    .updateTable('entity_syncs')
    .set((present) => ({
      ...COMPLETION,
      drift: present.ref('read_drift'),
      is_complete: true,
      as_of: present.ref('read_started_at'),
      parents_as_of: present.ref('read_parents_as_of'),
      last_full_at: present.ref('read_started_at'),
      definition_hash: present.ref('read_definition_hash'),
      knows_paths: present.ref('observes_paths'),
      record_count: kept,
      losses: present('losses', '+', deleted),
    }))
    .where('connector_id', '=', connectorId)
    .where('entity', '=', entity)
    .execute();
}

function copyOf(
  { connectorId, copyNumber }: Lease,
  { kind, entity }: { readonly kind: string; readonly entity: string },
): CopyId & { readonly copyNumber: number } {
  return { connectorId, kind, entity, copyNumber };
}

/** JSON text of a position; one that is absent is stored as `null`. */
function toJson(value: unknown): string {
  return JSON.stringify(value ?? null);
}
