import type { Store } from '@patchbay/store';
import type { Logger } from '../log.ts';
import { newUuid } from '../uuid.ts';
import type { Revoker } from './revoker.ts';

interface SweepParts {
  readonly store: Pick<Store, 'revocations'>;
  readonly revoker: Pick<Revoker, 'attempt'>;
  readonly logger: Logger;
}

const SWEEP_EVERY_MS = 2_000;
/** So many are revoked side by side. */
const AT_ONCE = 8;
/** An attempt is a few requests, each of which is given up after 10 s. */
const LEASE_MS = 120_000;
/** What could not be revoked until then is erased all the same. */
export const REVOCATIONS_KEPT_MS = 24 * 3_600_000;

/** Revokes what is due. Any number of processes may do it. */
export function startRevocationSweep({ store, revoker, logger }: SweepParts): {
  stop(): Promise<void>;
} {
  const stopping = new AbortController();
  let sweep: Promise<void> | undefined;
  const revokeDue = async () => {
    const given = await store.revocations.expire(REVOCATIONS_KEPT_MS);
    if (given > 0)
      logger.warn(
        { credentials: given },
        'Credentials that could not be revoked upstream for a day are erased.',
      );
    const owner = newUuid(Date.now());
    const due = await store.revocations.take(owner, { limit: AT_ONCE, leaseMs: LEASE_MS });
    await Promise.all(due.map((each) => attempt(each)));
  };
  const attempt = async (revocation: Parameters<Revoker['attempt']>[0]) => {
    try {
      await revoker.attempt(revocation, stopping.signal);
    } catch (err) {
      const { connectorId: connector_id } = revocation;
      if (!stopping.signal.aborted)
        logger.warn({ err, connector_id }, 'Credentials could not be revoked yet.');
    }
  };
  const timer = setInterval(() => {
    sweep ??= revokeDue()
      .catch((err: unknown) =>
        logger.warn({ err }, 'What is to be revoked could not be looked up.'),
      )
      .finally(() => {
        sweep = undefined;
      });
  }, SWEEP_EVERY_MS);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      stopping.abort(new Error('The service goes down.'));
      await sweep;
    },
  };
}
