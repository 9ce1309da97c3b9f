import {
  compareCodePoints,
  ConnectorError,
  isConnectorError,
  planRead,
  type Clock,
  type Entity,
  type EntityRead,
} from '@patchbay/connectors';
import { wait } from '@patchbay/connectors/definitions';
import {
  isStoreError,
  type CopyId,
  type CopyRecord,
  type EntitySync,
  type Lease,
  type ParentQuery,
  type ReadProgress,
  type Store,
  type SyncProblem,
  type SyncRun,
} from '@patchbay/store';
import type { Logger } from '../log.ts';
import { explainConfigRequired } from '../operations/config-required.ts';
import type { LiveConnector } from '../operations/live-connectors.ts';
import { commitInBatches, type Batch } from './commit-batches.ts';
import { definitionHashOf } from './definition-hash.ts';
import { withPatience } from './patience.ts';
import { BEGINNING, parsePosition, type ReadPosition } from './read-position.ts';
import type { ReplicationSettings } from './settings.ts';
import { StoppedError } from './stopped.ts';
import { walkLists } from './walk-lists.ts';

export interface ReadParts {
  readonly store: Pick<Store, 'syncs' | 'copies'>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  readonly settings: ReplicationSettings;
  readonly notify: (connectorId: string) => void;
}

/** One entity of a connector, to be read within a run. */
export interface EntityWork {
  readonly lease: Lease;
  readonly run: SyncRun;
  readonly connector: LiveConnector;
  readonly entity: Entity;
  readonly signal: AbortSignal;
  /** Parents of its records were deleted in this run. */
  readonly hasLostParents?: boolean;
}

/** What became of it. A forbidden entity is none of the connector's failures. */
export type EntityOutcome =
  | { readonly type: 'read'; readonly hasDeleted: boolean }
  | { readonly type: 'forbidden' | 'failed'; readonly problem: SyncProblem };

/** What was counted of one read, for the log. */
interface Counts {
  mode: string;
  records: number;
  pages: number;
  added: number;
  changed: number;
  deleted: number;
}

const PARENTS_AT_ONCE = 200;
/** Background calls of a connector take turns as one caller. */
const CALLER = 'replication';

/** Trouble of our own, such as a lost database connection, is tried again so often without progress. */
const OWN_ATTEMPTS = 6;
const OWN_WAIT_MS = 200;

/**
 * Reads one entity into its copy, going on where an earlier attempt ended, and stores what became of
 * it. Where this run has done that already, before a crash, nothing happens.
 *
 * @throws StoppedError or the signal's reason when the work has to end; `lease_lost`; what the
 * database threw when not even a failure could be stored.
 */
export async function readEntity(parts: ReadParts, work: EntityWork): Promise<EntityOutcome> {
  const { entity, signal } = work;
  const startedAt = parts.clock.now();
  const counts: Counts = { mode: '', records: 0, pages: 0, added: 0, changed: 0, deleted: 0 };
  const log = (code: string) =>
    parts.logger.info(
      {
        connector_id: work.connector.row.id,
        run_id: work.run.id,
        entity: entity.name,
        ...counts,
        duration_ms: Math.round(parts.clock.now() - startedAt),
        code,
      },
      'read',
    );
  try {
    await attemptRead(parts, work, counts);
    log('ok');
    return { type: 'read', hasDeleted: counts.deleted > 0 };
  } catch (error) {
    if (signal.aborted || error instanceof StoppedError || isStoreError(error, 'lease_lost')) {
      log('stopped');
      throw error;
    }
    const problem = problemOf(work, error);
    log(problem.code);
    return await storeFailure(parts, work, problem);
  } finally {
    parts.notify(work.connector.row.id);
  }
}

/** The outcome of an entity that cannot be read, since another one that it needs has no copy. */
export function failWithout(
  parts: ReadParts,
  work: EntityWork,
  needed: { readonly name: string; readonly problem: SyncProblem },
): Promise<EntityOutcome> {
  const { code, message } = needed.problem;
  const told = `${work.entity.name} are read for each of ${needed.name}, which could not be read: ${message}`;
  return storeFailure(parts, work, { code, message: told });
}

/** Trouble of our own is tried again; each time the read goes on where the last commit was. */
async function attemptRead(parts: ReadParts, work: EntityWork, counts: Counts): Promise<void> {
  const { clock, logger } = parts;
  const { signal } = work;
  let seenPages = 0;
  for (let attempt = 1; ; attempt++) {
    try {
      // One that was begun by an earlier run is as of then, so what came since is read as well.
      while (!(await readOnce(parts, work, counts))) signal.throwIfAborted();
      return;
    } catch (err) {
      signal.throwIfAborted();
      if (isConnectorError(err) || isStoreError(err, 'lease_lost')) throw err;
      if (counts.pages > seenPages) attempt = 1;
      seenPages = counts.pages;
      const facts = { err, connector_id: work.connector.row.id, entity: work.entity.name, attempt };
      logger.warn(facts, 'A read failed for a reason of our own.');
      if (attempt >= OWN_ATTEMPTS) throw err;
      await wait(clock, OWN_WAIT_MS * 2 ** (attempt - 1), signal);
    }
  }
}

