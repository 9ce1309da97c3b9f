import type { Clock } from '@patchbay/connectors';
import { systemClock } from '@patchbay/connectors/engine';

/** A clock that runs faster, so that tests need not wait as long as the service does. */
export function makeHurriedClock(factor: number): Clock {
  const startedAt = systemClock.now();
  return {
    now: () => startedAt + (systemClock.now() - startedAt) * factor,
    monotonic: () => systemClock.monotonic() * factor,
    after: (ms, callback) => systemClock.after(ms / factor, callback),
  };
}
