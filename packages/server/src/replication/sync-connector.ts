import type { Entity } from '@patchbay/connectors';
import {
  isStoreError,
  type Lease,
  type Store,
  type SyncProblem,
  type SyncRun,
} from '@patchbay/store';
import { BoundedCache } from '../bounded-cache.ts';
import { copiedEntities } from '../operations/freshness.ts';
import type { LiveConnectors } from '../operations/live-connectors.ts';
import { ConnectorWatch, reasonToStop, type IsRevoked } from './connector-watch.ts';
import { workInOrder } from './in-order.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import {
  failWithout,
  readEntity,
  type EntityOutcome,
  type EntityWork,
  type ReadParts,
} from './read-entity.ts';
import { retryInMs } from './settings.ts';
import { StoppedError, type StopReason } from './stopped.ts';

interface SyncParts extends ReadParts {
  readonly store: Pick<Store, 'syncs' | 'copies'>;
  readonly live: LiveConnectors;
  readonly isRevoked: IsRevoked;
  /** Of this process, as the owner of leases. */
  readonly instanceId: string;
}

/** Entities of one connector that are read at once; they share its budget of calls anyway. */
const ENTITIES_AT_ONCE = 3;
const MAX_REMEMBERED = 10_000;

/** How a run ends; `undefined` where it is left to whoever goes on with it. */
type RunEnd = Omit<Parameters<Store['syncs']['finishRun']>[1], 'runId'> | undefined;

/** Works on the runs of connectors, one process at a time on each. */
export class ConnectorSync {
  readonly #parts: SyncParts;
  /** Failed runs in a row, as far as this process knows. */
  readonly #failures = new BoundedCache<string, number>(MAX_REMEMBERED);

  constructor(parts: SyncParts) {
    this.#parts = parts;
  }

  /**
   * Does the runs of a connector that are asked for, first one that a crash left behind. Nothing
   * happens where another process is at it.
   *
   * @throws what the database threw; the runs are gone on with later.
   */
  async work(connectorId: string, signal: AbortSignal): Promise<void> {
    const { store, clock, logger, settings, instanceId } = this.#parts;
    const { syncs } = store;
    await using keeper = await LeaseKeeper.take(
      { syncs, clock, logger, ttlMs: settings.leaseTtlMs },
      connectorId,
      instanceId,
    );
    if (keeper === undefined) return;
    try {
      await this.#runAll(keeper.lease, AbortSignal.any([signal, keeper.signal]));
    } catch (error) {
      // The connector has been deleted, or another process has taken it over.
      if (!isStoreError(error, 'lease_lost')) throw error;
    }
  }

  async #runAll(lease: Lease, signal: AbortSignal): Promise<void> {
    const { syncs } = this.#parts.store;
    while (!signal.aborted) {
      const run = await syncs.startRun(lease);
      if (run === undefined || !(await this.#run(lease, run, signal))) return;
    }
  }

  /** Does one run; returns whether there may be more to do. */
  async #run(lease: Lease, run: SyncRun, signal: AbortSignal): Promise<boolean> {
    const { store, live, logger, clock, notify } = this.#parts;
    const { connectorId } = lease;
    const startedAt = clock.now();
    const connector = await live.findNewest(connectorId);
    if (connector === undefined) return false;
    notify(connectorId);
    const reason = reasonToStop(connector, connector);
    const end =
      reason === undefined ? await this.#readAll({ lease, run, connector, signal }) : endOf(reason);
    logger.info(
      {
        connector_id: connectorId,
        kind: connector.kind.kind,
        run_id: run.id,
        cause: run.cause,
        state: end?.state ?? 'interrupted',
        duration_ms: Math.round(clock.now() - startedAt),
      },
      'sync',
    );
    if (end === undefined) return false;
    await store.syncs.finishRun(lease, { runId: run.id, ...end });
    notify(connectorId);
    return true;
  }

