import type { Clock } from '@patchbay/connectors';
import { wait } from '@patchbay/connectors/engine';
import type { DueConnector, RunCause, Store, Syncs } from '@patchbay/store';
import type { TurnState } from '../admission/admission-observer.ts';
import type { Logger } from '../log.ts';
import type { Accounts } from '../operations/accounts.ts';
import type { LiveConnectors } from '../operations/live-connectors.ts';
import { newUuid } from '../uuid.ts';
import { Clearing } from './clearing.ts';
import type { IsRevoked } from './connector-watch.ts';
import { LargePages } from './large-pages.ts';
import { ProgressListeners } from './progress-listeners.ts';
import { DEFAULT_REPLICATION, type ReplicationSettings } from './settings.ts';
import { StoppedError } from './stopped.ts';
import type { SyncObserver } from './sync-observer.ts';
import { ConnectorSync } from './sync-connector.ts';
import { Turns } from './turns.ts';

interface ReplicationParts {
  readonly store: Pick<Store, 'syncs' | 'copies'>;
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

/** Connectors that one look finds; where there are more, the next look comes when slots are free. */
const DUE_AT_ONCE = 100;
const MISDATED_EVERY_MS = 3_600_000;
/** However short the interval, leases and waits of our own are shorter. */
const LEAST_MISDATED_MS = 300_000;
/** A connector whose work broke off is left alone for so many looks, and a database on which one failed, too. */
const LOOKS_LEFT_OUT = 5;

/** A connector that waits for its turn here, or has it. */
interface UnderWay {
  /** Aborting it ends the work at once. */
  readonly working: AbortController;
  readonly ended: Promise<void>;
}

/**
 * Replication of connectors into their copies. Every process may ask for syncs and watch those it
 * does itself; one that was started does them as well. What it is asked for itself it begins at once; what
 * others are asked for, and what is due, it finds in the queue a second later.
 *
 * @see docs/decisions/2026-11-23-one-queue.md
 * @see docs/decisions/2026-11-21-how-replication-holds-together.md
 */
export class Replication {
  readonly #parts: ReplicationParts;
  readonly #settings: ReplicationSettings;
  readonly #random: () => number;
  readonly #turns: Turns;
  readonly #largePages: LargePages;
  readonly #sync: ConnectorSync;
  readonly #listeners = new ProgressListeners();
  readonly #underWay = new Map<string, UnderWay>();
  /** Of those, the ones that were asked for meanwhile. */
  readonly #askedAgain = new Set<string>();
  readonly #clearing: Clearing;
  #isWorker = false;
  #isStopping = false;
  /** The last look found more than it could begin. */
  #hasMore = false;
  #looking: Promise<void> | undefined;
  #cancelLook: (() => void) | undefined;
  #cancelMisdated: (() => void) | undefined;
  readonly #stopping = new AbortController();
  #waking: Promise<void> | undefined;

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
    this.#largePages = new LargePages(this.#settings.largePages);
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
      largePages: this.#largePages,
      settings: this.#settings,
      observer,
      notify: (connectorId) => this.#listeners.notify(connectorId),
    });
    const { leaseTtlMs } = this.#settings;
    // Of another account now: it can be synced again, and has been waited for.
    const onCleared = (connectorId: string) => this.tellOf(connectorId);
    this.#clearing = new Clearing({ store, clock, logger, leaseTtlMs, onCleared });
  }

  /** From the end of a sync of a connector to the next one that the schedule asks for. */
  get intervalMs(): number {
    return this.#settings.intervalMs;
  }

  /** How many large pages have a turn, and how many wait for one. */
  largePages(): TurnState {
    return this.#largePages.state();
  }

  /** Begins to do syncs, and to look for what is due. */
  start(): void {
    this.#isWorker = true;
    this.#lookAfter(0);
    this.#waking = this.#wakeMisdated();
  }

  /**
   * Asks for a sync; one that is queued already serves both. Returns the id of the run, `undefined`
   * when the connector is gone.
   */
  async request(connectorId: string, cause: RunCause): Promise<string | undefined> {
    const runId = await this.#queueRun(connectorId, cause);
    if (runId !== undefined) await this.tellOf(connectorId);
    return runId;
  }

  /** The same for a tenant, who may ask only so often; `waitMs` says when again. */
  async demand(connectorId: string, apartMs: number): ReturnType<Syncs['demandRun']> {
    const { store, clock } = this.#parts;
    const demanded = await store.syncs.demandRun(connectorId, {
      id: newUuid(clock.now()),
      apartMs,
    });
    if (demanded !== undefined && 'runId' in demanded) await this.tellOf(connectorId);
    return demanded;
  }

  /** Begins soon with a run that is queued already. Where that fails here, the queue still has it. */
  async tellOf(connectorId: string): Promise<void> {
    try {
      if (this.#isWorker) await this.#beginIfRoom(connectorId);
    } catch (err) {
      const facts = { err, connector_id: connectorId };
      this.#parts.logger.warn(facts, 'A sync could not be begun at once; it will be found.');
    }
    this.#listeners.notify(connectorId);
  }

  /**
   * Sees to it that the records of a connector go, which is deleted or of another account now, and that nobody
   * here goes on with it as it was.
   */
  clear(connectorId: string, reason: 'deleted' | 'changed'): void {
    this.#underWay.get(connectorId)?.working.abort(new StoppedError(reason));
    if (this.#isWorker && !this.#isStopping) this.#clearing.begin();
  }

  /** Calls back whenever this process gets further with a connector; the result ends that. */
  onProgress(connectorId: string, listener: () => void): () => void {
    return this.#listeners.add(connectorId, listener);
  }

  /**
   * Now, and every hour: what a clock that was ahead has put off for as long as it was, nobody would look at; nor, for
   * as long, at what waits for the end of an interval that was longer.
   */
  async #wakeMisdated(): Promise<void> {
    const { store, logger, clock } = this.#parts;
    const { intervalMs } = this.#settings;
    try {
      const woken = await store.syncs.wakeMisdated({
        longestMs: Math.max(2 * intervalMs, LEAST_MISDATED_MS),
        dueInMs: () => Math.floor(this.#random() * intervalMs),
        signal: this.#stopping.signal,
      });
      if (woken > 0)
        logger.warn(
          { connectors: woken },
          'Syncs were due later than the interval allows: a clock was ahead, or the interval was longer. They are due within one now.',
        );
    } catch (err) {
      if (this.#isStopping) return;
      logger.warn({ err }, 'What a wrong clock has put off could not be looked up; trying again.');
    }
    if (this.#isStopping) return;
    this.#cancelMisdated = clock.after(MISDATED_EVERY_MS, () => {
      this.#waking = this.#wakeMisdated();
    });
  }

  /** Ends work under way at the next page, which whoever starts next goes on with. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#cancelLook?.();
    this.#cancelMisdated?.();
    this.#stopping.abort(new StoppedError('shutdown'));
    const underWay = [...this.#underWay.values()];
    for (const { working } of underWay) working.abort(new StoppedError('shutdown'));
    await Promise.all([this.#clearing.stop(), ...underWay.map(({ ended }) => ended)]);
    await Promise.all([this.#looking, this.#waking]);
  }

  #queueRun(connectorId: string, cause: RunCause): Promise<string | undefined> {
    const { store, clock } = this.#parts;
    return store.syncs.requestRun(connectorId, { id: newUuid(clock.now()), cause });
  }

  /** Begins at once, where there is room; the queue has it for whoever is free, too. */
  async #beginIfRoom(connectorId: string): Promise<void> {
    if (this.#underWay.has(connectorId)) {
      this.#askedAgain.add(connectorId);
      return;
    }
    const connector = await this.#parts.live.find(connectorId);
    if (connector === undefined) return;
    const { applicationId, kind } = connector.row;
    const asked = { connectorId, applicationId, kind, isUrgent: true };
    if (this.#canBegin(asked)) this.#begin(asked);
  }

  /**
   * At most one piece of work on a connector is under way here, or it would take its own lease away.
   * What does not come to wait here is found in the tables again, until it does.
   */
  #canBegin(asked: DueConnector): boolean {
    return (
      !this.#isStopping && !this.#underWay.has(asked.connectorId) && this.#turns.hasRoom(asked)
    );
  }

  #begin(asked: DueConnector): void {
    const working = new AbortController();
    const ended = this.#work(asked, working.signal);
    this.#underWay.set(asked.connectorId, { working, ended });
  }

  /** Works on a connector until there is nothing to do. */
  async #work(asked: DueConnector, signal: AbortSignal): Promise<void> {
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
      this.#lookSoon();
    }
  }

  /** Leaves the connector alone for a while. */
  async #breakOff(connectorId: string, err: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { logger, clock } = this.#parts;
    const facts = { err, connector_id: connectorId };
    logger.error(facts, 'A sync broke off; it is gone on with in a while.');
    // An abort ends the wait early, and is no failure here.
    await wait(clock, LOOKS_LEFT_OUT * this.#settings.lookEveryMs, signal).catch(() => undefined);
  }

  #lookAfter(ms: number): void {
    this.#cancelLook?.();
    this.#cancelLook = this.#parts.clock.after(ms, () => {
      this.#cancelLook = undefined;
      this.#looking = this.#lookAndGoOn();
    });
  }

  /** Does not wait for the next look where slots would be free until then; one that is under way sees to that. */
  #lookSoon(): void {
    if (this.#isStopping || this.#cancelLook === undefined || !this.#isIdle()) return;
    this.#lookAfter(0);
  }

  /** Whether slots are free, though the last look left something over. */
  #isIdle(): boolean {
    return this.#hasMore && this.#underWay.size < this.#settings.concurrency;
  }

  async #lookAndGoOn(): Promise<void> {
    const isDone = await this.#look();
    if (this.#isStopping) return;
    if (isDone) this.#clearing.begin();
    const looks = isDone ? 1 : LOOKS_LEFT_OUT;
    // Processes that started together shall not look together.
    const afterMs = looks * this.#settings.lookEveryMs * (0.75 + this.#random() / 2);
    this.#lookAfter(this.#isIdle() ? 0 : afterMs);
  }

  /** Begins with what is due, or was left undone by a process that is no more. Returns whether it could look. */
  async #look(): Promise<boolean> {
    const { store, logger } = this.#parts;
    this.#hasMore = false;
    try {
      const due = await store.syncs.dueConnectors(DUE_AT_ONCE, [...this.#underWay.keys()]);
      const begun = due.filter((connector) => this.#beginDue(connector));
      this.#hasMore = begun.length > 0 && due.length === DUE_AT_ONCE;
      return true;
    } catch (err) {
      logger.warn({ err }, 'What syncs are due could not be looked up; trying again.');
      return false;
    }
  }

  #beginDue(due: DueConnector): boolean {
    if (!this.#canBegin(due)) return false;
    this.#begin(due);
    this.#listeners.notify(due.connectorId);
    return true;
  }
}
