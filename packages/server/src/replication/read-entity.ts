import { ConnectorError, isConnectorError, type Clock, type Entity } from '@patchbay/connectors';
import {
  joinedDrift,
  planRead,
  type EntityRead,
  type ReadRequest,
} from '@patchbay/connectors/engine';
import { wait } from '@patchbay/connectors/definitions';
import {
  isStoreError,
  type BegunRead,
  type EntitySync,
  type Lease,
  type Store,
  type SyncProblem,
  type SyncRun,
} from '@patchbay/store';
import type { Logger } from '../log.ts';
import { explainConfigRequired } from '../operations/config-required.ts';
import type { LiveConnector } from '../operations/live-connector.ts';
import { commitInBatches } from './commit-batches.ts';
import { CopiedParents } from './copied-parents.ts';
import { definitionHashOf, isSameMaking } from './definition-hash.ts';
import type { LargePages } from './large-pages.ts';
import type { Patience } from './patience.ts';
import { BEGINNING, parsePosition, type ReadPosition } from './read-position.ts';
import type { ReplicationSettings } from './settings.ts';
import type { SyncObserver } from './sync-observer.ts';
import { isTurnOver, StoppedError } from './stopped.ts';
import type { Turn } from './turns.ts';
import { walkLists } from './walk-lists.ts';

export interface ReadParts {
  readonly store: Pick<Store, 'syncs' | 'copies'>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  readonly settings: ReplicationSettings;
  readonly largePages: LargePages;
  readonly notify: (connectorId: string) => void;
  readonly observer?: SyncObserver | undefined;
}

/** One entity of a connector, to be read within a run. */
export interface EntityWork {
  readonly lease: Lease;
  readonly run: SyncRun;
  readonly connector: LiveConnector;
  readonly entity: Entity;
  readonly signal: AbortSignal;
  readonly turn: Turn;
  readonly patience: Patience;
}

/** What became of it. A forbidden entity is none of the connector's failures. */
export type EntityOutcome =
  | { readonly type: 'read' }
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

interface Reading extends ReadParts, EntityWork {
  readonly counts: Counts;
}

/** Background calls of a connector take turns as one caller. */
const CALLER = 'replication';

/**
 * Trouble of our own is tried again so often without progress. A database that cannot be reached is waited
 * for as long as an upstream in trouble is.
 */
const OWN_ATTEMPTS = 6;
const OWN_WAIT_MS = 200;
const LONGEST_OWN_WAIT_MS = 5_000;

/**
 * Reads one entity into its copy, going on where an earlier attempt ended, and stores what became of
 * it. Where this run has done that already, before a crash, nothing happens.
 *
 * @throws StoppedError or the signal's reason when the work, or its turn, has to end; `lease_lost`; what the
 * database threw when not even a failure could be stored.
 */
