import { setImmediate } from 'node:timers/promises';
import type { Clock } from '@patchbay/connectors';
import type { Job, JobWorker, RunCause, Store, Syncs } from '@patchbay/store';
import type { Logger } from '../log.ts';
import type { Accounts } from '../operations/accounts.ts';
import type { LiveConnectors } from '../operations/live-connectors.ts';
import { newUuid } from '../uuid.ts';
import type { IsRevoked } from './connector-watch.ts';
import { ProgressListeners } from './progress-listeners.ts';
import { DEFAULT_REPLICATION, type ReplicationSettings } from './settings.ts';
import { StoppedError } from './stopped.ts';
import type { SyncObserver } from './sync-observer.ts';
import { ConnectorSync, type AskedSync } from './sync-connector.ts';
import { Turns } from './turns.ts';

interface ReplicationParts {
  readonly store: Pick<Store, 'syncs' | 'copies' | 'jobs'>;
  readonly live: LiveConnectors;
  readonly accounts: Pick<Accounts, 'learnSoon'>;
  readonly isRevoked: IsRevoked;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of this process, as the owner of leases. */
  readonly instanceId: string;
  /** Numbers from 0 to 1, for jitter. */
  readonly random?: () => number;
  readonly settings?: Partial<ReplicationSettings>;
  readonly observer?: SyncObserver | undefined;
}

/** Connectors that one look through the tables finds; where there are more, the next look is soon. */
const DUE_AT_ONCE = 100;
const SOON_MS = 1_000;
const UNCLEARED_AT_ONCE = 1_000;
const CLEARED_AT_ONCE = 1_000;
const CLEARERS = 1;
/** Hints are heeded within milliseconds, whatever there is to do. */
const HINTS_AT_ONCE = 10;

/** A connector that waits for its turn here, or has it. */
interface UnderWay {
  /** Aborting it ends the work at once. */
  readonly working: AbortController;
  readonly ended: Promise<void>;
}

/**
 * Replication of connectors into their copies. Every process may ask for syncs and watch those it
 * does itself; one that was started does them as well. Jobs only say that there may be something to
 * do, so what a lost one asked for is found in the tables a few seconds later.
 *
 * @see docs/decisions/2026-11-21-how-replication-holds-together.md
 */
export class Replication {
  readonly #parts: ReplicationParts;
  readonly #settings: ReplicationSettings;
  readonly #random: () => number;
  readonly #turns: Turns;
  readonly #sync: ConnectorSync;
  readonly #listeners = new ProgressListeners();
  readonly #underWay = new Map<string, UnderWay>();
  /** Of those, the ones that a job came for meanwhile. */
  readonly #askedAgain = new Set<string>();
  readonly #workers: JobWorker[] = [];
  #isStopping = false;
  #looking: Promise<void> | undefined;
  #cancelLook: (() => void) | undefined;

