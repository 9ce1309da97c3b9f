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
/** A connector is cleared for so long, then others that wait have their turns. Shorter than what it is taken for. */
const TURN_MS = 2_000;

/**
 * Deletes the records of connectors that are deleted or of another account now. They take turns: one with millions of
 * records keeps nobody from the copy of an account that has come meanwhile.
 */
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

  /** Whether it came to its end; otherwise it is handed back, behind those that wait. */
  async #clear(connector: Connector): Promise<boolean> {
    const { store, clock } = this.#parts;
    const begunAt = clock.monotonic();
    while (await store.syncs.clearSome(connector, CLEARED_AT_ONCE)) {
      if (this.#isStopped || clock.monotonic() - begunAt >= TURN_MS) {
        await store.syncs.keepUncleared(connector.connectorId, 0);
        return false;
      }
      // Between two transactions others have their turn.
      await setImmediate();
    }
    return true;
  }
}