/** Whether the copy is now as of this run. */
async function readOnce(parts: ReadParts, work: EntityWork, counts: Counts): Promise<boolean> {
  const { store, notify } = parts;
  const { lease, connector, entity, run } = work;
  const [sync] = await store.syncs.entities(lease.connectorId, [entity.name]);
  if (sync === undefined) throw new Error(`nothing is known of the copy of ${entity.name}`);
  const definitionHash = definitionHashOf(connector.kind.kind, entity, connector.row);
  if (isDoneBy(run, sync, definitionHash)) return true;
  const isSameMaking = sync.definitionHash === definitionHash;
  const asOf = isSameMaking ? sync.asOf : null;
  const lastFullAt = isSameMaking ? sync.lastFullAt : null;
  const plan = planner(work);
  const { mode } = plan({ startedAt: new Date(parts.clock.now()), asOf, lastFullAt });
  counts.mode = mode;
  const begun = await store.syncs.beginRead(lease, { entity: entity.name, mode, definitionHash });
  notify(lease.connectorId);
  // Planned again from when the read really began; what is said of the last one keeps the mode.
  const read =
    mode === 'full'
      ? plan({ startedAt: begun.startedAt, asOf: null, lastFullAt: null })
      : plan({ startedAt: begun.startedAt, asOf, lastFullAt: begun.startedAt });
  // First: whether the read then succeeds makes no difference to what has no parent any more.
  await deleteOrphans(parts, work, read, counts);
  const reader = new EntityReader(parts, work, counts, { read, begun, asOf });
  const end = await reader.read({ isFirstUrgent: !sync.hasPage });
  // An increment may come upon nothing but a parent or two that are refused.
  if (mode === 'full' && end.hasRefused && !end.hasRead) throw allRefused(entity);
  const { deleted } = await store.syncs.finishRead(lease, {
    entity: entity.name,
    kind: connector.kind.kind,
  });
  counts.deleted += deleted;
  return run.startedAt === null || begun.startedAt >= run.startedAt;
}

/** What belonged to a deleted parent is not to be found until the next full read. */
async function deleteOrphans(
  { store }: ReadParts,
  { lease, connector, entity, hasLostParents }: EntityWork,
  { parents, parentField }: EntityRead,
  counts: Counts,
): Promise<void> {
  if (hasLostParents !== true || parents === undefined || parentField === undefined) return;
  const { deleted } = await store.syncs.deleteOrphans(lease, {
    kind: connector.kind.kind,
    entity: entity.name,
    parent: parents.entity,
    field: parentField,
  });
  counts.deleted += deleted;
}

/** Reads the lists of an entity, from where the read goes on to their end. */
class EntityReader {
  readonly #parts: ReadParts;
  readonly #work: EntityWork;
  readonly #counts: Counts;
  readonly #read: EntityRead;
  readonly #asOf: Date | null;
  /** The database's clock when it was last heard of. */
  #databaseAt: Date;
  /** Of parents, those whose lists the copy does not know yet. */
  readonly #new = new WeakSet<CopyRecord['values']>();
  #position: ReadPosition;

  constructor(
    parts: ReadParts,
    work: EntityWork,
    counts: Counts,
    plan: {
      readonly read: EntityRead;
      readonly begun: ReadProgress & { readonly resumedAt: Date };
      readonly asOf: Date | null;
    },
  ) {
    this.#parts = parts;
    this.#work = work;
    this.#counts = counts;
    this.#read = plan.read;
    this.#asOf = plan.asOf;
    this.#databaseAt = plan.begun.resumedAt;
    this.#position = plan.begun.position === null ? BEGINNING : parsePosition(plan.begun.position);
  }

  /** Returns the position at the end. */
  async read(options: { readonly isFirstUrgent: boolean }): Promise<ReadPosition> {
    const { clock } = this.#parts;
    const { signal } = this.#work;
    const from = this.#position;
    const hasParents = this.#read.parents !== undefined;
    await commitInBatches({
      clock,
      signal,
      ...options,
      open: (reading) =>
        walkLists({
          from,
          hasParents,
          fetchParents: (after) => this.#fetchParents(after),
          readPage: (at) => this.#readPage(at, reading),
        }),
      commit: (batch) => this.#commit(batch),
    });
    return this.#position;
  }