  constructor(parts: ReplicationParts) {
    const {
      store,
      live,
      accounts,
      isRevoked,
      clock,
      logger,
      instanceId,
      random = Math.random,
      observer,
    } = parts;
    this.#parts = parts;
    this.#random = random;
    this.#settings = { ...DEFAULT_REPLICATION, ...parts.settings };
    const { concurrency, turnMs } = this.#settings;
    this.#turns = new Turns({ clock, slots: concurrency, turnMs });
    this.#sync = new ConnectorSync({
      store,
      live,
      accounts,
      isRevoked,
      clock,
      logger,
      random,
      instanceId,
      turns: this.#turns,
      settings: this.#settings,
      observer,
      notify: (connectorId) => this.#listeners.notify(connectorId),
    });
  }

  /** Begins to do syncs, and to look for what is due. */
  async start(): Promise<void> {
    const { jobs } = this.#parts.store;
    const { pollMs } = this.#settings;
    this.#workers.push(
      await jobs.work('sync-connector', { concurrency: HINTS_AT_ONCE, pollMs }, ({ key }) =>
        this.#heed(key),
      ),
      await jobs.work('clear-connector', { concurrency: CLEARERS, pollMs }, (job) =>
        this.#clearConnector(job),
      ),
    );
    this.#lookAfter(0);
  }

  /**
   * Asks for a sync; one that is queued already serves both. Returns the id of the run, `undefined`
   * when the connector is gone.
   */
  async request(connectorId: string, cause: RunCause): Promise<string | undefined> {
    const runId = await this.#queueRun(connectorId, cause);
    if (runId !== undefined) await this.#tellOf(connectorId);
    return runId;
  }

  /** The same for a tenant, who may ask only so often; `waitMs` says when again. */
  async demand(connectorId: string, apartMs: number): ReturnType<Syncs['demandRun']> {
    const { store, clock } = this.#parts;
    const demanded = await store.syncs.demandRun(connectorId, {
      id: newUuid(clock.now()),
      apartMs,
    });
    if (demanded !== undefined && 'runId' in demanded) await this.#tellOf(connectorId);
    return demanded;
  }

  /**
   * Sees to it that the records of a connector go, which is deleted or of another account now, and that nobody
   * here goes on with it as it was.
   */
  async clear(connectorId: string, reason: 'deleted' | 'changed'): Promise<void> {
    this.#underWay.get(connectorId)?.working.abort(new StoppedError(reason));
    await this.#parts.store.jobs.send('clear-connector', connectorId);
  }

  /** Calls back whenever this process gets further with a connector; the result ends that. */
  onProgress(connectorId: string, listener: () => void): () => void {
    return this.#listeners.add(connectorId, listener);
  }

  /** Ends work under way at the next page, which whoever starts next goes on with. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#cancelLook?.();
    const underWay = [...this.#underWay.values()];
    for (const { working } of underWay) working.abort(new StoppedError('shutdown'));
    await Promise.all(this.#workers.map((worker) => worker.stop()));
    await Promise.all(underWay.map(({ ended }) => ended));
    await this.#looking;
  }

  #queueRun(connectorId: string, cause: RunCause): Promise<string | undefined> {
    const { store, clock } = this.#parts;
    return store.syncs.requestRun(connectorId, { id: newUuid(clock.now()), cause });
  }

  async #tellOf(connectorId: string): Promise<void> {
    await this.#parts.store.jobs.send('sync-connector', connectorId);
    this.#listeners.notify(connectorId);
  }

  async #heed(connectorId: string): Promise<void> {
    if (this.#underWay.has(connectorId)) {
      this.#askedAgain.add(connectorId);
      return;
    }
    const connector = await this.#parts.live.find(connectorId);
    if (connector === undefined) return;
    const { applicationId: application, kind } = connector.row;
    const asked = { connectorId, application, kind, isUrgent: true };
    if (this.#canBegin(asked)) this.#begin(asked);
  }

  /**
   * At most one piece of work on a connector is under way here, or it would take its own lease away.
   * What does not come to wait here is found in the tables again, until it does.
   */
  #canBegin(asked: AskedSync): boolean {
    return (
      !this.#isStopping && !this.#underWay.has(asked.connectorId) && this.#turns.hasRoom(asked)
    );
  }

  #begin(asked: AskedSync): void {
    const working = new AbortController();
    const ended = this.#work(asked, working.signal);
    this.#underWay.set(asked.connectorId, { working, ended });
  }

  /** Works on a connector until there is nothing to do. */
  async #work(asked: AskedSync, signal: AbortSignal): Promise<void> {
    const { connectorId } = asked;
    try {
      do {
        this.#askedAgain.delete(connectorId);
        await this.#sync.work(asked, signal);
      } while (this.#askedAgain.has(connectorId) && !signal.aborted);
    } catch (err) {
      await this.#breakOff(connectorId, err, signal);
    } finally {
      this.#askedAgain.delete(connectorId);
      this.#underWay.delete(connectorId);
    }
  }

  /** Leaves the connector alone for a while. */
  async #breakOff(connectorId: string, err: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { logger, clock } = this.#parts;
    const facts = { err, connector_id: connectorId };
    logger.error(facts, 'A sync broke off; it is gone on with in a while.');
    await new Promise<void>((resolve) => {
      const cancel = clock.after(this.#settings.lookEveryMs, resolve);
      const onAbort = () => {
        cancel();
        resolve();
      };
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  async #clearConnector({ key, signal }: Job): Promise<void> {
    const { logger, store, live } = this.#parts;
    try {
      const uncleared = await store.syncs.uncleared(UNCLEARED_AT_ONCE);
      const connector = uncleared.find(({ connectorId }) => connectorId === key);
      if (connector === undefined) return;
      // Between two transactions others have their turn.
      while (await store.syncs.clearSome(connector, CLEARED_AT_ONCE)) {
        if (signal.aborted) return;
        await setImmediate();
      }
      // Of another account now: it can be synced again, and has been waited for.
      if ((await live.find(key)) !== undefined) await this.#tellOf(key);
    } catch (err) {
      logger.error(
        { err, connector_id: key },
        'Clearing broke off; it is gone on with in a while.',
      );
      throw err;
    }
  }

  #lookAfter(ms: number): void {
    this.#cancelLook = this.#parts.clock.after(ms, () => {
      this.#looking = this.#lookAndGoOn();
    });
  }

  async #lookAndGoOn(): Promise<void> {
    const hasMore = await this.#look();
    if (this.#isStopping) return;
    const { lookEveryMs } = this.#settings;
    // Processes that started together shall not look together.
    this.#lookAfter((hasMore ? SOON_MS : lookEveryMs) * (0.75 + this.#random() / 2));
  }

  /**
   * Begins with what is due, or was left undone: by a crash, or because a job was lost. Returns
   * whether there may be more.
   */
  async #look(): Promise<boolean> {
    const { store, logger } = this.#parts;
    try {
      const due = await store.syncs.dueConnectors(DUE_AT_ONCE);
      let hasBegun = false;
      for (const { connectorId, applicationId, kind, isScheduled, isUrgent } of due) {
        const asked = { connectorId, application: applicationId, kind, isUrgent };
        if (!this.#canBegin(asked)) continue;
        if (isScheduled) await this.#queueRun(connectorId, 'schedule');
        if (!this.#canBegin(asked)) continue;
        this.#begin(asked);
        this.#listeners.notify(connectorId);
        hasBegun = true;
      }
      for (const { connectorId } of await store.syncs.uncleared(UNCLEARED_AT_ONCE))
        await store.jobs.send('clear-connector', connectorId);
      return hasBegun && due.length === DUE_AT_ONCE;
    } catch (err) {
      logger.warn({ err }, 'What syncs are due could not be looked up; trying again.');
      return false;
    }
  }
}
