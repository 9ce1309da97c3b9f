import type { Clock } from '@patchbay/connectors';
import { systemClock } from '@patchbay/connectors/engine';

/** The real clock, and a hand to turn it forward. */
export interface TestClock extends Clock {
  advance(ms: number): void;
}

export function makeTestClock(): TestClock {
  let offsetMs = 0;
  return {
    now: () => Date.now() + offsetMs,
    after: (ms, callback) => systemClock.after(ms, callback),
    advance: (ms) => {
      offsetMs += ms;
    },
  };
}
