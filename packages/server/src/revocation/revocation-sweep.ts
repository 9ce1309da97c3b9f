import type { Revocation, Store } from '@patchbay/store';
import type { Logger } from '../log.ts';
import { inPieces } from '../in-pieces.ts';
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
/** So many of an application are begun at once, and none while as many are under way: its upstream may be one that hangs. */
const OF_APPLICATION = 2;
/** An attempt is a few requests, each of which is given up after 10 s. */
const LEASE_MS = 120_000;
/** What could not be revoked until then is erased all the same. */
export const REVOCATIONS_KEPT_MS = 24 * 3_600_000;

/** Revokes what is due, as long as there is something. Any number of processes may do it. */
export function startRevocationSweep({ store, revoker, logger }: SweepParts): {
  stop(): Promise<void>;
} {
  const stopping = new AbortController();
  /** The application of each that is under way. */
  const underWay = new Map<Promise<void>, string>();
  let looking: Promise<void> | undefined;

  const attempt = async (revocation: Revocation) => {
    try {
      await revoker.attempt(revocation, stopping.signal);
    } catch (err) {
      const { connectorId: connector_id } = revocation;
      if (!stopping.signal.aborted)
        logger.warn({ err, connector_id }, 'Credentials could not be revoked yet.');
    }
  };
  const begin = (revocation: Revocation) => {
    const attempted = attempt(revocation).finally(() => {
      underWay.delete(attempted);
      look();
    });
    underWay.set(attempted, revocation.applicationId);
  };
  const takeDue = async () => {
    const limit = AT_ONCE - underWay.size;
    if (limit === 0) return;
    const but = [...Map.groupBy(underWay.values(), (application) => application)]
      .filter(([, { length }]) => length >= OF_APPLICATION)
      .map(([application]) => application);
    const owner = newUuid(Date.now());
    const ofApplication = OF_APPLICATION;
    const bounds = { limit, ofApplication, but, leaseMs: LEASE_MS };
    const due = await store.revocations.take(owner, bounds);
    due.forEach(begin);
  };
  const expire = async () => {
    const given = await inPieces((limit) => store.revocations.expire(REVOCATIONS_KEPT_MS, limit), {
      signal: stopping.signal,
    });
    if (given > 0)
      logger.warn(
        { credentials: given },
        'Credentials that could not be revoked upstream for a day are erased.',
      );
  };
  const look = (first: () => Promise<void> = () => Promise.resolve()) => {
    if (stopping.signal.aborted) return;
    looking ??= first()
      .then(takeDue)
      .catch((err: unknown) =>
        logger.warn({ err }, 'What is to be revoked could not be looked up.'),
      )
      .finally(() => {
        looking = undefined;
      });
  };
  const timer = setInterval(() => look(expire), SWEEP_EVERY_MS);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      stopping.abort(new Error('The service goes down.'));
      await looking;
      await Promise.all(underWay.keys());
    },
  };
}
