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
export class RevocationSweep {
  readonly #parts: SweepParts;
  readonly #timer: NodeJS.Timeout;
  readonly #stopping = new AbortController();
  /** The application of each attempt that is under way. */
  readonly #underWay = new Map<Promise<void>, string>();
  #look: Promise<void> | undefined;

  constructor(parts: SweepParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#lookOnce(() => this.#expire()), SWEEP_EVERY_MS).unref();
  }

  /** Waits for what is under way, which gives up where it can: its lease ends by itself. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort(new Error('The service goes down.'));
    await this.#look;
    await Promise.all(this.#underWay.keys());
  }

  #lookOnce(first: () => Promise<void> = () => Promise.resolve()): void {
    if (this.#stopping.signal.aborted) return;
    this.#look ??= first()
      .then(() => this.#takeDue())
      .catch((err: unknown) =>
        this.#parts.logger.warn({ err }, 'What is to be revoked could not be looked up.'),
      )
      .finally(() => {
        this.#look = undefined;
      });
  }

  async #expire(): Promise<void> {
    const { store, logger } = this.#parts;
    const { signal } = this.#stopping;
    const expire = (limit: number) => store.revocations.expire(REVOCATIONS_KEPT_MS, limit);
    const given = await inPieces(expire, { signal });
    if (given > 0)
      logger.warn(
        { credentials: given },
        'Credentials that could not be revoked upstream for a day are erased.',
      );
  }

  /** As many as there is room for. */
  async #takeDue(): Promise<void> {
    const limit = AT_ONCE - this.#underWay.size;
    if (limit === 0) return;
    const but = [...Map.groupBy(this.#underWay.values(), (application) => application)]
      .filter(([, { length }]) => length >= OF_APPLICATION)
      .map(([application]) => application);
    const owner = newUuid(Date.now());
    const ofApplication = OF_APPLICATION;
    const bounds = { limit, ofApplication, but, leaseMs: LEASE_MS };
    const due = await this.#parts.store.revocations.take(owner, bounds);
    for (const each of due) this.#begin(each);
  }

  #begin(revocation: Revocation): void {
    const attempted = this.#attempt(revocation).finally(() => {
      this.#underWay.delete(attempted);
      this.#lookOnce();
    });
    this.#underWay.set(attempted, revocation.applicationId);
  }

  async #attempt(revocation: Revocation): Promise<void> {
    const { revoker, logger } = this.#parts;
    const { signal } = this.#stopping;
    try {
      await revoker.attempt(revocation, signal);
    } catch (err) {
      const { connectorId: connector_id } = revocation;
      if (!signal.aborted)
        logger.warn({ err, connector_id }, 'Credentials could not be revoked yet.');
    }
  }
}
