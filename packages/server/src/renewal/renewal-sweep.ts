import type { Store } from '@patchbay/store';
import type { Logger } from '../log.ts';
import type { LiveConnectors } from '../operations/live-connectors.ts';

interface SweepParts {
  readonly store: Pick<Store, 'renewals'>;
  readonly live: Pick<LiveConnectors, 'renew'>;
  readonly logger: Logger;
}

const SWEEP_EVERY_MS = 2_000;
/** So many are renewed side by side. */
const AT_ONCE = 8;

/**
 * Renews what is due although nobody calls: a refresh token that is never used ends, too. Any number of
 * processes may do it.
 */
export function startRenewalSweep({ store, live, logger }: SweepParts): { stop(): Promise<void> } {
  let sweep: Promise<void> | undefined;
  const renewDue = async () => {
    const due = await store.renewals.due(AT_ONCE);
    await Promise.all(due.map((id) => live.renew(id)));
  };
  const timer = setInterval(() => {
    sweep ??= renewDue()
      .catch((err: unknown) =>
        logger.warn({ err }, 'What is to be renewed could not be looked up.'),
      )
      .finally(() => {
        sweep = undefined;
      });
  }, SWEEP_EVERY_MS);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await sweep;
    },
  };
}
