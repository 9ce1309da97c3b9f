import type { Entity } from '@patchbay/connectors';
import {
  isStoreError,
  type ConnectorRow,
  type DueConnector,
  type Lease,
  type RunProblem,
  type Store,
  type SyncProblem,
  type SyncRun,
} from '@patchbay/store';
import { BoundedCache } from '../bounded-cache.ts';
import { newUuid } from '../uuid.ts';
import type { Accounts } from '../operations/accounts.ts';
import { copiedEntities } from '../operations/freshness.ts';
import type { LiveConnector } from '../operations/live-connector.ts';
import type { LiveConnectors } from '../operations/live-connectors.ts';
import { reauthRequired } from '../operations/reauth-required.ts';
import { ConnectorWatch, reasonToStop, type IsRevoked } from './connector-watch.ts';
import { workInOrder } from './in-order.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import { Patience } from './patience.ts';
import {
  failWithout,
  readEntity,
  type EntityOutcome,
  type EntityWork,
  type ReadParts,
} from './read-entity.ts';
import { aboutMs, retryInMs } from './settings.ts';
import { isTurnOver, StoppedError, type StopReason } from './stopped.ts';
import type { Turn, Turns } from './turns.ts';

interface SyncParts extends ReadParts {
  readonly store: Pick<Store, 'syncs' | 'copies'>;
  readonly live: LiveConnectors;
  readonly accounts: Pick<Accounts, 'learnSoon'>;
  readonly isRevoked: IsRevoked;
  readonly turns: Turns;
  /** Of this process, as the owner of leases. */
  readonly instanceId: string;
}

/** Patience with the upstream, by entity: kept over all the turns of a run. */
type PatienceOf = (run: SyncRun, entity: string) => Patience;

/** What the runs of a turn have in common. */
interface TurnWork {
  readonly lease: Lease;
  readonly turn: Turn;
  readonly patienceOf: PatienceOf;
  readonly signal: AbortSignal;
}

/** A run, before its entities. */
type RunWork = Omit<EntityWork, 'entity' | 'patience'> & Pick<TurnWork, 'patienceOf'>;

/** Entities of one connector that are read at once; they share its budget of calls anyway. */
const ENTITIES_AT_ONCE = 3;
const MAX_REMEMBERED = 10_000;