  async #readPage(at: Parameters<EntityRead['readPage']>[0], signal: AbortSignal) {
    const { clock, random, settings } = this.#parts;
    const { patienceMs, waits } = settings;
    const askedAt = this.#databaseAt;
    const page = await withPatience({ clock, random, patienceMs, waits, signal }, () =>
      this.#read.readPage(
        { ...at, isNew: at.parent !== undefined && this.#new.has(at.parent) },
        { signal, caller: CALLER },
      ),
    );
    return { page, askedAt };
  }

  async #fetchParents(after: string | null): Promise<readonly CopyRecord[]> {
    const { parents } = this.#read;
    if (parents === undefined) throw new Error('a read without parents asks for them');
    const { lease, connector } = this.#work;
    const changedSince = parents.isChangedOnly ? this.#asOf : null;
    const copy = {
      connectorId: lease.connectorId,
      kind: connector.kind.kind,
      entity: parents.entity,
    };
    const query = {
      fields: parents.fields,
      limit: PARENTS_AT_ONCE,
      ...(after === null ? {} : { after }),
    };
    const { copies } = this.#parts.store;
    const found = await copies.parents(copy, {
      ...query,
      filter: parents.filter,
      ...(changedSince === null ? {} : { changedSince }),
    });
    await this.#findNew(found, copy, { ...query, filter: parents.filter });
    if (parents.orFilter === undefined) return found;
    const others = await copies.parents(copy, { ...query, filter: parents.orFilter });
    const byKey = new Map([...found, ...others].map((each) => [each.key, each]));
    return [...byKey.values()]
      .toSorted((a, b) => compareCodePoints(a.key, b.key))
      .slice(0, PARENTS_AT_ONCE);
  }

  /**
   * Parents that have come within reach since the last complete read, such as a channel that the
   * caller was invited to: they have changed, and nothing of their lists was copied before.
   */
  async #findNew(
    found: readonly CopyRecord[],
    parents: CopyId,
    query: Omit<ParentQuery, 'changedSince'>,
  ): Promise<void> {
    const { recordsOf } = this.#read;
    if (recordsOf === undefined || this.#asOf === null || found.length === 0) return;
    const { copies } = this.#parts.store;
    const copy = { ...parents, entity: this.#work.entity.name };
    const changed = await copies.parents(parents, { ...query, changedSince: this.#asOf });
    const keys = new Set(changed.map(({ key }) => key));
    for (const { key, values } of found) {
      if (!keys.has(key)) continue;
      const [known] = await copies.parents(copy, {
        filter: recordsOf(values),
        fields: [],
        limit: 1,
        changedBefore: this.#asOf,
      });
      if (known === undefined) this.#new.add(values);
    }
  }

  async #commit({ records, deletedKeys, pages, askedAt, position }: Batch): Promise<void> {
    const { store, notify } = this.#parts;
    const { lease, connector, entity } = this.#work;
    const counts = this.#counts;
    const committed = await store.syncs.commitBatch(lease, {
      entity: entity.name,
      kind: connector.kind.kind,
      records,
      deletedKeys,
      pages,
      askedAt: askedAt ?? this.#databaseAt,
      position,
      showsNothing: position.hasRefused && !position.hasRead,
    });
    this.#databaseAt = committed.committedAt;
    this.#position = position;
    counts.records += records.length;
    counts.pages += pages;
    counts.added += committed.added;
    counts.deleted += committed.deleted;
    counts.changed += committed.changed;
    notify(lease.connectorId);
  }
}

function planner({ connector, entity }: EntityWork) {
  return (when: {
    readonly startedAt: Date;
    readonly asOf: Date | null;
    readonly lastFullAt: Date | null;
  }): EntityRead =>
    planRead(connector.engine, {
      entity,
      replicationConfig: connector.row.replicationConfig ?? {},
      ...when,
    });
}

/** Both instants are by the database's clock. */
function isDoneBy(run: SyncRun, sync: EntitySync, definitionHash: string): boolean {
  const { asOf, progress, state } = sync;
  return (
    state === 'idle' &&
    progress === null &&
    sync.definitionHash === definitionHash &&
    asOf !== null &&
    run.startedAt !== null &&
    asOf >= run.startedAt
  );
}

function allRefused(entity: Entity): ConnectorError<'upstream_forbidden'> {
  return new ConnectorError(
    'upstream_forbidden',
    { entity: entity.name, action: 'list' },
    { message: `The credentials may read none of the lists that ${entity.name} are in.` },
  );
}

async function storeFailure(
  { store }: ReadParts,
  { lease, entity }: EntityWork,
  problem: SyncProblem,
): Promise<EntityOutcome> {
  const isForbidden = problem.code === 'upstream_forbidden';
  await store.syncs.failRead(lease, {
    entity: entity.name,
    problem,
    isForbidden,
    keepsPosition: !isForbidden,
  });
  if (problem.code === 'credentials_rejected') throw new StoppedError('reauth_required');
  return { type: isForbidden ? 'forbidden' : 'failed', problem };
}

/** What is told of a failure: of our own only that it was one. */
function problemOf({ connector }: EntityWork, error: unknown): SyncProblem {
  const explained = explainConfigRequired(error, connector.row.id);
  if (isConnectorError(explained)) return { code: explained.code, message: explained.message };
  return { code: 'internal', message: 'Something went wrong on our side; the log says what.' };
}
