import type { Clock } from '@patchbay/connectors';
import { systemClock } from '@patchbay/connectors/engine';

/** The real clock, and hands to turn it. */
export interface TestClock extends Clock {
  /** Time passes. */
  advance(ms: number): void;
  /** Somebody sets the clock, forward or back; no time passes. */
  set(ms: number): void;
}

export function makeTestClock(): TestClock {
  let offsetMs = 0;
  let setMs = 0;
  return {
    now: () => Date.now() + offsetMs + setMs,
    monotonic: () => performance.now() + offsetMs,
    after: (ms, callback) => systemClock.after(ms, callback),
    advance: (ms) => {
      offsetMs += ms;
    },
    set: (ms) => {
      setMs += ms;
    },
  };
}