export async function readEntity(parts: ReadParts, work: EntityWork): Promise<EntityOutcome> {
  const { entity, signal } = work;
  const startedAt = parts.clock.monotonic();
  const counts: Counts = { mode: '', records: 0, pages: 0, added: 0, changed: 0, deleted: 0 };
  const log = (code: string) => {
    parts.observer?.onRead(work.connector.row, entity.name, code);
    parts.logger.info(
      {
        connector_id: work.connector.row.id,
        run_id: work.run.id,
        entity: entity.name,
        ...counts,
        duration_ms: Math.round(parts.clock.monotonic() - startedAt),
        code,
      },
      'read',
    );
  };
  try {
    await readUntilCurrent({ ...parts, ...work, counts });
    log('ok');
    return { type: 'read' };
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

async function readUntilCurrent(reading: Reading): Promise<void> {
  const { clock, logger, counts, signal } = reading;
  let seenPages = 0;
  let attempt = 0;
  let troubledAt = 0;
  // Every turn is a read, from where the last commit was: again where an earlier run began it, since
  // the copy is then as of that run; and again after trouble of our own, which may pass.
  for (;;) {
    try {
      if (await readOnce(reading)) return;
      signal.throwIfAborted();
    } catch (err) {
      signal.throwIfAborted();
      if (isConnectorError(err) || isTurnOver(err) || isStoreError(err, 'lease_lost')) throw err;
      attempt = counts.pages > seenPages ? 1 : attempt + 1;
      if (attempt === 1) troubledAt = clock.monotonic();
      seenPages = counts.pages;
      const { row } = reading.connector;
      const facts = { err, connector_id: row.id, entity: reading.entity.name, attempt };
      logger.warn(facts, 'A read failed for a reason of our own.');
      const isAtItsEnd = isStoreError(err, 'database_unreachable')
        ? clock.monotonic() - troubledAt >= reading.settings.patienceMs
        : attempt >= OWN_ATTEMPTS;
      if (isAtItsEnd) throw err;
      await wait(clock, Math.min(OWN_WAIT_MS * 2 ** (attempt - 1), LONGEST_OWN_WAIT_MS), signal);
    }
  }
}

/** Reads to the end of the lists; returns whether the copy is now as of this run. */
async function readOnce(reading: Reading): Promise<boolean> {
  const { store, notify, lease, connector, entity, run, counts } = reading;
  const { kind } = connector.kind;
  const [sync] = await store.syncs.entities(lease.connectorId, [entity.name]);
  if (sync === undefined) throw new Error(`nothing is known of the copy of ${entity.name}`);
  const definitionHash = definitionHashOf(kind, entity, connector.row);
  const isCurrent = isSameMaking(sync.definitionHash, definitionHash, connector.row);
  const asOf = isCurrent ? sync.lastReadAt : null;
  const lastFullAt = isCurrent ? sync.lastFullAt : null;
  const replicationConfig = connector.row.replicationConfig ?? {};
  const hasCopy = sync.isComplete;
  const plan = (when: Pick<ReadRequest, 'startedAt' | 'asOf' | 'lastFullAt'>) =>
    planRead(connector.engine, { entity, replicationConfig, hasCopy, ...when });
  const planned = plan({ startedAt: new Date(reading.clock.now()), asOf, lastFullAt });
  // First: whether it then has to be read, and can be, makes no difference to what has no parent any more.
  const ofParents = await findParents(reading, planned);
  await deleteOrphans(reading, planned, { sync, ofParents });
  if (isCurrent && isDoneBy(run, sync)) return true;
  const { mode } = planned;
  counts.mode = mode;
  const parentsAsOf = ofParents?.asOf ?? null;
  const hiddenMs = planned.hidden?.forMs ?? 0;
  const begun = await store.syncs.beginRead(lease, {
    entity: entity.name,
    mode,
    definitionHash,
    parentsAsOf,
    hiddenMs,
  });
  notify(lease.connectorId);
  // Planned again from when the read really began; what is said of the last one keeps the mode.
  const { startedAt } = begun;
  const read =
    mode === 'full'
      ? plan({ startedAt, asOf: null, lastFullAt: null })
      : plan({ startedAt, asOf, lastFullAt: startedAt });
  const end = await readLists(reading, { read, begun, asOf, isFirstUrgent: !sync.hasPage });
  if (isNothingReadable(read, end)) throw allRefused(entity);
  const { deleted } = await store.syncs.finishRead(lease, { entity: entity.name, kind });
  counts.deleted += deleted;
  // What has begun since the run did is as of it, whatever became of the clock meanwhile.
  return !begun.isResumed || run.startedAt === null || startedAt >= run.startedAt;
}

/** Whether the credentials may read no list of the entity, or may not any more. */
function isNothingReadable(
  read: EntityRead,
  { hasRefused, forbidden, hasRead, isInDoubt }: ReadPosition,
): boolean {
  // An increment over changed parents may come upon nothing but one or two that are refused.
  const isOfAll = read.mode === 'full' || read.parents?.isChangedOnly !== true;
  return isInDoubt || ((isOfAll || forbidden > 0) && hasRefused && !hasRead);
}

/** What is known of the copy that says which lists there are. */
async function findParents(
  { store, lease }: Reading,
  { parents }: EntityRead,
): Promise<EntitySync | undefined> {
  if (parents === undefined) return undefined;
  const [found] = await store.syncs.entities(lease.connectorId, [parents.entity]);
  return found;
}

/** What belonged to a deleted parent is not to be found until the next full read, whoever has deleted it when. */
async function deleteOrphans(
  { store, lease, connector, entity, counts }: Reading,
  { parentLink }: EntityRead,
  { sync, ofParents }: { readonly sync: EntitySync; readonly ofParents: EntitySync | undefined },
): Promise<void> {
  if (ofParents === undefined || parentLink === undefined) return;
  if (ofParents.losses === sync.settledLosses) return;
  const { deleted } = await store.syncs.deleteOrphans(lease, {
    kind: connector.kind.kind,
    entity: entity.name,
    parent: ofParents.entity,
    link: parentLink,
    before: ofParents.lastReadAt,
    losses: ofParents.losses,
  });
  counts.deleted += deleted;
}

interface BegunLists {
  readonly read: EntityRead;
  readonly begun: BegunRead;
  readonly asOf: Date | null;
  readonly isFirstUrgent: boolean;
}

/** Reads the lists of an entity from where the read goes on, and returns the position at their end. */
async function readLists(
  reading: Reading,
  { read, begun, asOf, isFirstUrgent }: BegunLists,
): Promise<ReadPosition> {
  const { store, clock, notify, lease, connector, counts, turn, patience } = reading;
  const { kind } = connector.kind;
  const entity = reading.entity.name;
  const copy = { connectorId: lease.connectorId, kind, entity };
  const { mode, parents: selection, recordsOf } = read;
  const parents =
    selection &&
    new CopiedParents({
      copies: store.copies,
      copy,
      selection,
      recordsOf,
      asOf: mode === 'full' ? null : asOf,
    });
  const from = begun.position === null ? BEGINNING : parsePosition(begun.position);
  let position = from;
  let known = begun.drift;
  // The database's clock as it was last heard of. Since then as much has passed there as here, at least.
  let heard = { at: begun.resumedAt.getTime(), since: performance.now() };
  using pages = reading.largePages.of(connector.row);
  await commitInBatches({
    clock,
    signal: reading.signal,
    isFirstUrgent,
    open: (signal) =>
      walkLists({
        from,
        parents,
        read,
        pages,
        caller: CALLER,
        signal,
        turn,
        patience,
        databaseAt: () => new Date(heard.at + (performance.now() - heard.since)),
        tellTrouble: ({ code, message }) =>
          store.syncs.noteTrouble(lease, { entity, problem: { code, message } }),
      }),
    commit: async (batch) => {
      const { hasRefused, hasRead } = batch.position;
      // What only says where to begin anew is no page.
      const showsNothing = !hasRead && (hasRefused || batch.pages === 0);
      const drift = batch.drift && joinedDrift(known, batch.drift);
      const { drift: _, ...rest } = batch;
      const committed = await store.syncs.commitBatch(lease, {
        ...rest,
        entity,
        kind,
        showsNothing,
        ...(drift === undefined ? {} : { drift }),
      });
      known = drift ?? known;
      heard = { at: committed.committedAt.getTime(), since: performance.now() };
      position = batch.position;
      reading.observer?.onRecords(connector.row, entity, batch.records.length);
      counts.records += batch.records.length;
      counts.pages += batch.pages;
      counts.added += committed.added;
      counts.changed += committed.changed;
      counts.deleted += committed.deleted;
      notify(lease.connectorId);
    },
  });
  return position;
}

/** Both instants are by the database's clock. */
function isDoneBy(run: SyncRun, sync: EntitySync): boolean {
  const { lastReadAt, progress, state } = sync;
  return (
    state === 'idle' &&
    progress === null &&
    lastReadAt !== null &&
    run.startedAt !== null &&
    lastReadAt >= run.startedAt
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
  if (problem.code === 'credentials_rejected')
    throw new StoppedError('reauth_required', { why: problem.message });
  return { type: isForbidden ? 'forbidden' : 'failed', problem };
}

/** What is told of a failure: of our own only that it was one. */
function problemOf({ connector }: EntityWork, error: unknown): SyncProblem {
  const explained = explainConfigRequired(error, connector.row.id);
  if (isConnectorError(explained)) return { code: explained.code, message: explained.message };
  return { code: 'internal', message: 'Something went wrong on our side; the log says what.' };
}
