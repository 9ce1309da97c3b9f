import { setImmediate } from 'node:timers/promises';
import type { Clock } from '@patchbay/connectors';
import type { Store } from '@patchbay/store';
import type { Logger } from '../log.ts';

interface ClearingParts {
  readonly store: Pick<Store, 'syncs'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long a connector stays with a process that is heard of no more. */
  readonly leaseTtlMs: number;
  /** Called of each connector that is cleared. */
  readonly onCleared: (connectorId: string) => Promise<void>;
}

type Connector = Parameters<Store['syncs']['clearSome']>[0];

const CLEARED_AT_ONCE = 1_000;

/** Deletes the records of connectors that are deleted or of another account now, one connector after another. */
export class Clearing {
  readonly #parts: ClearingParts;
  #isStopped = false;
  #isWanted = false;
  #working: Promise<void> | undefined;

  constructor(parts: ClearingParts) {
    this.#parts = parts;
  }

  /** Looks for such connectors, unless it is at that already; then it looks once more. */
  begin(): void {
    this.#isWanted = true;
    this.#working ??= this.#work();
  }

  /** Ends between two transactions. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#working;
  }

  async #work(): Promise<void> {
    try {
      while (this.#isWanted && !this.#isStopped) {
        this.#isWanted = false;
        await this.#clearAll();
      }
    } catch (err) {
      this.#parts.logger.error({ err }, 'Clearing broke off; it is gone on with in a while.');
    } finally {
      this.#working = undefined;
    }
  }

  async #clearAll(): Promise<void> {
    const { store, leaseTtlMs, onCleared } = this.#parts;
    while (!this.#isStopped) {
      const connector = await store.syncs.takeUncleared(leaseTtlMs);
      if (connector === undefined) return;
      if (await this.#clear(connector)) await onCleared(connector.connectorId);
    }
  }

  /** Whether it came to its end. What is left is taken up when the time that it was taken for is over. */
  async #clear(connector: Connector): Promise<boolean> {
    const { store, clock, leaseTtlMs } = this.#parts;
    let keptAt = clock.monotonic();
    while (await store.syncs.clearSome(connector, CLEARED_AT_ONCE)) {
      if (this.#isStopped) {
        await store.syncs.keepUncleared(connector.connectorId, 0);
        return false;
      }
      if (clock.monotonic() - keptAt > leaseTtlMs / 3) {
        await store.syncs.keepUncleared(connector.connectorId, leaseTtlMs);
        keptAt = clock.monotonic();
      }
      // Between two transactions others have their turn.
      await setImmediate();
    }
    return true;
  }
}