  async #readAll(work: Omit<EntityWork, 'entity'>): Promise<RunEnd> {
    const { live } = this.#parts;
    const { connector, signal } = work;
    using watch = new ConnectorWatch(this.#parts, connector);
    const reading = AbortSignal.any([signal, watch.signal]);
    try {
      const outcomes = await this.#readEntities({ ...work, signal: reading }, watch);
      const hasFailed = outcomes.some(({ type }) => type === 'failed');
      await live.moveTo(hasFailed ? 'degraded' : 'active', connector, {
        from: hasFailed ? ['pending', 'active'] : ['pending', 'degraded'],
      });
      return this.#endAfter(connector.row.id, hasFailed);
    } catch (error) {
      // Of all the errors that end has brought about, the first one was the reason.
      const first: unknown = reading.aborted ? reading.reason : error;
      if (isStoreError(first, 'lease_lost')) return endOf('lease_lost');
      if (!(first instanceof StoppedError)) throw first;
      if (first.reason === 'reauth_required') await live.moveTo('reauth_required', connector);
      return endOf(first.reason);
    }
  }

  /** @throws the reason of `watch`, which any failure that is not an entity's own ends. */
  async #readEntities(
    work: Omit<EntityWork, 'entity'>,
    watch: ConnectorWatch,
  ): Promise<readonly EntityOutcome[]> {
    const { kind } = work.connector;
    const outcomes = new Map<string, EntityOutcome>();
    const names = copiedEntities(kind);
    await workInOrder({
      names,
      needs: (name) => parentsOf(kind.entities[name]),
      concurrency: ENTITIES_AT_ONCE,
      work: async (name) => {
        const entity = kind.entities[name];
        if (entity === undefined) throw new Error(`${kind.kind} has no ${name}`);
        try {
          outcomes.set(name, await this.#readAfterParents({ ...work, entity }, outcomes));
        } catch (error) {
          watch.end(error);
          throw error;
        }
      },
    });
    return [...outcomes.values()];
  }

  async #readAfterParents(
    work: EntityWork,
    outcomes: ReadonlyMap<string, EntityOutcome>,
  ): Promise<EntityOutcome> {
    work.signal.throwIfAborted();
    for (const name of parentsOf(work.entity)) {
      const problem = problemOf(outcomes.get(name));
      if (problem !== undefined && !(await this.#hasWholeCopy(work.lease, name)))
        return failWithout(this.#parts, work, { name, problem });
    }
    const hasLostParents = parentsOf(work.entity).some((name) => hasDeleted(outcomes.get(name)));
    return readEntity(this.#parts, { ...work, hasLostParents });
  }

  /** An older copy is as good as a new one to find the lists that are read. */
  async #hasWholeCopy({ connectorId }: Lease, entity: string): Promise<boolean> {
    const [sync] = await this.#parts.store.syncs.entities(connectorId, [entity]);
    return sync?.isComplete === true;
  }

  #endAfter(connectorId: string, hasFailed: boolean): RunEnd {
    const { settings } = this.#parts;
    if (!hasFailed) {
      this.#failures.delete(connectorId);
      return { state: 'succeeded', nextInMs: settings.intervalMs };
    }
    const failures = (this.#failures.get(connectorId) ?? 0) + 1;
    this.#failures.set(connectorId, failures);
    return { state: 'failed', nextInMs: retryInMs(settings, failures) };
  }
}

/**
 * How a run ends that was stopped; `undefined` where it is left to whoever goes on with it. What waits
 * for a person is due at once when that person has acted, and not before.
 */
function endOf(reason: StopReason): RunEnd {
  switch (reason) {
    case 'shutdown':
    case 'lease_lost':
    case 'deleted':
      return undefined;
    case 'revoked':
      return { state: 'cancelled', nextInMs: null };
    case 'paused':
    case 'changed':
      return { state: 'cancelled', nextInMs: 0 };
    case 'reauth_required':
      return { state: 'failed', nextInMs: 0 };
  }
}

function hasDeleted(outcome: EntityOutcome | undefined): boolean {
  return outcome?.type === 'read' && outcome.hasDeleted;
}

function problemOf(outcome: EntityOutcome | undefined): SyncProblem | undefined {
  return outcome === undefined || outcome.type === 'read' ? undefined : outcome.problem;
}

/** The entities whose copies say which lists of an entity there are. */
function parentsOf(entity: Entity | undefined): readonly string[] {
  const { parents, increment } = entity?.replicate ?? {};
  const ofIncrement = typeof increment === 'object' ? increment.parents : undefined;
  return [...new Set([parents, ofIncrement].flatMap((each) => each?.entity ?? []))];
}