/** What became of each entity. */
type Outcomes = ReadonlyMap<string, EntityOutcome>;

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
   * Does the runs of a connector that are asked for, first one that a crash left behind, in as many
   * turns as it takes. Nothing happens where another process is at it.
   *
   * @throws what the database threw, and the signal's reason before a turn; the runs are gone on with
   * later.
   */
  async work(asked: DueConnector, signal: AbortSignal): Promise<void> {
    const patienceOf = this.#keepPatience();
    let { isUrgent } = asked;
    for (;;) {
      using turn = await this.#parts.turns.take(asked, { isUrgent, signal });
      await this.#workFor(turn, { connectorId: asked.connectorId, patienceOf, signal });
      if (!turn.isOver || signal.aborted) return;
      // What has been waited for has begun.
      isUrgent = false;
    }
  }

  #keepPatience(): PatienceOf {
    const kept = new Map<string, Patience>();
    return ({ id }, entity) => {
      const key = `${id} ${entity}`;
      const patience = kept.get(key) ?? new Patience(this.#parts);
      kept.set(key, patience);
      return patience;
    };
  }

  async #workFor(
    turn: Turn,
    work: Pick<TurnWork, 'patienceOf' | 'signal'> & { readonly connectorId: string },
  ): Promise<void> {
    const { store, clock, logger, settings, instanceId } = this.#parts;
    const { syncs } = store;
    // It may have waited here for long, and another process been at it.
    if (!(await syncs.isDue(work.connectorId))) return;
    await using keeper = await LeaseKeeper.take(
      { syncs, clock, logger, ttlMs: settings.leaseTtlMs },
      work.connectorId,
      instanceId,
    );
    if (keeper === undefined) return;
    const { patienceOf } = work;
    const signal = AbortSignal.any([work.signal, keeper.signal]);
    try {
      await this.#runAll({ lease: keeper.lease, turn, patienceOf, signal });
    } catch (error) {
      // The connector has been deleted, or another process has taken it over.
      if (!isStoreError(error, 'lease_lost')) throw error;
    }
  }

  async #runAll(work: TurnWork): Promise<void> {
    const { clock, store } = this.#parts;
    const { syncs } = store;
    // What falls due meanwhile has its own turn.
    let scheduled: { readonly id: string } | undefined = { id: newUuid(clock.now()) };
    while (!work.signal.aborted) {
      const run = await syncs.startRun(work.lease, scheduled);
      if (run === undefined || !(await this.#run(work, run))) return;
      scheduled = undefined;
    }
  }

  /** Does one run; returns whether there may be more to do. */
  async #run(work: TurnWork, run: SyncRun): Promise<boolean> {
    const { store, live, logger, clock, notify, observer } = this.#parts;
    const { lease } = work;
    const { connectorId } = lease;
    const startedAt = clock.monotonic();
    const connector = await live.findNewest(connectorId);
    if (connector === undefined) return false;
    notify(connectorId);
    const reason = reasonToStop(connector, connector);
    // Before anything is copied with them, or soon after.
    if (reason === undefined) this.#parts.accounts.learnSoon(connector);
    const end =
      reason === undefined
        ? await this.#readAll({ ...work, run, connector })
        : endOf(reason, connector);
    const kind = connector.kind.kind;
    const state = end?.state ?? 'interrupted';
    const durationMs = clock.monotonic() - startedAt;
    observer?.onRun(connector.row, state, durationMs);
    logger.info(
      {
        connector_id: connectorId,
        kind,
        run_id: run.id,
        cause: run.cause,
        state,
        duration_ms: Math.round(durationMs),
      },
      'sync',
    );
    if (end === undefined) return false;
    await store.syncs.finishRun(lease, { runId: run.id, ...end });
    notify(connectorId);
    return true;
  }

  async #readAll(work: RunWork): Promise<RunEnd> {
    const { live } = this.#parts;
    const { connector, signal, turn } = work;
    using watch = new ConnectorWatch({ ...this.#parts, turn }, connector);
    const reading = AbortSignal.any([signal, watch.signal]);
    try {
      const outcomes = await this.#readEntities({ ...work, signal: reading }, watch);
      const problem = failureAmong(outcomes);
      const hasFailed = problem !== undefined;
      await live.moveTo(hasFailed ? 'degraded' : 'active', connector, {
        from: hasFailed ? ['pending', 'active'] : ['pending', 'degraded'],
      });
      return this.#endAfter(connector.row.id, problem);
    } catch (error) {
      // Of all the errors that end has brought about, the first one was the reason.
      const first: unknown = reading.aborted ? reading.reason : error;
      if (isStoreError(first, 'lease_lost')) return endOf('lease_lost', connector);
      if (!(first instanceof StoppedError)) throw first;
      if (first.reason === 'reauth_required')
        await live.moveTo('reauth_required', connector, because(first.why));
      return endOf(first.reason, connector);
    }
  }

  /**
   * @throws the reason of `watch`, which any failure that is not an entity's own ends; or `turn_over`,
   * which every entity finds at its next page.
   */
  async #readEntities(work: RunWork, watch: ConnectorWatch): Promise<Outcomes> {
    const { connector, turn, signal } = work;
    const { kind } = connector;
    const outcomes = new Map<string, EntityOutcome>();
    const names = copiedEntities(kind);
    await workInOrder({
      names,
      needs: (name) => parentsOf(kind.entities[name]),
      concurrency: ENTITIES_AT_ONCE,
      work: async (name) => {
        const entity = kind.entities[name];
        if (entity === undefined) throw new Error(`${kind.kind} has no ${name}`);
        const patience = work.patienceOf(work.run, name);
        const read = () => this.#readAfterParents({ ...work, entity, patience }, outcomes);
        try {
          outcomes.set(name, await turn.during(read, signal));
        } catch (error) {
          if (!isTurnOver(error)) watch.end(error);
          throw error;
        }
      },
    });
    return outcomes;
  }

  async #readAfterParents(work: EntityWork, outcomes: Outcomes): Promise<EntityOutcome> {
    work.signal.throwIfAborted();
    for (const name of parentsOf(work.entity)) {
      const problem = problemOf(outcomes.get(name));
      if (problem !== undefined && !(await this.#hasWholeCopy(work.lease, name)))
        return failWithout(this.#parts, work, { name, problem });
    }
    return readEntity(this.#parts, work);
  }

  /** An older copy is as good as a new one to find the lists that are read. */
  async #hasWholeCopy({ connectorId }: Lease, entity: string): Promise<boolean> {
    const [sync] = await this.#parts.store.syncs.entities(connectorId, [entity]);
    return sync?.isComplete === true;
  }

  #endAfter(connectorId: string, problem: RunProblem | undefined): RunEnd {
    const { settings, random } = this.#parts;
    if (problem === undefined) {
      this.#failures.delete(connectorId);
      return { state: 'succeeded', nextInMs: aboutMs(settings.intervalMs, random) };
    }
    const failures = (this.#failures.get(connectorId) ?? 0) + 1;
    this.#failures.set(connectorId, failures);
    const nextInMs = aboutMs(retryInMs(settings, failures), random);
    return { state: 'failed', nextInMs, problem };
  }
}

/**
 * How a run ends that was stopped; `undefined` where it is left to whoever goes on with it. What waits
 * for a person is due at once when that person has acted, and not before.
 */
function endOf(reason: StopReason, { row }: LiveConnector): RunEnd {
  switch (reason) {
    case 'shutdown':
    case 'turn_over':
    case 'lease_lost':
    case 'deleted':
      return undefined;
    case 'revoked':
      return { state: 'cancelled', nextInMs: null };
    case 'paused':
    case 'changed':
      return { state: 'cancelled', nextInMs: 0 };
    case 'reauth_required':
      return { state: 'failed', nextInMs: 0, problem: reauthProblem(row) };
  }
}

function because(reason: string | undefined): { readonly reason?: string } {
  return reason === undefined ? {} : { reason };
}

function reauthProblem(row: ConnectorRow): RunProblem {
  const { code, message } = reauthRequired(row);
  return { code, message, entity: null };
}

/** Why a run has failed: of several entities, the one that failed first tells. */
function failureAmong(outcomes: Outcomes): RunProblem | undefined {
  for (const [entity, outcome] of outcomes)
    if (outcome.type === 'failed') return { ...outcome.problem, entity };
  return undefined;
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
