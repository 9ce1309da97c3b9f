import type { Clock } from '@patchbay/connectors';
import type { UpstreamObserver } from '@patchbay/connectors/engine';
import type { Store } from '@patchbay/store';
import type { Logger } from '../log.ts';
import type { ObservedConnector, ObservedUpstream } from '../observed-connector.ts';
import type { CountedCall, ServiceListener } from '../service-observer.ts';
import { Tallies, type Tally } from './tallies.ts';

export interface StatRecorderParts {
  readonly store: Pick<Store, 'stats'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The routes whose requests are calls of connectors, as far as they get. */
  readonly callRoutes: ReadonlySet<string>;
  /** How often what was counted is stored. */
  readonly everyMs: number;
}

/** Of all that happens in the service. No id that is made is that. */
export const WHOLE_SERVICE = '00000000-0000-0000-0000-000000000000';
export const STORE_STATS_EVERY_MS = 10_000;

/** Minutes and subjects that wait to be stored: some MB. */
const MOST_WAITING = 20_000;
const ROWS_A_STATEMENT = 1_000;

/** Whose counts something belongs to. */
type Subject = Partial<Pick<ObservedConnector, 'id' | 'applicationId'>>;

/**
 * Counts what this process does, in memory, and adds it to what the database has every few seconds. No call
 * waits for that, or fails with it: what cannot be stored is tried again with what comes next.
 *
 * @see docs/wire.md#stats
 */
export class StatRecorder implements ServiceListener {
  readonly #parts: StatRecorderParts;
  readonly #tallies = new Tallies(MOST_WAITING);
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<void> | undefined;

  constructor(parts: StatRecorderParts) {
    this.#parts = parts;
  }

  /** Stores now and then from here on. */
  start(): void {
    this.#timer = setInterval(() => void this.store(), this.#parts.everyMs);
    this.#timer.unref();
  }

  onCall({ route, durationMs, applicationId, log }: CountedCall): void {
    if (applicationId === undefined || route === undefined) return;
    // Only of a connector within reach is the kind known.
    const isOfConnector = log.kind !== undefined;
    if (!isOfConnector && !this.#parts.callRoutes.has(route)) return;
    const id = isOfConnector ? log.connectorId : undefined;
    const isError = log.code !== 'ok';
    this.#count({ applicationId, ...(id === undefined ? {} : { id }) }, (tally) =>
      tally.countCall(durationMs, isError),
    );
  }

  upstreamOf(connector: ObservedUpstream): UpstreamObserver {
    return {
      onAttempt: () => {
        this.#count(connector, (tally) => {
          tally.upstreamRequests += 1;
        });
      },
      onBudgetWait: ({ durationMs }) => {
        this.#count(connector, (tally) => {
          tally.upstreamWaitMs += durationMs;
        });
      },
    };
  }

  onRecords(connector: ObservedConnector, _entity: string, records: number): void {
    if (records === 0) return;
    this.#count(connector, (tally) => {
      tally.records += records;
    });
  }

  /** Adds what was counted so far to what the database has; at the same time only once. Never rejects. */
  store(): Promise<void> {
    this.#storing ??= this.#storeAll().finally(() => {
      this.#storing = undefined;
    });
    return this.#storing;
  }

  /** Stores what is left. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#storing;
    await this.store();
  }

  async #storeAll(): Promise<void> {
    const { store, logger } = this.#parts;
    const lost = this.#tallies.takeLost();
    if (lost > 0) logger.warn({ lost }, 'More happened than could be counted; the stats lack it.');
    for (;;) {
      const taken = this.#tallies.take(ROWS_A_STATEMENT);
      if (taken.length === 0) return;
      try {
        await store.stats.add(taken.map((each) => each.row()));
      } catch (err) {
        this.#tallies.giveBack(taken);
        logger.warn({ err }, 'What was counted could not be stored; it is tried again.');
        return;
      }
    }
  }

  #count({ applicationId, id }: Subject, count: (tally: Tally) => void): void {
    const now = this.#parts.clock.now();
    for (const subjectId of [WHOLE_SERVICE, applicationId, id]) {
      const tally = subjectId === undefined ? undefined : this.#tallies.of(subjectId, now);
      if (tally !== undefined) count(tally);
    }
  }
}
