import { performance } from 'node:perf_hooks';
import type { Store } from '@patchbay/store';

/** What part of a while the process was at work, from 0 to 1. */
export type ReadBusyness = () => number;

/** The process is looked at again after so long. */
export const LOOK_APART_MS = 50;
/** It has no time left above, and time for more below. */
const BUSY = 0.9;
const EASY = 0.7;
/** So much comes back in that time, where it has time for more. */
const STEP_BACK = 1 / 8;

/** So many statements of calls that wait for each of their connections are a crowd. */
const CROWD = 2;

/**
 * How much of what is allowed at once can be done at once. Calls that wait for upstreams cost next to
 * nothing; those that keep the event loop at work, or the database, make everybody wait for all of them. So
 * the share is 1 as long as there is time left; while there is none, the share halves with each look.
 */
export class Headroom {
  readonly #now: () => number;
  readonly #readBusyness: ReadBusyness;
  #share = 1;
  #lookedAt: number;

  /**
   * @param now Milliseconds by a clock that never goes back.
   * @param readBusyness Since it was asked last.
   */
  constructor(now: () => number, readBusyness: ReadBusyness = eventLoopBusyness()) {
    this.#now = now;
    this.#readBusyness = readBusyness;
    this.#lookedAt = now();
  }

  /** From 0, where the process has no time left, to 1. Whoever asks has it looked at, when it is time to. */
  share(): number {
    const now = this.#now();
    const passed = (now - this.#lookedAt) / LOOK_APART_MS;
    if (passed >= 1) {
      this.#lookedAt = now;
      this.#look(this.#readBusyness(), passed);
    }
    return this.#share;
  }

  #look(busyness: number, passed: number): void {
    if (busyness > BUSY) this.#share = this.#share < STEP_BACK ? 0 : this.#share / 2;
    else if (busyness < EASY) this.#share = Math.min(1, this.#share + STEP_BACK * passed);
  }
}

/** The process is as busy as its event loop, and wholly where statements of calls crowd before the database. */
export function processBusyness(store: Pick<Store, 'connectionUse'>): ReadBusyness {
  const eventLoop = eventLoopBusyness();
  return () => {
    const ofLoop = eventLoop();
    const { waiting, most } = store.connectionUse().calls;
    return waiting > CROWD * most ? 1 : ofLoop;
  };
}

function eventLoopBusyness(): ReadBusyness {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
