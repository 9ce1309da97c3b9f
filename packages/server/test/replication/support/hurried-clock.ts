import type { Clock } from '@patchbay/connectors';
import { systemClock } from '@patchbay/connectors/engine';

/** A clock that runs faster, so that tests need not wait as long as the service does. */
export interface HurriedClock extends Clock {
  /** It is that much later, though nobody has waited for it. */
  advance(ms: number): void;
}

export function makeHurriedClock(factor: number): HurriedClock {
  const startedAt = systemClock.now();
  let aheadMs = 0;
  return {
    now: () => startedAt + (systemClock.now() - startedAt) * factor + aheadMs,
    monotonic: () => systemClock.monotonic() * factor,
    after: (ms, callback) => systemClock.after(ms / factor, callback),
    advance: (ms) => {
      aheadMs += ms;
    },
  };
}
