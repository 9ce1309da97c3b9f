import type { Clock, Warning } from '@patchbay/connectors';
import type { InstanceFacts, Store } from '@patchbay/store';
import type { Logger } from './log.ts';

const BEAT_EVERY_MS = 5_000;
/** Tokens of processes that differ by more than five minutes are refused; somebody is to know well before. */
const CLOCKS_DIFFER_MS = 60_000;

export interface HeartbeatParts {
  readonly store: Pick<Store, 'instances'>;
  readonly instanceId: string;
  /** What others know of it. */
  readonly facts: InstanceFacts;
  /** Called after each report; never rejects. What the database did not take before it may take now. */
  readonly onBeat: () => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Reports this process alive, so that others know which writes are lost, whether anybody copies, and who has which
 * master keys. Each report is a write, and brings the database's time: what is wrong with either is a warning.
 */
export class Heartbeat {
  readonly #parts: HeartbeatParts;
  #timer: NodeJS.Timeout | undefined;
  /** Those under way; none rejects. */
  readonly #beats = new Set<Promise<void>>();
  #lastBeatFailed = false;
  /** How far this process's clock is ahead of the database's; negative if behind. */
  #aheadMs = 0;

  constructor(parts: HeartbeatParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    await this.#beat();
    this.#timer = setInterval(() => {
      const beat = this.#beat()
        .catch((err: unknown) => {
          this.#lastBeatFailed = true;
          this.#parts.logger.warn({ err }, 'This process could not report itself alive.');
        })
        .finally(() => this.#beats.delete(beat));
      this.#beats.add(beat);
    }, BEAT_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    const { store, instanceId, logger } = this.#parts;
    clearInterval(this.#timer);
    // One that came after the removal would make this process look alive.
    await Promise.all(this.#beats);
    try {
      await store.instances.remove(instanceId);
    } catch (err) {
      logger.warn({ err }, 'This process could not sign off; others notice within seconds.');
    }
  }

  /** What an operator is to mend, though the process goes on. */
  warnings(): readonly Warning[] {
    return [
      ...(this.#lastBeatFailed ? [NO_WRITES] : []),
      ...(isTooFar(this.#aheadMs) ? [clockWarning(this.#aheadMs)] : []),
    ];
  }

  async #beat(): Promise<void> {
    const { store, instanceId, facts, onBeat, clock, logger } = this.#parts;
    const askedAt = clock.now();
    const databaseNow = (await store.instances.beat(instanceId, facts)).getTime();
    this.#lastBeatFailed = false;
    const aheadMs = offsetFrom(databaseNow, askedAt, clock.now());
    if (isTooFar(aheadMs) && !isTooFar(this.#aheadMs))
      logger.warn({ ahead_ms: aheadMs }, clockWarning(aheadMs).message);
    this.#aheadMs = aheadMs;
    // Neither the next report nor a farewell waits for it.
    void onBeat();
  }
}

/** How far the time from `from` to `to` lies after an instant, in milliseconds; negative if before, 0 if it contains it. */
function offsetFrom(instant: number, from: number, to: number): number {
  if (instant < from) return from - instant;
  return instant > to ? to - instant : 0;
}

function isTooFar(aheadMs: number): boolean {
  return Math.abs(aheadMs) > CLOCKS_DIFFER_MS;
}

const NO_WRITES: Warning = {
  code: 'no_writes',
  message:
    'The database took no write when this process last tried; the log says why. Reads and searches may go on.',
};

function clockWarning(aheadMs: number): Warning {
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  return {
    code: 'clock_differs',
    message: `The clock of this process is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the clock of the database: one of them is wrong. Beyond 300 s, tokens of other processes are refused.`,
  };
}
