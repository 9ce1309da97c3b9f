import { performance } from 'node:perf_hooks';
import type { Store } from '@patchbay/store';

/** What the process had to do for a while. */
export interface Load {
  /** What part of the while it was at work, from 0 to 1. */
  readonly busyness: number;
  /** How long a round of the event loop was at work, on average. */
  readonly roundMs: number;
}

/** The load since it was asked last. */
export type ReadLoad = () => Load;

/** The process is looked at again after so long. */
export const LOOK_APART_MS = 50;
/** It has no time left above, and time for more below. */
const BUSY = 0.9;
const EASY = 0.7;
/** So much comes back in that time, where it has time for more. */
const STEP_BACK = 1 / 8;

/**
 * A read of the embedded database takes many rounds, and waits for transactions of more: rounds above are too long for
 * whoever waits for one, and those below have time for more.
 */
export const LONG_ROUND_MS = 12;
const SHORT_ROUND_MS = 9;
/** From so many calls in a round on, their number is no matter. */
const MANY = 64;
/** It may be others' work that makes rounds long, such as that of copying; calls go on beside it. */
export const FEWEST_IN_ROUND = 2;
/** By so much their number rises with each look while the process is busy, and rounds are short. */
const RISE = 5 / 4;
/** What a call costs is not known before some have been answered: of many that come to an idle process, so many begin. */
const SOME = 8;

/** So many statements of calls that wait for each of their connections are a crowd. */
const CROWD = 2;

/**
 * How much of what is allowed at once can be done at once. Calls that wait for upstreams cost next to
 * nothing; those that keep the event loop at work, or the database, make everybody wait for all of them. So
 * the share is 1 as long as there is time left; while there is none, the share halves with each look.
 *
 * And how many calls may begin in one round of the event loop, so that rounds are short whatever a call costs.
 */
export class Headroom {
  readonly #now: () => number;
  readonly #readLoad: ReadLoad;
  #share = 1;
  #inRound = SOME;
  #lookedAt: number;

  /**
   * @param now Milliseconds by a clock that never goes back.
   */
  constructor(now: () => number, readLoad: ReadLoad = eventLoopLoad()) {
    this.#now = now;
    this.#readLoad = readLoad;
    this.#lookedAt = now();
  }

  /** From 0, where the process has no time left, to 1. Whoever asks has it looked at, when it is time to. */
  share(): number {
    this.#lookInTime();
    return this.#share;
  }

  /** How many calls may begin in one round of the event loop. Whoever asks has it looked at, too. */
  inRound(): number {
    this.#lookInTime();
    return this.#inRound < MANY ? this.#inRound : Infinity;
  }

  #lookInTime(): void {
    const now = this.#now();
    const passed = (now - this.#lookedAt) / LOOK_APART_MS;
    if (passed < 1) return;
    this.#lookedAt = now;
    this.#look(this.#readLoad(), passed);
  }

  #look({ busyness, roundMs }: Load, passed: number): void {
    if (busyness > BUSY) this.#share = this.#share < STEP_BACK ? 0 : this.#share / 2;
    else if (busyness < EASY) this.#share = Math.min(1, this.#share + STEP_BACK * passed);
    if (roundMs > LONG_ROUND_MS)
      this.#inRound = Math.max(
        FEWEST_IN_ROUND,
        Math.floor((this.#inRound * LONG_ROUND_MS) / roundMs),
      );
    else if (busyness < EASY) this.#inRound = SOME;
    else if (roundMs < SHORT_ROUND_MS)
      this.#inRound = Math.min(MANY, Math.ceil(this.#inRound * RISE ** passed));
  }
}

/** The process is as busy as its event loop, and wholly where statements of calls crowd before the database. */
export function processLoad(store: Pick<Store, 'connectionUse'>): ReadLoad {
  const eventLoop = eventLoopLoad();
  return () => {
    const ofLoop = eventLoop();
    const { waiting, most } = store.connectionUse().calls;
    return waiting > CROWD * most ? { ...ofLoop, busyness: 1 } : ofLoop;
  };
}

function eventLoopLoad(): ReadLoad {
  let last = performance.eventLoopUtilization();
  let lastRound = rounds();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization, active } = performance.eventLoopUtilization(now, last);
    const round = rounds();
    // The round in which it is asked is not over.
    const passed = Math.max(1, round - lastRound);
    last = now;
    lastRound = round;
    return { busyness: utilization, roundMs: active / passed };
  };
}

function rounds(): number {
  return performance.nodeTiming.uvMetricsInfo.loopCount;
}
