import type { Clock } from '@patchbay/connectors';
import { isStoreError, type Lease, type Syncs } from '@patchbay/store';
import type { Logger } from '../log.ts';
import { StoppedError } from './stopped.ts';

interface LeaseKeeperParts {
  readonly syncs: Pick<Syncs, 'takeLease' | 'renewLease' | 'releaseLease'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly ttlMs: number;
}

/**
 * Keeps the lease of one connector for as long as it is worked on. When it is lost, or may be,
 * `signal` aborts with a StoppedError; what is written after that is refused anyway.
 */
export class LeaseKeeper implements AsyncDisposable {
  readonly lease: Lease;
  readonly #parts: LeaseKeeperParts;
  readonly #losing = new AbortController();
  #keptUntil: number;
  #hasEnded = false;
  #cancelRenewal: () => void = () => undefined;
  #renewing: Promise<void> | undefined;

  /** Takes the lease of a connector; `undefined` where another process has it. */
  static async take(
    parts: LeaseKeeperParts,
    connectorId: string,
    owner: string,
  ): Promise<LeaseKeeper | undefined> {
    const { syncs, clock, ttlMs } = parts;
    // Counted from before the call: the database may have taken its time to answer.
    const askedAt = clock.monotonic();
    const lease = await syncs.takeLease({ connectorId, owner, ttlMs });
    return lease === undefined ? undefined : new LeaseKeeper(parts, lease, askedAt + ttlMs);
  }

  private constructor(parts: LeaseKeeperParts, lease: Lease, keptUntil: number) {
    this.#parts = parts;
    this.lease = lease;
    this.#keptUntil = keptUntil;
    this.#renewLater();
  }

  get signal(): AbortSignal {
    return this.#losing.signal;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#hasEnded = true;
    this.#cancelRenewal();
    // Ending after the release, it would leave the connector in the queue as one that somebody is at.
    await this.#renewing;
    if (this.signal.aborted) return;
    try {
      await this.#parts.syncs.releaseLease(this.lease);
    } catch (err) {
      const facts = { err, connector_id: this.lease.connectorId };
      this.#parts.logger.warn(facts, 'A lease could not be released; it runs out by itself.');
    }
  }

  #renewLater(): void {
    const { clock, ttlMs } = this.#parts;
    this.#cancelRenewal = clock.after(ttlMs / 3, () => {
      this.#renewing = this.#renew();
    });
  }

  async #renew(): Promise<void> {
    const { syncs, clock, logger, ttlMs } = this.#parts;
    const askedAt = clock.monotonic();
    try {
      await syncs.renewLease(this.lease, ttlMs);
      this.#keptUntil = askedAt + ttlMs;
    } catch (err) {
      if (this.#hasEnded) return;
      const facts = { err, connector_id: this.lease.connectorId };
      if (isStoreError(err, 'lease_lost') || clock.monotonic() >= this.#keptUntil) {
        logger.warn(facts, 'The lease of a connector was lost; the work on it ends.');
        this.#losing.abort(new StoppedError('lease_lost', { cause: err }));
        return;
      }
      logger.warn(facts, 'The lease of a connector could not be renewed; trying again.');
    }
    if (!this.#hasEnded) this.#renewLater();
  }
}
